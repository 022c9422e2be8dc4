//go:build tools

// Package tools pins the controller of LeaderWorkerSets to the version named in go.mod. Nothing here is
// compiled into this project.
package tools

import _ "sigs.k8s.io/lws/cmd"
