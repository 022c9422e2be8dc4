/*
 * The verdict of dynamo-webhook inside of your own program: the same defaults, rules, causes and
 * warnings, without a server. For C and for everything that can call C.
 *
 *   evaluator  settings and policy. Made once, never changes: any number of threads may use it.
 *   decision   the memory of one verdict after the other. One thread at a time.
 *
 * Nothing here opens a file or a socket, reads the clock or the environment, starts a thread, keeps
 * a global, or lets an exception out. Texts come and go as pointer and length, in UTF-8; a zero byte
 * at the end is not needed. What is wrong with an argument is told by a status and one line of text.
 *
 * Names are only ever added. Fields are only ever added at the end of the structs that begin with
 * their own size.
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

/* What this header was written for; compare with dynamo_admission_abi_version(). */
#define DYNAMO_ADMISSION_ABI_VERSION 1u

/* Longest object, old object or review, in bytes, and how deep their JSON may nest. */
#define DYNAMO_ADMISSION_MAX_BYTES ((size_t)64 << 20)
#define DYNAMO_ADMISSION_MAX_DEPTH 128
/* Longest settings, policy, user, namespace, operation, sub-resource or path, in bytes. */
#define DYNAMO_ADMISSION_MAX_SETTINGS_BYTES ((size_t)1 << 20)
#define DYNAMO_ADMISSION_MAX_NAME_BYTES ((size_t)4096)

typedef struct dynamo_admission_evaluator dynamo_admission_evaluator;
typedef struct dynamo_admission_decision dynamo_admission_decision;

/*
 * `length` bytes from `data` on. As an argument: null data is the absence of the text. As an answer:
 * data is never null, and a zero byte follows that `length` does not count.
 */
typedef struct dynamo_admission_text {
  const char *data;
  size_t length;
} dynamo_admission_text;

/* What became of a call. Everything but OK leaves a decision that does not allow. */
typedef int32_t dynamo_admission_status;
enum {
  DYNAMO_ADMISSION_OK = 0,
  DYNAMO_ADMISSION_INVALID_ARGUMENT = 1, /* null where it must not be, or a value out of its set */
  DYNAMO_ADMISSION_TOO_LARGE = 2,        /* longer than the limits above */
  DYNAMO_ADMISSION_NOT_JSON = 3,         /* not JSON, not UTF-8, or nested too deep */
  DYNAMO_ADMISSION_UNKNOWN_KIND = 4,     /* no kind of nvidia.com/v1alpha1 that has rules */
  DYNAMO_ADMISSION_BAD_REVIEW = 5,       /* JSON, but no AdmissionReview of the path's kind */
  DYNAMO_ADMISSION_BAD_SETTINGS = 6,
  DYNAMO_ADMISSION_BAD_POLICY = 7,
  DYNAMO_ADMISSION_OUT_OF_MEMORY = 8,
  DYNAMO_ADMISSION_INTERNAL = 9 /* a defect of this library; please report it */
};

/* Where a failed call leaves its reason. The caller's own memory; nothing to free. */
typedef struct dynamo_admission_error {
  dynamo_admission_status status;
  char message[1020]; /* one line, ends with a zero byte, cut when longer */
} dynamo_admission_error;

/* Something about the cluster that may not be known. */
enum {
  DYNAMO_ADMISSION_FACT_UNKNOWN = 0,
  DYNAMO_ADMISSION_FACT_NO = 1,
  DYNAMO_ADMISSION_FACT_YES = 2
};
enum {
  DYNAMO_ADMISSION_GENERATION_UNKNOWN = 0,
  DYNAMO_ADMISSION_GENERATION_FIRST = 1, /* released with v1alpha1 alone, until spring 2026 */
  DYNAMO_ADMISSION_GENERATION_LATER = 2
};

/* What is known of the world. All zero (but the size) is: nothing. */
typedef struct dynamo_admission_facts {
  size_t struct_size;            /* sizeof(dynamo_admission_facts) */
  int64_t now;                   /* seconds since 1970, UTC; 0: not known, no exemption applies */
  int32_t inference_pool_served; /* is inference.networking.k8s.io served? */
  int32_t grove_served;          /* grove.io */
  int32_t leader_worker_set_served; /* with scheduling.volcano.sh, which it needs here */
  int32_t kai_scheduler_served;     /* scheduling.run.ai */
  int32_t kubernetes_discovery;     /* without etcd, when a graph says nothing? */
  int32_t operator_generation;      /* DYNAMO_ADMISSION_GENERATION_* */
  int32_t kubernetes_minor;         /* 35 of v1.35; 0: not known */
  int32_t reserved;                 /* must be 0; a later fact */
} dynamo_admission_facts;

/*
 * Whether the schema is obeyed. An API server drops the fields that it does not know and takes the
 * last of duplicate ones, with a warning; it refuses both when it is asked for strict field
 * validation, as kubectl asks. Of operators of the generation LATER unknown fields only warn.
 */
enum {
  DYNAMO_ADMISSION_SCHEMA_NONE = 0,
  DYNAMO_ADMISSION_SCHEMA = 1,       /* unknown and duplicate fields warn */
  DYNAMO_ADMISSION_SCHEMA_STRICT = 2 /* they deny */
};

/* One object to judge, as an API server would ask. All zero but the size is a valid start. */
typedef struct dynamo_admission_request {
  size_t struct_size;               /* sizeof(dynamo_admission_request) */
  dynamo_admission_text operation;  /* CREATE, UPDATE, DELETE or CONNECT */
  dynamo_admission_text object;     /* JSON; absent on DELETE */
  dynamo_admission_text old_object; /* JSON, as it is stored; absent on CREATE */
  dynamo_admission_text user;       /* who asks; absent: not known */
  dynamo_admission_text namespace_name; /* absent: what metadata.namespace says */
  dynamo_admission_text name;           /* absent: what metadata.name says */
  dynamo_admission_text sub_resource;   /* absent: the object itself */
  int32_t dry_run;
  /* A DYNAMO_ADMISSION_SCHEMA constant. Not NONE: obey the schema of the custom resource first, as
     an API server does before it asks a webhook, and set its defaults. For objects that no API
     server has seen. CREATE and UPDATE of the object itself; the patch is then empty and
     dynamo_admission_decision_stored() says it all. */
  int32_t with_schema;
} dynamo_admission_request;

/* --- The library ------------------------------------------------------------------------------ */

/* DYNAMO_ADMISSION_ABI_VERSION of the library that is loaded. */
DYNAMO_ADMISSION_API uint32_t dynamo_admission_abi_version(void);

/* Such as "0.1.0"; static, nothing to free. */
DYNAMO_ADMISSION_API const char *dynamo_admission_version(void);

/* "not JSON" for DYNAMO_ADMISSION_NOT_JSON; "unknown status" for what is none. Static. */
DYNAMO_ADMISSION_API const char *dynamo_admission_status_name(dynamo_admission_status status);

/* --- Evaluators ------------------------------------------------------------------------------- */

/*
 * Makes an evaluator. `settings` is YAML or JSON with any of
 *
 *   operator-version: 1.2.3                     recorded on new graph deployments
 *   operator-service-account: dynamo/operator   narrows who may scale
 *   restricted-namespace: team-a                only this namespace is judged
 *   enforcement: deny                           or audit; only dynamo_admission_review() obeys it
 *
 * which mean what dynamo-webhook's flags of these names mean; `policy` is a policy file's text.
 * Either may be absent. `*evaluator` is the caller's to free, and null after a failure. `error` may
 * be null.
 */
DYNAMO_ADMISSION_API dynamo_admission_status dynamo_admission_evaluator_create(
    dynamo_admission_text settings, dynamo_admission_text policy,
    dynamo_admission_evaluator **evaluator, dynamo_admission_error *error);

/* Frees it; decisions made with it stay valid. No call may be using it. Null is fine. */
DYNAMO_ADMISSION_API void dynamo_admission_evaluator_free(dynamo_admission_evaluator *evaluator);

/* --- Judging ---------------------------------------------------------------------------------- */

/*
 * Makes an empty decision, which does not allow. `*decision` is the caller's to free, and null
 * after a failure. Used for many verdicts it keeps its memory; above some 8 MiB it gives back.
 */
DYNAMO_ADMISSION_API dynamo_admission_status
dynamo_admission_decision_create(dynamo_admission_decision **decision);

/* Frees it and every text that it has answered. Null is fine. */
DYNAMO_ADMISSION_API void dynamo_admission_decision_free(dynamo_admission_decision *decision);

/*
 * Sets the object's defaults, then judges what comes out, as an API server would let the two
 * webhooks do. `facts` may be null: nothing is known. What the decision said before is gone, also
 * after a failure; the arguments are not kept. They may be texts that the decision has answered.
 */
DYNAMO_ADMISSION_API dynamo_admission_status dynamo_admission_evaluate(
    const dynamo_admission_evaluator *evaluator, const dynamo_admission_request *request,
    const dynamo_admission_facts *facts, dynamo_admission_decision *decision);

/*
 * Answers a whole AdmissionReview as dynamo-webhook answers it on that path, byte by byte:
 * dynamo_admission_decision_answer() and _http_status() say what to send. Paths are
 * /validate-nvidia-com-v1alpha1-KIND and /mutate-nvidia-com-v1alpha1-KIND. A review that is bad has
 * an answer, too: one line for HTTP status 400. Otherwise as dynamo_admission_evaluate().
 */
DYNAMO_ADMISSION_API dynamo_admission_status dynamo_admission_review(
    const dynamo_admission_evaluator *evaluator, dynamo_admission_text path,
    dynamo_admission_text review, const dynamo_admission_facts *facts,
    dynamo_admission_decision *decision);

/* --- Reading a decision ------------------------------------------------------------------------ */

/*
 * Texts belong to the decision: they are valid until it judges again or is freed. A null decision
 * and an index or a part that does not exist read as empty, 0 and "not allowed".
 */

/* What the last call on this decision returned, and its reason in one line ("" for OK). */
DYNAMO_ADMISSION_API dynamo_admission_status
dynamo_admission_decision_status(const dynamo_admission_decision *decision);
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_error(const dynamo_admission_decision *decision);

/* 1 or 0. Of a review this is what is answered: with enforcement audit always 1. */
DYNAMO_ADMISSION_API int32_t
dynamo_admission_decision_allowed(const dynamo_admission_decision *decision);

/*
 * Why the request was allowed unjudged: "operation", "sub_resource", "terminating",
 * "other_namespace", "namespace_lease"; "none" when it was judged.
 */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_exemption(const dynamo_admission_decision *decision);

/* The denial in one text, as an API server words it; "" when nothing is wrong. */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_message(const dynamo_admission_decision *decision);

/* The defaults as a JSON patch (RFC 6902); "" when there is nothing to set. */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_patch(const dynamo_admission_decision *decision);

/*
 * With the schema: the object as JSON as it would be stored, unknown fields dropped, defaults set,
 * without metadata.managedFields; otherwise "".
 */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_stored(const dynamo_admission_decision *decision);

/* What a cause or a warning consists of. */
typedef int32_t dynamo_admission_part;
enum {
  DYNAMO_ADMISSION_FIELD = 0,   /* spec.services[Decode].replicas */
  DYNAMO_ADMISSION_REASON = 1,  /* FieldValueInvalid, as in a status cause; "" of a warning */
  DYNAMO_ADMISSION_MESSAGE = 2, /* all in one, as it is answered: type, detail and [rule] */
  DYNAMO_ADMISSION_DETAIL = 3,  /* what must hold; what was found; what to do */
  DYNAMO_ADMISSION_RULE = 4     /* stable; docs/rules.md explains it */
};

/* What denies, in the order of the API's fields; at most 100, the rest is only counted. */
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_cause_count(const dynamo_admission_decision *decision);
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_causes_omitted(const dynamo_admission_decision *decision);
DYNAMO_ADMISSION_API dynamo_admission_text dynamo_admission_decision_cause(
    const dynamo_admission_decision *decision, size_t index, dynamo_admission_part part);

/* What is only told, likewise. */
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_warning_count(const dynamo_admission_decision *decision);
DYNAMO_ADMISSION_API size_t
dynamo_admission_decision_warnings_omitted(const dynamo_admission_decision *decision);
DYNAMO_ADMISSION_API dynamo_admission_text dynamo_admission_decision_warning(
    const dynamo_admission_decision *decision, size_t index, dynamo_admission_part part);

/* What dynamo_admission_review() answers; "" and 0 after dynamo_admission_evaluate(). */
DYNAMO_ADMISSION_API dynamo_admission_text
dynamo_admission_decision_answer(const dynamo_admission_decision *decision);
DYNAMO_ADMISSION_API int32_t
dynamo_admission_decision_http_status(const dynamo_admission_decision *decision);

#ifdef __cplusplus
}
#endif

#endif /* DYNAMO_ADMISSION_H_ */
