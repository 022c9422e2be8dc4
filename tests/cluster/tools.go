//go:build tools

// Package tools pins the two programs of the test cluster, kube-apiserver and kubectl, to the
// version of Kubernetes named in go.mod. Nothing here is compiled into this project.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
