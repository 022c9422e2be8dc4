// Command peer is a typical controller: controller-runtime with typed structs and a shared cache. It
// validates objects, writes a condition to their status, and emits an event for an invalid one. The
// benchmark compares dynamo-reconciler with it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	graphs "dynamo-admission/bench/peer/api"
	"dynamo-admission/bench/peer/rules"
	"dynamo-admission/bench/reconciler/peer/api"
)

const (
	conditionType = "DynamoAdmissionValid"
	workers       = 8 // as in dynamo-reconciler
)

// kind describes the objects that one controller validates.
type kind[T client.Object] struct {
	empty      func() T
	conditions func(T) *[]metav1.Condition // of a status that is about to be written
	validate   func(context.Context, T) error
}

type reconciler[T client.Object] struct {
	kind[T]
	client   client.Client
	recorder events.EventRecorder
}

func (r *reconciler[T]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := r.empty()
	if err := r.client.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	condition := metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: "ValidationPassed",
		Message: "the object is valid", ObservedGeneration: object.GetGeneration()}
	if err := r.validate(ctx, object); err != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, "ValidationFailed", err.Error()
	}
	before := object.DeepCopyObject().(client.Object)
	if !meta.SetStatusCondition(r.conditions(object), condition) {
		return ctrl.Result{}, nil
	}
	if condition.Status == metav1.ConditionFalse {
		r.recorder.Eventf(object, nil, corev1.EventTypeWarning, condition.Reason, "Validate", "%s", condition.Message)
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.client.Status().Patch(ctx, object, client.MergeFrom(before)))
}

func add[T client.Object](manager ctrl.Manager, of kind[T]) error {
	return ctrl.NewControllerManagedBy(manager).For(of.empty()).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler[T]{of, manager.GetClient(), manager.GetEventRecorder("peer")})
}

func validateModel(_ context.Context, model *api.DynamoModel) error {
	if model.Spec.ModelName == "" || model.Spec.BaseModelName == "" {
		return errors.New("spec.modelName and spec.baseModelName must not be empty")
	}
	return nil
}

func accept[T client.Object](context.Context, T) error { return nil }

func addAll(manager ctrl.Manager) error {
	validator := &rules.GraphValidator{InferencePoolServed: true}
	validateGraph := func(ctx context.Context, graph *graphs.DynamoGraphDeployment) error {
		_, err := validator.ValidateCreate(ctx, graph)
		return err
	}
	return errors.Join(
		add(manager, kind[*graphs.DynamoGraphDeployment]{
			func() *graphs.DynamoGraphDeployment { return &graphs.DynamoGraphDeployment{} },
			func(g *graphs.DynamoGraphDeployment) *[]metav1.Condition { return &g.Status.Conditions },
			validateGraph,
		}),
		add(manager, kind[*api.DynamoComponentDeployment]{
			func() *api.DynamoComponentDeployment { return &api.DynamoComponentDeployment{} },
			func(c *api.DynamoComponentDeployment) *[]metav1.Condition { return &c.Status.Conditions },
			func(ctx context.Context, c *api.DynamoComponentDeployment) error {
				// A component is validated by the rules of a service.
				return validateGraph(ctx, &graphs.DynamoGraphDeployment{ObjectMeta: c.ObjectMeta, Spec: graphs.GraphSpec{
					Services: map[string]*graphs.ServiceSpec{c.Name: &c.Spec}}})
			},
		}),
		add(manager, kind[*api.DynamoModel]{
			func() *api.DynamoModel { return &api.DynamoModel{} },
			func(m *api.DynamoModel) *[]metav1.Condition {
				none := int32(0)
				m.Status.ReadyEndpoints, m.Status.TotalEndpoints = &none, &none
				return &m.Status.Conditions
			},
			validateModel,
		}),
		// This kind is watched, but the benchmark has no objects of it.
		add(manager, kind[*api.DynamoGraphDeploymentScalingAdapter]{
			func() *api.DynamoGraphDeploymentScalingAdapter { return &api.DynamoGraphDeploymentScalingAdapter{} },
			func(a *api.DynamoGraphDeploymentScalingAdapter) *[]metav1.Condition { return &a.Status.Conditions },
			accept[*api.DynamoGraphDeploymentScalingAdapter],
		}),
		add(manager, kind[*api.DynamoGraphDeploymentRequest]{
			func() *api.DynamoGraphDeploymentRequest { return &api.DynamoGraphDeploymentRequest{} },
			func(r *api.DynamoGraphDeploymentRequest) *[]metav1.Condition { return &r.Status.Conditions },
			validateRequest,
		}),
		add(manager, kind[*api.DynamoCheckpoint]{
			func() *api.DynamoCheckpoint { return &api.DynamoCheckpoint{} },
			func(c *api.DynamoCheckpoint) *[]metav1.Condition { return &c.Status.Conditions },
			validateCheckpoint,
		}))
}

func run(kubeconfig, metricsAddress string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1 // dynamo-reconciler does not wait between requests, either
	scheme := runtime.NewScheme()
	if err := errors.Join(api.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: metricsAddress}, HealthProbeBindAddress: "0"})
	if err != nil {
		return err
	}
	if err := addAll(manager); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	// controller-runtime has a flag --kubeconfig of its own.
	kubeconfig := flag.Lookup("kubeconfig")
	metricsAddress := flag.String("metrics-bind-address", "127.0.0.1:8080", "where to serve metrics")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(kubeconfig.Value.String(), *metricsAddress); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}
