//go:build tools

// Package tools pins kwok, which simulates nodes and the pod status of a kubelet, to the version named
// in go.mod. Nothing here is compiled into this project.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
