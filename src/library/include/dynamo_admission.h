/*
 * The verdict of dynamo-webhook inside your own program: the same defaults, rules, causes and
 * warnings, without a server. For C and for every language that can call C.
 *
 *   evaluator  settings and policy. Immutable once created: any number of threads may use it.
 *   decision   the result of one evaluation, reusable for the next. One thread at a time.
 *
 * No function opens a file or a socket, reads the clock or the environment, starts a thread, keeps
 * global state, or throws an exception. Texts are passed as pointer and length, in UTF-8, and need
 * no terminating zero byte. Errors are reported as a status and one line of text.
 *
 * Releases only add names, and add fields only at the end of the structs that begin with their own
 * size.
 */
#ifndef DYNAMO_ADMISSION_H_
#define DYNAMO_ADMISSION_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DYNAMO_ADMISSION_API __attribute__((visibility("default")))
#else
#define DYNAMO_ADMISSION_API
#endif

/* The ABI version of this header; compare with dynamo_admission_abi_version(). */
#define DYNAMO_ADMISSION_ABI_VERSION 1u

/* Longest object, old object or review, in bytes, and the nesting depth of their JSON. */
#define DYNAMO_ADMISSION_MAX_BYTES ((size_t)64 << 20)
#define DYNAMO_ADMISSION_MAX_DEPTH 128
/* Longest settings, policy, user, namespace, operation, sub-resource or path, in bytes. */
#define DYNAMO_ADMISSION_MAX_SETTINGS_BYTES ((size_t)1 << 20)
#define DYNAMO_ADMISSION_MAX_NAME_BYTES ((size_t)4096)

typedef struct dynamo_admission_evaluator dynamo_admission_evaluator;
typedef struct dynamo_admission_decision dynamo_admission_decision;

/*
 * `length` bytes from `data` on. As an argument, null data means that the text is absent. As a
 * result, data is never null, and a zero byte that `length` does not count follows.
 */
typedef struct dynamo_admission_text {
  const char* data;
  size_t length;
} dynamo_admission_text;

/* The result of a call. After any status other than OK the decision does not allow. */
typedef int32_t dynamo_admission_status;
enum {
  DYNAMO_ADMISSION_OK = 0,
  DYNAMO_ADMISSION_INVALID_ARGUMENT = 1, /* null where not allowed, or an unknown value */
  DYNAMO_ADMISSION_TOO_LARGE = 2,        /* longer than the limits above */
  DYNAMO_ADMISSION_NOT_JSON = 3,         /* not JSON, not UTF-8, or nested too deep */
  DYNAMO_ADMISSION_UNKNOWN_KIND = 4,     /* not a kind of nvidia.com/v1alpha1 with rules */
  DYNAMO_ADMISSION_BAD_REVIEW = 5,       /* JSON, but not an AdmissionReview of the path's kind */
  DYNAMO_ADMISSION_BAD_SETTINGS = 6,
  DYNAMO_ADMISSION_BAD_POLICY = 7,
  DYNAMO_ADMISSION_OUT_OF_MEMORY = 8,
  DYNAMO_ADMISSION_INTERNAL = 9,        /* a bug in this library; please report it */
  DYNAMO_ADMISSION_NOT_CONVERTIBLE = 10 /* not an object that can have the other API version */
};

/* Receives the reason of a failed call. Owned by the caller; nothing to free. */
typedef struct dynamo_admission_error {
  dynamo_admission_status status;
  char message[1020]; /* one line with a terminating zero byte; truncated if longer */
} dynamo_admission_error;

/* A fact about the cluster that may be unknown. */
enum {
  DYNAMO_ADMISSION_FACT_UNKNOWN = 0,
  DYNAMO_ADMISSION_FACT_NO = 1,
  DYNAMO_ADMISSION_FACT_YES = 2
};
enum {
  DYNAMO_ADMISSION_GENERATION_UNKNOWN = 0,
  DYNAMO_ADMISSION_GENERATION_FIRST = 1, /* v1alpha1 only, released until spring 2026 */
  DYNAMO_ADMISSION_GENERATION_LATER = 2
};

/* Known facts about the cluster. All zero except the size: everything is unknown. */
typedef struct dynamo_admission_facts {
  size_t struct_size;               /* sizeof(dynamo_admission_facts) */
  int64_t now;                      /* seconds since 1970, UTC; 0: unknown, no exemption applies */
  int32_t inference_pool_served;    /* is inference.networking.k8s.io served? */
  int32_t grove_served;             /* grove.io */
  int32_t leader_worker_set_served; /* including scheduling.volcano.sh, which it needs */
  int32_t kai_scheduler_served;     /* scheduling.run.ai */
  int32_t kubernetes_discovery;     /* instead of etcd, if a graph does not choose? */
  int32_t operator_generation;      /* DYNAMO_ADMISSION_GENERATION_* */
  int32_t kubernetes_minor;         /* 35 for v1.35; 0: unknown */
  int32_t reserved;                 /* must be 0; for a later fact */
} dynamo_admission_facts;

/*
 * Whether to validate against the schema. An API server drops unknown fields and uses the last of
 * duplicate ones, with a warning; with strict field validation, which kubectl requests, it refuses
 * both. With operators of the generation LATER unknown fields only warn.
 */
enum {
  DYNAMO_ADMISSION_SCHEMA_NONE = 0,
  DYNAMO_ADMISSION_SCHEMA = 1,       /* unknown and duplicate fields warn */
  DYNAMO_ADMISSION_SCHEMA_STRICT = 2 /* they deny */
};

/* One object to evaluate, as in an admission request. All zero except the size is a valid start. */
typedef struct dynamo_admission_request {
  size_t struct_size;                   /* sizeof(dynamo_admission_request) */
  dynamo_admission_text operation;      /* CREATE, UPDATE, DELETE or CONNECT */
  dynamo_admission_text object;         /* JSON; absent on DELETE */
  dynamo_admission_text old_object;     /* JSON, as stored; absent on CREATE */
  dynamo_admission_text user;           /* user name; absent: unknown */
  dynamo_admission_text namespace_name; /* absent: metadata.namespace */
  dynamo_admission_text name;           /* absent: metadata.name */
  dynamo_admission_text sub_resource;   /* absent: the object itself */
  int32_t dry_run;
  /* A DYNAMO_ADMISSION_SCHEMA constant. Any other than NONE validates against the schema of the
     custom resource first, as an API server does before it calls a webhook, and sets its defaults.
     Use it for objects that no API server has processed, on CREATE and UPDATE of the object itself.
     The patch is then empty; read dynamo_admission_decision_stored() instead. */
  int32_t with_schema;
} dynamo_admission_request;

/* --- The library ------------------------------------------------------------------------------ */

/* DYNAMO_ADMISSION_ABI_VERSION of the loaded library. */
DYNAMO_ADMISSION_API uint32_t dynamo_admission_abi_version(void);

/* Release version, such as "0.1.0"; static, nothing to free. */
DYNAMO_ADMISSION_API const char* dynamo_admission_version(void);

/* "not JSON" for DYNAMO_ADMISSION_NOT_JSON; "unknown status" for an unknown value. Static. */
DYNAMO_ADMISSION_API const char* dynamo_admission_status_name(dynamo_admission_status status);

/* --- Evaluators ------------------------------------------------------------------------------- */

/*
 * Creates an evaluator. `settings` is YAML or JSON with any of
 *
 *   operator-version: 1.2.3                     recorded on new graph deployments
 *   operator-service-account: dynamo/operator   limits which account may scale
 *   restricted-namespace: team-a                only this namespace is validated
 *   enforcement: deny                           or audit; applies only to dynamo_admission_review()
 *
 * which have the meaning of dynamo-webhook's flags with these names; `policy` is the text of a
 * policy file. Either may be absent. The caller frees `*evaluator`, which is null after a failure.
 * `error` may be null.
 */
DYNAMO_ADMISSION_API dynamo_admission_status dynamo_admission_evaluator_create(
    dynamo_admission_text settings, dynamo_admission_text policy,
    dynamo_admission_evaluator** evaluator, dynamo_admission_error* error);

/* Frees it; its decisions stay valid. No call may be using it. Null is allowed. */
DYNAMO_ADMISSION_API void dynamo_admission_evaluator_free(dynamo_admission_evaluator* evaluator);

/* --- Evaluation ------------------------------------------------------------------------------- */

/*
 * Creates an empty decision, which does not allow. The caller frees `*decision`, which is null
 * after a failure. A decision reuses its memory, and frees what exceeds about 8 MiB.
 */
DYNAMO_ADMISSION_API dynamo_admission_status
dynamo_admission_decision_create(dynamo_admission_decision** decision);

/* Frees it and every text that it has returned. Null is allowed. */
DYNAMO_ADMISSION_API void dynamo_admission_decision_free(dynamo_admission_decision* decision);

/*
 * Sets the object's defaults, then validates the result, as the two webhooks do for an API server.
 * `facts` may be null: all are unknown. Replaces the previous result of the decision, even on
 * failure. Does not keep the arguments, which may be texts returned by the decision.
 */
DYNAMO_ADMISSION_API dynamo_admission_status dynamo_admission_evaluate(
    const dynamo_admission_evaluator* evaluator, const dynamo_admission_request* request,
    const dynamo_admission_facts* facts, dynamo_admission_decision* decision);

/*
 * Answers a complete AdmissionReview exactly as dynamo-webhook does on that path:
 * dynamo_admission_decision_answer() and _http_status() return the response. Paths are
 * /validate-nvidia-com-v1alpha1-KIND and /mutate-nvidia-com-v1alpha1-KIND. An invalid review has a
 * response, too: one line for HTTP status 400. Otherwise like dynamo_admission_evaluate().
 */
DYNAMO_ADMISSION_API dynamo_admission_status
dynamo_admission_review(const dynamo_admission_evaluator* evaluator, dynamo_admission_text path,
                        dynamo_admission_text review, const dynamo_admission_facts* facts,
                        dynamo_admission_decision* decision);

/* --- Conversion ------------------------------------------------------------------------------- */

/*
 * Converts an object (JSON) to `api_version`, "nvidia.com/v1alpha1" or "nvidia.com/v1beta1", as
 * dynamo-webhook does at /convert: dynamo_admission_decision_converted() returns the result. Needs
 * no evaluator. Replaces the previous result of the decision, even on failure, and never allows.
 * Does not keep the arguments, which may be texts returned by the decision.
 */
DYNAMO_ADMISSION_API dynamo_admission_status
dynamo_admission_convert(dynamo_admission_text object, dynamo_admission_text api_version,
                         dynamo_admission_decision* decision);

/* --- Reading a decision ------------------------------------------------------------------------
 */

/*
 * Texts belong to the decision: they are valid until its next evaluation or until it is freed. A
 * null decision, and an index or part that does not exist, read as empty, 0 and "not allowed".
 */

/* The status of the last call on this decision, and its reason in one line ("" for OK). */
DYNAMO_ADMISSION_API dynamo_admission_status
dynamo_admission_decision_status(const dynamo_admission_decision* decision);
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_error(const dynamo_admission_decision* decision);

/* 1 or 0. For a review, as in the response: with enforcement audit always 1. */
DYNAMO_ADMISSION_API int32_t
dynamo_admission_decision_allowed(const dynamo_admission_decision* decision);

/*
 * Why the request was allowed without validation: "operation", "sub_resource", "terminating",
 * "other_namespace", "namespace_lease"; "none" if it was validated.
 */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_exemption(const dynamo_admission_decision* decision);

/* The complete denial in the API server's wording; "" if there are no errors. */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_message(const dynamo_admission_decision* decision);

/* The defaults as a JSON patch (RFC 6902); "" if there are none to set. */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_patch(const dynamo_admission_decision* decision);

/*
 * With the schema: the object as it would be stored, as JSON: unknown fields dropped, defaults set,
 * without metadata.managedFields. Otherwise "".
 */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_stored(const dynamo_admission_decision* decision);

/* After dynamo_admission_convert(): the converted object as JSON. Otherwise "". */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_converted(const dynamo_admission_decision* decision);

/* The parts of a cause or a warning. */
typedef int32_t dynamo_admission_part;
enum {
  DYNAMO_ADMISSION_FIELD = 0,   /* spec.services[Decode].replicas */
  DYNAMO_ADMISSION_REASON = 1,  /* FieldValueInvalid, as in a status cause; "" for a warning */
  DYNAMO_ADMISSION_MESSAGE = 2, /* complete, as in the response: type, detail and [rule] */
  DYNAMO_ADMISSION_DETAIL = 3,  /* what must hold; what was found; what to do */
  DYNAMO_ADMISSION_RULE = 4     /* stable; docs/rules.md explains it */
};

/* Reasons for the denial, in the API's field order; at most 100, further ones are only counted. */
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_cause_count(const dynamo_admission_decision* decision);
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_causes_omitted(const dynamo_admission_decision* decision);
DYNAMO_ADMISSION_API dynamo_admission_text dynamo_admission_decision_cause(
    const dynamo_admission_decision* decision, size_t index, dynamo_admission_part part);

/* Findings that do not deny, likewise. */
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_warning_count(const dynamo_admission_decision* decision);
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_warnings_omitted(const dynamo_admission_decision* decision);
DYNAMO_ADMISSION_API dynamo_admission_text dynamo_admission_decision_warning(
    const dynamo_admission_decision* decision, size_t index, dynamo_admission_part part);

/* The response of dynamo_admission_review(); "" and 0 after dynamo_admission_evaluate(). */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_answer(const dynamo_admission_decision* decision);
DYNAMO_ADMISSION_API int32_t
dynamo_admission_decision_http_status(const dynamo_admission_decision* decision);

#ifdef __cplusplus
}
#endif

#endif /* DYNAMO_ADMISSION_H_ */
