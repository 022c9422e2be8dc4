/* check OBJECT.json [POLICY.yaml]: prints the webhook's verdict on creating the object. */
#include <dynamo_admission.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Returns memory that the caller frees, or null data. */
static dynamo_admission_text read_file(const char *path) {
  dynamo_admission_text text = {NULL, 0};
  FILE *file = fopen(path, "rb");
  long size;
  char *bytes;
  if (file == NULL) return text;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0 &&
      (bytes = malloc((size_t)size + 1)) != NULL) {
    if (fread(bytes, 1, (size_t)size, file) == (size_t)size) {
      text.data = bytes;
      text.length = (size_t)size;
    } else {
      free(bytes);
    }
  }
  fclose(file);
  return text;
}

static dynamo_admission_text literal(const char *text, size_t length) {
  dynamo_admission_text out;
  out.data = text;
  out.length = length;
  return out;
}
#define LITERAL(text) literal(text, sizeof(text) - 1)

/* Returned texts end with a zero byte. */
static const char *cause(const dynamo_admission_decision *decision, size_t index,
                         dynamo_admission_part part) {
  return dynamo_admission_decision_cause(decision, index, part).data;
}

static int print_verdict(const dynamo_admission_decision *decision) {
  const int allowed = dynamo_admission_decision_allowed(decision);
  const dynamo_admission_text patch = dynamo_admission_decision_patch(decision);
  size_t i;
  puts(allowed ? "allowed" : "denied");
  for (i = 0; i < dynamo_admission_decision_cause_count(decision); ++i) {
    printf("cause %s: %s\n", cause(decision, i, DYNAMO_ADMISSION_FIELD),
           cause(decision, i, DYNAMO_ADMISSION_MESSAGE));
  }
  for (i = 0; i < dynamo_admission_decision_warning_count(decision); ++i) {
    printf("warning %s\n",
           dynamo_admission_decision_warning(decision, i, DYNAMO_ADMISSION_MESSAGE).data);
  }
  if (patch.length > 0) printf("patch %s\n", patch.data);
  return allowed ? 0 : 1;
}

static int check(const dynamo_admission_evaluator *evaluator, dynamo_admission_text object) {
  dynamo_admission_request request = {0};
  dynamo_admission_facts facts = {0};
  dynamo_admission_decision *decision = NULL;
  dynamo_admission_status status = dynamo_admission_decision_create(&decision);
  int exit_status = 2;
  request.struct_size = sizeof request;
  request.operation = LITERAL("CREATE");
  request.object = object;
  request.user = LITERAL("jane");
  facts.struct_size = sizeof facts;
  facts.now = (int64_t)time(NULL);
  if (status == DYNAMO_ADMISSION_OK) {
    status = dynamo_admission_evaluate(evaluator, &request, &facts, decision);
  }
  if (status == DYNAMO_ADMISSION_OK) {
    exit_status = print_verdict(decision);
  } else {
    fprintf(stderr, "%s: %s\n", dynamo_admission_status_name(status),
            dynamo_admission_decision_error(decision).data);
  }
  dynamo_admission_decision_free(decision);
  return exit_status;
}

int main(int argc, char **argv) {
  dynamo_admission_text object = {NULL, 0};
  dynamo_admission_text policy = {NULL, 0};
  dynamo_admission_evaluator *evaluator = NULL;
  dynamo_admission_error error;
  int exit_status = 2;
  if (argc != 2 && argc != 3) {
    fputs("usage: check OBJECT.json [POLICY.yaml]\n", stderr);
    return 2;
  }
  object = read_file(argv[1]);
  if (argc == 3) policy = read_file(argv[2]);
  if (object.data == NULL || (argc == 3 && policy.data == NULL)) {
    fputs("cannot read the files\n", stderr);
  } else if (dynamo_admission_evaluator_create(LITERAL("operator-version: 1.2.3"), policy,
                                               &evaluator, &error) != DYNAMO_ADMISSION_OK) {
    fprintf(stderr, "%s: %s\n", dynamo_admission_status_name(error.status), error.message);
  } else {
    exit_status = check(evaluator, object);
  }
  dynamo_admission_evaluator_free(evaluator);
  free((void *)object.data);
  free((void *)policy.data);
  return exit_status;
}
