// Command peer is a typical admission webhook: a controller-runtime server with typed structs. The
// benchmark compares dynamo-webhook with it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"dynamo-admission/bench/peer/api"
	"dynamo-admission/bench/peer/rules"
)

const graphPath = "/validate-nvidia-com-v1alpha1-dynamographdeployment"

func main() {
	bindAddress := flag.String("bind-address", "127.0.0.1:9443", "where to serve admission reviews over TLS")
	metricsAddress := flag.String("metrics-bind-address", "127.0.0.1:8080", "where to serve metrics")
	certDir := flag.String("cert-dir", "", "folder with tls.crt and tls.key")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *bindAddress, *metricsAddress, *certDir); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bindAddress, metricsAddress, certDir string) error {
	log.SetLogger(zap.New())

	host, portText, err := net.SplitHostPort(bindAddress)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		return err
	}

	server := webhook.NewServer(webhook.Options{Host: host, Port: port, CertDir: certDir})
	server.Register(graphPath, admission.WithValidator(scheme, &rules.GraphValidator{InferencePoolServed: true}))
	metrics, err := metricsserver.NewServer(metricsserver.Options{BindAddress: metricsAddress}, nil, nil)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 2)
	go func() { failed <- metrics.Start(ctx) }()
	go func() { failed <- server.Start(ctx) }()
	first := <-failed
	cancel()
	if second := <-failed; first == nil {
		first = second
	}
	return first
}
