//go:build tools

// Package tools pins the published definitions of foreign kinds, and the generator of one of them, to
// the versions named in go.mod. Nothing here is compiled into this project.
package tools

import (
	_ "github.com/ai-dynamo/grove/operator/api/core/v1alpha1/crds"
	_ "sigs.k8s.io/controller-tools/cmd/controller-gen"
	_ "sigs.k8s.io/gateway-api-inference-extension/api/v1"
	_ "sigs.k8s.io/lws/api/leaderworkerset/v1"
	_ "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)
