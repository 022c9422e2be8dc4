#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

// A graph whose only annotation is the origin version.
#define WITH_ORIGIN_VERSION(version)                                                        \
  "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: example, " \
  "annotations: {nvidia.com/dynamo-operator-origin-version: " version "}}, "                  \
  "spec: {services: {A: {}}}}"

const std::string kOriginVersion =
    "metadata.annotations[nvidia.com/dynamo-operator-origin-version]";

RuleTable origin_version() {
  return {"dgd.origin-version.semver", kGraphDeployment, {
      {.name = "absent", .spec = "{services: {A: {}}}"},
      {.name = "full", .object = WITH_ORIGIN_VERSION("'1.2.3'")},
      {.name = "lenient", .object = WITH_ORIGIN_VERSION("'v1.2'")},
      {.name = "unknown_build", .object = WITH_ORIGIN_VERSION("0.0.0-unknown")},
      {.name = "word", .errors = {{kInvalid, kOriginVersion}},
       .object = WITH_ORIGIN_VERSION("latest")},
      {.name = "empty", .errors = {{kInvalid, kOriginVersion}},
       .object = WITH_ORIGIN_VERSION("''")},
      {.name = "four_numbers", .errors = {{kInvalid, kOriginVersion}},
       .object = WITH_ORIGIN_VERSION("1.2.3.4")},
      {.name = "broken_before_and_after", .errors = {{kInvalid, kOriginVersion}},
       .object = WITH_ORIGIN_VERSION("latest"), .old_object = WITH_ORIGIN_VERSION("latest")},
      {.name = "null_is_a_type_error", .errors = {{kTypeInvalid, kOriginVersion, "type.mismatch"}},
       .object = WITH_ORIGIN_VERSION("null")},
  }};
}

RuleTable services_required() {
  return {"dgd.services.required", kGraphDeployment, {
      {.name = "one", .spec = "{services: {A: {}}}"},
      {.name = "absent", .spec = "{}", .errors = {{kRequired, "spec.services"}}},
      {.name = "null", .spec = "{services: null}", .errors = {{kRequired, "spec.services"}}},
      {.name = "empty", .spec = "{services: {}}", .errors = {{kRequired, "spec.services"}}},
      {.name = "no_spec",
       .errors = {{kRequired, "spec.services"}}, .object = "{metadata: {name: a}}"},
      {.name = "null_spec", .spec = "null", .errors = {{kRequired, "spec.services"}}},
      {.name = "list", .spec = "{services: []}",
       .errors = {{kTypeInvalid, "spec.services", "type.mismatch"}}},
      {.name = "emptied_by_an_update", .spec = "{services: {}}", .old_spec = "{services: {A: {}}}",
       .errors = {{kRequired, "spec.services"}}},
  }};
}

RuleTable pvc_name() {
  return {"dgd.pvc.name", kGraphDeployment, {
      {.name = "named", .spec = "{services: {A: {}}, pvcs: [{name: models}]}"},
      {.name = "no_claims", .spec = "{services: {A: {}}, pvcs: []}"},
      {.name = "absent", .spec = "{services: {A: {}}, pvcs: [{}]}",
       .errors = {{kRequired, "spec.pvcs[0].name"}}},
      {.name = "empty", .spec = "{services: {A: {}}, pvcs: [{name: a}, {name: ''}]}",
       .errors = {{kRequired, "spec.pvcs[1].name"}}},
      {.name = "each", .spec = "{services: {A: {}}, pvcs: [{}, {name: null}]}",
       .errors = {{kRequired, "spec.pvcs[0].name"}, {kRequired, "spec.pvcs[1].name"}}},
      {.name = "null_entry", .spec = "{services: {A: {}}, pvcs: [null, {}]}",
       .errors = {{kTypeInvalid, "spec.pvcs[0]", "type.mismatch"},
                  {kRequired, "spec.pvcs[1].name"}}},
  }};
}

#define CREATED_CLAIM(fields) \
  "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, " \
  "volumeAccessMode: ReadWriteOnce, size: 1Gi" fields "}]}"

RuleTable pvc_size() {
  return {"dgd.pvc.create.size", kGraphDeployment, {
      {.name = "set", .spec = CREATED_CLAIM("")},
      {.name = "not_created", .spec = "{services: {A: {}}, pvcs: [{name: a, create: false}]}"},
      {.name = "number",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m, size: 1}]}"},
      {.name = "absent",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m}]}",
       .errors = {{kRequired, "spec.pvcs[0].size"}}},
      {.name = "empty",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m, size: ''}]}",
       .errors = {{kRequired, "spec.pvcs[0].size"}}},
      {.name = "zero_text",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m, size: 0Gi}]}",
       .errors = {{kRequired, "spec.pvcs[0].size"}}},
      {.name = "zero_number",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m, size: 0}]}",
       .errors = {{kRequired, "spec.pvcs[0].size"}}},
      {.name = "smallest",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m, size: 1n}]}"},
      {.name = "no_quantity",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, storageClass: s, "
               "volumeAccessMode: m, size: 10GB}]}",
       .errors = {{kInvalid, "spec.pvcs[0].size", "type.mismatch"}}},
  }};
}

RuleTable pvc_storage_class() {
  return {"dgd.pvc.create.storage-class", kGraphDeployment, {
      {.name = "set", .spec = CREATED_CLAIM("")},
      {.name = "not_created", .spec = "{services: {A: {}}, pvcs: [{name: a}]}"},
      {.name = "absent",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, size: 1Gi, "
               "volumeAccessMode: m}]}",
       .errors = {{kRequired, "spec.pvcs[0].storageClass"}}},
      {.name = "empty",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, size: 1Gi, "
               "volumeAccessMode: m, storageClass: ''}]}",
       .errors = {{kRequired, "spec.pvcs[0].storageClass"}}},
  }};
}

RuleTable pvc_access_mode() {
  return {"dgd.pvc.create.access-mode", kGraphDeployment, {
      {.name = "set", .spec = CREATED_CLAIM("")},
      {.name = "not_created", .spec = "{services: {A: {}}, pvcs: [{name: a, create: null}]}"},
      {.name = "absent",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, size: 1Gi, storageClass: s}]}",
       .errors = {{kRequired, "spec.pvcs[0].volumeAccessMode"}}},
      {.name = "empty",
       .spec = "{services: {A: {}}, pvcs: [{name: a, create: true, size: 1Gi, storageClass: s, "
               "volumeAccessMode: ''}]}",
       .errors = {{kRequired, "spec.pvcs[0].volumeAccessMode"}}},
      {.name = "nothing_at_all", .spec = "{services: {A: {}}, pvcs: [{create: true}]}",
       .errors = {{kRequired, "spec.pvcs[0].name", "dgd.pvc.name"},
                  {kRequired, "spec.pvcs[0].size", "dgd.pvc.create.size"},
                  {kRequired, "spec.pvcs[0].storageClass", "dgd.pvc.create.storage-class"},
                  {kRequired, "spec.pvcs[0].volumeAccessMode"}}},
  }};
}

RuleTable restart_id() {
  return {"dgd.restart.id", kGraphDeployment, {
      {.name = "set", .spec = "{services: {A: {}}, restart: {id: first}}"},
      {.name = "no_restart", .spec = "{services: {A: {}}}"},
      {.name = "null_restart", .spec = "{services: {A: {}}, restart: null}"},
      {.name = "absent", .spec = "{services: {A: {}}, restart: {}}",
       .errors = {{kRequired, "spec.restart.id"}}},
      {.name = "empty", .spec = "{services: {A: {}}, restart: {id: ''}}",
       .errors = {{kRequired, "spec.restart.id"}}},
  }};
}

RuleTable restart_parallel_order() {
  return {"dgd.restart.parallel-order", kGraphDeployment, {
      {.name = "no_order",
       .spec = "{services: {A: {}}, restart: {id: x, strategy: {type: Parallel}}}"},
      {.name = "empty_order",
       .spec = "{services: {A: {}}, restart: {id: x, strategy: {type: Parallel, order: []}}}"},
      {.name = "sequential",
       .spec = "{services: {A: {}}, restart: {id: x, strategy: {type: Sequential, order: [A]}}}"},
      {.name = "order",
       .spec = "{services: {A: {}}, restart: {id: x, strategy: {type: Parallel, order: [A]}}}",
       .errors = {{kForbidden, "spec.restart.strategy.order"}}},
      {.name = "hides_the_other_rules_of_the_order",
       .spec = "{services: {A: {}, B: {}}, "
               "restart: {id: x, strategy: {type: Parallel, order: [Z, Z, W]}}}",
       .errors = {{kForbidden, "spec.restart.strategy.order"}}},
  }};
}

RuleTable restart_order_unique() {
  return {"dgd.restart.order.unique", kGraphDeployment, {
      {.name = "once", .spec = "{services: {A: {}, B: {}}, "
                               "restart: {id: x, strategy: {order: [B, A]}}}"},
      {.name = "twice", .spec = "{services: {A: {}, B: {}}, "
                                "restart: {id: x, strategy: {order: [A, B, A]}}}",
       .errors = {{kDuplicate, "spec.restart.strategy.order"}}},
      {.name = "three_times", .spec = "{services: {A: {}}, "
                                      "restart: {id: x, strategy: {order: [A, A, A]}}}",
       .errors = {{kDuplicate, "spec.restart.strategy.order"}}},
  }};
}

RuleTable restart_order_complete() {
  return {"dgd.restart.order.complete", kGraphDeployment, {
      {.name = "no_order", .spec = "{services: {A: {}, B: {}}, "
                                   "restart: {id: x, strategy: {type: Sequential}}}"},
      {.name = "empty_order", .spec = "{services: {A: {}, B: {}}, "
                                      "restart: {id: x, strategy: {order: []}}}"},
      {.name = "all", .spec = "{services: {A: {}, B: {}, C: {}}, "
                              "restart: {id: x, strategy: {order: [C, A, B]}}}"},
      {.name = "one_less", .spec = "{services: {A: {}, B: {}, C: {}}, "
                                   "restart: {id: x, strategy: {order: [C, A]}}}",
       .errors = {{kInvalid, "spec.restart.strategy.order"}}},
      {.name = "one_more", .spec = "{services: {A: {}}, "
                                   "restart: {id: x, strategy: {order: [A, B]}}}",
       .errors = {{kInvalid, "spec.restart.strategy.order"},
                  {kNotFound, "spec.restart.strategy.order[1]", "dgd.restart.order.known"}}},
      {.name = "repeated_names_count_once",
       .spec = "{services: {A: {}, B: {}}, restart: {id: x, strategy: {order: [A, A]}}}",
       .errors = {{kDuplicate, "spec.restart.strategy.order", "dgd.restart.order.unique"},
                  {kInvalid, "spec.restart.strategy.order"}}},
  }};
}

RuleTable restart_order_known() {
  return {"dgd.restart.order.known", kGraphDeployment, {
      {.name = "known", .spec = "{services: {A: {}}, restart: {id: x, strategy: {order: [A]}}}"},
      {.name = "unknown", .spec = "{services: {A: {}}, restart: {id: x, strategy: {order: [B]}}}",
       .errors = {{kNotFound, "spec.restart.strategy.order[0]"}}},
      {.name = "case_matters", .spec = "{services: {A: {}}, "
                                       "restart: {id: x, strategy: {order: [a]}}}",
       .errors = {{kNotFound, "spec.restart.strategy.order[0]"}}},
      {.name = "empty_name", .spec = "{services: {A: {}}, "
                                     "restart: {id: x, strategy: {order: ['']}}}",
       .errors = {{kNotFound, "spec.restart.strategy.order[0]"}}},
      {.name = "each", .spec = "{services: {A: {}, B: {}, C: {}}, "
                               "restart: {id: x, strategy: {order: [X, A, W]}}}",
       .errors = {{kNotFound, "spec.restart.strategy.order[0]"},
                  {kNotFound, "spec.restart.strategy.order[2]"}}},
      {.name = "a_null_service_is_still_a_name",
       .spec = "{services: {A: null}, restart: {id: x, strategy: {order: [A]}}}",
       .errors = {{kTypeInvalid, "spec.services[A]", "type.mismatch"}}},
  }};
}

}  // namespace

std::vector<RuleTable> graph_tables() {
  return {origin_version(),         services_required(),   pvc_name(),
          pvc_size(),               pvc_storage_class(),   pvc_access_mode(),
          restart_id(),             restart_parallel_order(), restart_order_unique(),
          restart_order_complete(), restart_order_known()};
}

// clang-format on

}  // namespace dynamo::test

#undef WITH_ORIGIN_VERSION
#undef CREATED_CLAIM
