// Package admission is a thin Go wrapper around libdynamo_admission: the verdict of the Dynamo
// admission webhook without a server. It needs cgo, and pkg-config to find the library.
package admission

/*
#cgo pkg-config: dynamo-admission
#include <stdlib.h>
#include <dynamo_admission.h>
*/
import "C"

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// Finding is a cause of a denial, or a warning (without a Reason).
type Finding struct {
	Field, Reason, Message, Detail, Rule string
}

// Decision is the verdict on one object. It holds no memory of the library.
type Decision struct {
	Allowed   bool
	Exemption string
	Message   string
	Patch     string
	Stored    string // with the schema: the object as it would be stored
	Causes    []Finding
	Warnings  []Finding
}

// Fact is a fact about the cluster that may be unknown.
type Fact int32

const (
	Unknown Fact = C.DYNAMO_ADMISSION_FACT_UNKNOWN
	No      Fact = C.DYNAMO_ADMISSION_FACT_NO
	Yes     Fact = C.DYNAMO_ADMISSION_FACT_YES
)

// Generation is the generation of the operator that reconciles the objects.
type Generation int32

const (
	UnknownGeneration Generation = C.DYNAMO_ADMISSION_GENERATION_UNKNOWN
	FirstGeneration   Generation = C.DYNAMO_ADMISSION_GENERATION_FIRST // v1alpha1 only
	LaterGeneration   Generation = C.DYNAMO_ADMISSION_GENERATION_LATER
)

// Facts holds known facts about the cluster. In the zero value all are unknown, so that rules warn
// instead of deny.
type Facts struct {
	InferencePoolServed   Fact // inference.networking.k8s.io
	GroveServed           Fact // grove.io
	LeaderWorkerSetServed Fact // including scheduling.volcano.sh
	KaiSchedulerServed    Fact // scheduling.run.ai
	KubernetesDiscovery   Fact // instead of etcd, if a graph does not choose
	OperatorGeneration    Generation
	KubernetesMinor       int32 // 35 for v1.35; 0: unknown
}

// Request is one object to evaluate. Nil and empty mean absent.
type Request struct {
	Operation         string
	Object, OldObject []byte
	User              string
	Namespace, Name   string
	SubResource       string
	DryRun            bool
	WithSchema        bool // validate against the schema of the custom resource first
	Strict            bool // with the schema: unknown and duplicate fields deny, as with kubectl
	Facts             Facts
}

// Error explains why there is no verdict.
type Error struct {
	Status int
	Name   string
	Text   string
}

func (e *Error) Error() string { return e.Name + ": " + e.Text }

// Evaluator holds settings and policy. Safe for concurrent use; call Close after the last use.
type Evaluator struct {
	handle *C.dynamo_admission_evaluator
}

// NewEvaluator reads the settings and the policy; an empty text means none.
func NewEvaluator(settings, policy string) (*Evaluator, error) {
	if found := C.dynamo_admission_abi_version(); found != C.DYNAMO_ADMISSION_ABI_VERSION {
		return nil, fmt.Errorf("the library has ABI version %d", found)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	evaluator := &Evaluator{}
	var failure C.dynamo_admission_error
	status := C.dynamo_admission_evaluator_create(text(&pins, []byte(settings)),
		text(&pins, []byte(policy)), &evaluator.handle, &failure)
	if status != C.DYNAMO_ADMISSION_OK {
		return nil, newError(status, C.GoString(&failure.message[0]))
	}
	return evaluator, nil
}

// Close frees the evaluator.
func (e *Evaluator) Close() {
	C.dynamo_admission_evaluator_free(e.handle)
	e.handle = nil
}

// Evaluate evaluates one object at the given time.
func (e *Evaluator) Evaluate(request Request, now time.Time) (*Decision, error) {
	var decision *C.dynamo_admission_decision
	if status := C.dynamo_admission_decision_create(&decision); status != C.DYNAMO_ADMISSION_OK {
		return nil, newError(status, "no memory for a decision")
	}
	defer C.dynamo_admission_decision_free(decision)
	var pins runtime.Pinner
	defer pins.Unpin()
	given := C.dynamo_admission_request{
		operation:      text(&pins, []byte(request.Operation)),
		object:         text(&pins, request.Object),
		old_object:     text(&pins, request.OldObject),
		user:           text(&pins, []byte(request.User)),
		namespace_name: text(&pins, []byte(request.Namespace)),
		name:           text(&pins, []byte(request.Name)),
		sub_resource:   text(&pins, []byte(request.SubResource)),
	}
	given.struct_size = C.size_t(unsafe.Sizeof(given))
	if request.DryRun {
		given.dry_run = 1
	}
	if request.WithSchema {
		given.with_schema = C.DYNAMO_ADMISSION_SCHEMA
		if request.Strict {
			given.with_schema = C.DYNAMO_ADMISSION_SCHEMA_STRICT
		}
	}
	facts := factsOf(request.Facts, now)
	status := C.dynamo_admission_evaluate(e.handle, &given, &facts, decision)
	if status != C.DYNAMO_ADMISSION_OK {
		return nil, newError(status, str(C.dynamo_admission_decision_error(decision)))
	}
	return read(decision), nil
}

// Convert converts an object (JSON) to "nvidia.com/v1alpha1" or "nvidia.com/v1beta1".
func Convert(object []byte, apiVersion string) (string, error) {
	var decision *C.dynamo_admission_decision
	if status := C.dynamo_admission_decision_create(&decision); status != C.DYNAMO_ADMISSION_OK {
		return "", newError(status, "no memory for a decision")
	}
	defer C.dynamo_admission_decision_free(decision)
	var pins runtime.Pinner
	defer pins.Unpin()
	status := C.dynamo_admission_convert(text(&pins, object), text(&pins, []byte(apiVersion)), decision)
	if status != C.DYNAMO_ADMISSION_OK {
		return "", newError(status, str(C.dynamo_admission_decision_error(decision)))
	}
	return str(C.dynamo_admission_decision_converted(decision)), nil
}

func factsOf(known Facts, now time.Time) C.dynamo_admission_facts {
	facts := C.dynamo_admission_facts{
		now:                      C.int64_t(now.Unix()),
		inference_pool_served:    C.int32_t(known.InferencePoolServed),
		grove_served:             C.int32_t(known.GroveServed),
		leader_worker_set_served: C.int32_t(known.LeaderWorkerSetServed),
		kai_scheduler_served:     C.int32_t(known.KaiSchedulerServed),
		kubernetes_discovery:     C.int32_t(known.KubernetesDiscovery),
		operator_generation:      C.int32_t(known.OperatorGeneration),
		kubernetes_minor:         C.int32_t(known.KubernetesMinor),
	}
	facts.struct_size = C.size_t(unsafe.Sizeof(facts))
	return facts
}

func read(decision *C.dynamo_admission_decision) *Decision {
	out := &Decision{
		Allowed:   C.dynamo_admission_decision_allowed(decision) != 0,
		Exemption: str(C.dynamo_admission_decision_exemption(decision)),
		Message:   str(C.dynamo_admission_decision_message(decision)),
		Patch:     str(C.dynamo_admission_decision_patch(decision)),
		Stored:    str(C.dynamo_admission_decision_stored(decision)),
	}
	for i := C.size_t(0); i < C.dynamo_admission_decision_cause_count(decision); i++ {
		part := func(which C.dynamo_admission_part) string {
			return str(C.dynamo_admission_decision_cause(decision, i, which))
		}
		out.Causes = append(out.Causes, finding(part))
	}
	for i := C.size_t(0); i < C.dynamo_admission_decision_warning_count(decision); i++ {
		part := func(which C.dynamo_admission_part) string {
			return str(C.dynamo_admission_decision_warning(decision, i, which))
		}
		out.Warnings = append(out.Warnings, finding(part))
	}
	return out
}

func finding(part func(C.dynamo_admission_part) string) Finding {
	return Finding{
		Field:   part(C.DYNAMO_ADMISSION_FIELD),
		Reason:  part(C.DYNAMO_ADMISSION_REASON),
		Message: part(C.DYNAMO_ADMISSION_MESSAGE),
		Detail:  part(C.DYNAMO_ADMISSION_DETAIL),
		Rule:    part(C.DYNAMO_ADMISSION_RULE),
	}
}

// text lends the bytes to C until the pins are removed.
func text(pins *runtime.Pinner, bytes []byte) C.dynamo_admission_text {
	if len(bytes) == 0 {
		return C.dynamo_admission_text{}
	}
	pins.Pin(&bytes[0])
	return C.dynamo_admission_text{
		data:   (*C.char)(unsafe.Pointer(&bytes[0])),
		length: C.size_t(len(bytes)),
	}
}

// str copies a text that the library owns.
func str(text C.dynamo_admission_text) string {
	return C.GoStringN(text.data, C.int(text.length))
}

func newError(status C.dynamo_admission_status, text string) *Error {
	return &Error{int(status), C.GoString(C.dynamo_admission_status_name(status)), text}
}
