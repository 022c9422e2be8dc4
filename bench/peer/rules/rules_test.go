package rules

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"dynamo-admission/bench/peer/api"
)

// graph reads a spec the way a request carries it.
func graph(t *testing.T, spec string) *api.DynamoGraphDeployment {
	t.Helper()
	object := &api.DynamoGraphDeployment{ObjectMeta: metav1.ObjectMeta{Name: "chat"}}
	if err := json.Unmarshal([]byte(spec), &object.Spec); err != nil {
		t.Fatalf("spec %s: %v", spec, err)
	}
	return object
}

// causes returns "Type field" of every error, in order.
func causes(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Fatalf("must be a Kubernetes status, is %T", err)
	}
	var found []string
	for _, cause := range status.Status().Details.Causes {
		found = append(found, string(cause.Type)+" "+cause.Field)
	}
	return found
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestStatelessRulesNameEveryField(t *testing.T) {
	for _, row := range []struct {
		spec   string
		causes []string
	}{
		{`{"services":{"A":{}}}`, nil},
		{`{}`, []string{"FieldValueRequired spec.services"}},
		{`{"services":{"A":null}}`, []string{"FieldValueRequired spec.services[A]"}},
		{`{"services":{"B":{"replicas":-1},"A":{"replicas":-1}}}`,
			[]string{"FieldValueInvalid spec.services[A].replicas", "FieldValueInvalid spec.services[B].replicas"}},
		{`{"services":{"A":{"replicas":0}}}`, nil},
		{`{"services":{"A":{"ingress":{"enabled":true}}}}`, []string{"FieldValueRequired spec.services[A].ingress.host"}},
		{`{"services":{"A":{"ingress":{}}}}`, nil},
		{`{"services":{"A":{"volumeMounts":[{"name":"x","useAsCompilationCache":true},{"name":"y"}]}}}`,
			[]string{"FieldValueRequired spec.services[A].volumeMounts[1].mountPoint"}},
		{`{"services":{"A":{"sharedMemory":{}}}}`, []string{"FieldValueRequired spec.services[A].sharedMemory.size"}},
		{`{"services":{"A":{"sharedMemory":{"size":"0"}}}}`, []string{"FieldValueRequired spec.services[A].sharedMemory.size"}},
		{`{"services":{"A":{"sharedMemory":{"disabled":true}}}}`, nil},
		{`{"services":{"A":{"sharedMemory":{"size":"8Gi"}}}}`, nil},
		{`{"services":{"A":{"componentType":"epp"}}}`, []string{"FieldValueRequired spec.services[A].eppConfig"}},
		{`{"services":{"A":{"componentType":"epp","replicas":2,"multinode":{"nodeCount":2},"eppConfig":{}}}}`,
			[]string{"FieldValueForbidden spec.services[A].multinode", "FieldValueInvalid spec.services[A].replicas",
				"FieldValueRequired spec.services[A].eppConfig"}},
		{`{"services":{"A":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"c","key":"k"},"config":{}}}}}`,
			[]string{"FieldValueForbidden spec.services[A].eppConfig"}},
		{`{"services":{"A":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"","key":"k"}}}}}`,
			[]string{"FieldValueRequired spec.services[A].eppConfig.configMapRef.name"}},
		{`{"services":{"A":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"c","key":"k"}}}}}`, nil},
		{`{"pvcs":[{}],"services":{"A":{}}}`, []string{"FieldValueRequired spec.pvcs[0].name"}},
		{`{"pvcs":[{"name":"p","create":true}],"services":{"A":{}}}`,
			[]string{"FieldValueRequired spec.pvcs[0].size", "FieldValueRequired spec.pvcs[0].storageClass",
				"FieldValueRequired spec.pvcs[0].volumeAccessMode"}},
		{`{"restart":{"id":""},"services":{"A":{}}}`, []string{"FieldValueRequired spec.restart.id"}},
		{`{"restart":{"id":"1","strategy":{"type":"Parallel","order":["B"]}},"services":{"A":{}}}`,
			[]string{"FieldValueForbidden spec.restart.strategy.order"}},
		{`{"restart":{"id":"1","strategy":{"order":["A","A","B","C"]}},"services":{"A":{},"B":{}}}`,
			[]string{"FieldValueDuplicate spec.restart.strategy.order", "FieldValueInvalid spec.restart.strategy.order",
				"FieldValueNotFound spec.restart.strategy.order[3]"}},
		{`{"restart":{"id":"1","strategy":{"order":["B","A"]}},"services":{"A":{},"B":{}}}`, nil},
	} {
		_, err := (&GraphValidator{InferencePoolServed: true}).ValidateCreate(context.Background(), graph(t, row.spec))
		expect(t, row.spec, causes(t, err), row.causes)
	}
}

func TestAnEPPNeedsTheInferencePool(t *testing.T) {
	epp := graph(t, `{"services":{"A":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"c","key":"k"}}}}}`)
	_, err := (&GraphValidator{}).ValidateCreate(context.Background(), epp)
	expect(t, "no inference pool", causes(t, err), []string{"FieldValueForbidden spec.services[A]"})
}

func TestDeprecatedFieldsWarn(t *testing.T) {
	warnings, err := (&GraphValidator{}).ValidateCreate(context.Background(),
		graph(t, `{"services":{"A":{"dynamoNamespace":"x","autoscaling":{}}}}`))
	expect(t, "causes", causes(t, err), nil)
	expect(t, "warnings", warnings, []string{
		"spec.services[A].dynamoNamespace: ignored; the namespace of the graph is used",
		"spec.services[A].autoscaling: ignored; use a scaling adapter"})
}

func TestOriginVersionIsALenientSemver(t *testing.T) {
	for version, holds := range map[string]bool{
		"1": true, "1.2": true, "v1.2.3": true, "01.002.3": true, "1.2.3-rc.1+build.7": true, "0.0.0-unknown": true,
		"": false, "latest": false, "1.2.3.4": false, "1.2.3-": false, "1.2.3-01": false, "1..2": false, "1.2.3+": false,
	} {
		object := graph(t, `{"services":{"A":{}}}`)
		object.Annotations = map[string]string{OriginVersionAnnotation: version}
		_, err := (&GraphValidator{}).ValidateCreate(context.Background(), object)
		if (err == nil) != holds {
			t.Errorf("version %q: got %v, want accepted %v", version, err, holds)
		}
	}
}

func TestUpdateRulesCompareWithTheOldObject(t *testing.T) {
	const operator = "system:serviceaccount:ns:x-dynamo-operator-controller-manager"
	for _, row := range []struct {
		old, now, user string
		causes         []string
	}{
		{`{"services":{"A":{}}}`, `{"backendFramework":"","services":{"A":{}}}`, "", nil},
		{`{"backendFramework":"vllm","services":{"A":{}}}`, `{"backendFramework":"sglang","services":{"A":{}}}`, "",
			[]string{"FieldValueForbidden spec.backendFramework"}},
		{`{"services":{"A":{}}}`, `{"services":{"B":{}}}`, "", []string{"FieldValueForbidden spec.services"}},
		{`{"services":{"A":{"multinode":{"nodeCount":2}}}}`, `{"services":{"A":{}}}`, "",
			[]string{"FieldValueForbidden spec.services[A].multinode"}},
		{`{"services":{"A":{"multinode":{"nodeCount":2}}}}`, `{"services":{"A":{"multinode":{"nodeCount":4}}}}`, "", nil},
		{`{"services":{"A":{"replicas":1}}}`, `{"services":{"A":{"replicas":2}}}`, "", nil},
		{`{"services":{"A":{}}}`, `{"services":{"A":{"replicas":2,"scalingAdapter":{"enabled":true}}}}`, "admin",
			[]string{"FieldValueForbidden spec.services[A].replicas"}},
		{`{"services":{"A":{"scalingAdapter":{"enabled":true}}}}`, `{"services":{"A":{"replicas":2}}}`, "",
			[]string{"FieldValueForbidden spec.services[A].replicas"}},
		{`{"services":{"A":{}}}`, `{"services":{"A":{"replicas":1,"scalingAdapter":{"enabled":true}}}}`, "", nil},
		{`{"services":{"A":{}}}`, `{"services":{"A":{"replicas":2,"scalingAdapter":{"enabled":true}}}}`, operator, nil},
		{`{"services":{"A":{}}}`, `{"services":{"A":{"replicas":2,"scalingAdapter":{"enabled":true}}}}`, operator + ":x",
			[]string{"FieldValueForbidden spec.services[A].replicas"}},
	} {
		ctx := admission.NewContextWithRequest(context.Background(), admission.Request{
			AdmissionRequest: admissionv1.AdmissionRequest{UserInfo: authenticationv1.UserInfo{Username: row.user}}})
		_, err := (&GraphValidator{}).ValidateUpdate(ctx, graph(t, row.old), graph(t, row.now))
		expect(t, row.old+" -> "+row.now+" by "+row.user, causes(t, err), row.causes)
	}
}

func TestTerminatingObjectIsValidatedOnlyOnSpecChange(t *testing.T) {
	old, now := graph(t, `{}`), graph(t, `{}`)
	now.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	_, err := (&GraphValidator{}).ValidateUpdate(context.Background(), old, now)
	expect(t, "same spec", causes(t, err), nil)
	now.Spec.BackendFramework = "vllm"
	_, err = (&GraphValidator{}).ValidateUpdate(context.Background(), old, now)
	expect(t, "changed spec", causes(t, err),
		[]string{"FieldValueRequired spec.services", "FieldValueForbidden spec.backendFramework"})
}
