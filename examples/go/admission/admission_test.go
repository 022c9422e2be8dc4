package admission

import (
	"strings"
	"testing"
	"time"
)

const endpointPicker = `{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
  "metadata": {"name": "llama", "namespace": "team-a"}, "spec": {"services": {
    "Epp": {"componentType": "epp", "replicas": 1, "nope": {}, "eppConfig": {"config":
      {"plugins": []}}, "extraPodSpec": {"mainContainer": {"image": "example.com/epp:1.0"}}}}}}`

func evaluate(t *testing.T, request Request) *Decision {
	t.Helper()
	evaluator, err := NewEvaluator("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer evaluator.Close()
	request.Operation = "CREATE"
	request.Object = []byte(endpointPicker)
	decision, err := evaluator.Evaluate(request, time.Unix(1_770_091_506, 0))
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

func has(findings []Finding, rule string) bool {
	for _, finding := range findings {
		if finding.Rule == rule {
			return true
		}
	}
	return false
}

func TestFactsDecide(t *testing.T) {
	const rule = "epp.inference-pool.available"
	for _, row := range []struct {
		pool          Fact
		denied, warns bool
	}{{Unknown, false, true}, {No, true, false}, {Yes, false, false}} {
		decision := evaluate(t, Request{Facts: Facts{InferencePoolServed: row.pool}})
		if has(decision.Causes, rule) != row.denied || has(decision.Warnings, rule) != row.warns {
			t.Errorf("pool %d: causes %v, warnings %v", row.pool, decision.Causes, decision.Warnings)
		}
	}
}

func TestUnknownFieldsAreReportedOrDenied(t *testing.T) {
	const rule = "schema.unknown-field"
	for _, row := range []struct {
		request Request
		denied  bool
	}{
		{Request{WithSchema: true}, false},
		{Request{WithSchema: true, Strict: true}, true},
	} {
		decision := evaluate(t, row.request)
		if has(decision.Causes, rule) != row.denied || has(decision.Warnings, rule) == row.denied {
			t.Errorf("%+v: causes %v, warnings %v", row.request, decision.Causes, decision.Warnings)
		}
	}
}

func TestObjectIsConvertedThereAndBack(t *testing.T) {
	beta, err := Convert([]byte(endpointPicker), "nvidia.com/v1beta1")
	if err != nil || !strings.Contains(beta, `"components":[`) {
		t.Fatalf("%s: %v", beta, err)
	}
	alpha, err := Convert([]byte(beta), "nvidia.com/v1alpha1")
	if err != nil || !strings.Contains(alpha, `"services":{"Epp":`) {
		t.Fatalf("%s: %v", alpha, err)
	}
	if _, err := Convert([]byte(beta), "nvidia.com/v1beta1"); err == nil {
		t.Error("an object of that version was converted")
	}
}
