//go:build tools

// Package tools pins kwok, which plays nodes and what a kubelet tells of pods, to the version named in
// go.mod. Nothing here is compiled into this project.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
