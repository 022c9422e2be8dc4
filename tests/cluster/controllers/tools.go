//go:build tools

// Package tools pins the controllers and the scheduler of Kubernetes to the version named in go.mod.
// Nothing here is compiled into this project.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)
