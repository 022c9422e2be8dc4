// The values that the operator reads from a multinode service: the sizes of vLLM, the GPUs, the
// position of the engine on the command line.
#include <algorithm>
#include <array>
#include <optional>

#include "render/document/overlay.hpp"
#include "render/pod/mpi.hpp"
#include "validators/content/amount.hpp"
#include "validators/content/resource_name.hpp"
#include "validators/rendered/multinode/launch.hpp"
#include "validators/rendered/multinode/parallel_sizes.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::multinode {

using api::Context;

namespace {

using api::ErrorType;
using render::Container;
using render::Framework;
using render::Injection;
using render::ParallelSizes;

// Reports a flag whose value the operator reads as 1.
void check_form(const RenderedPod& pod, std::string_view name, const SizeFlag& written,
                std::int64_t read, Report& report) {
  if (!written.is_given() || (!written.is_computed() && written.size() == read)) return;
  std::string found = quoted(written.flag);
  if (written.is_computed()) {
    found += " with a variable";
  } else if (written.flag == name) {
    found += written.origin.field == "command" ? " in command" : " in another form";
  }
  add_at(report, ErrorType::kInvalid, pod, written.origin,
         "must be " + std::string(name) + " N in args, the number as the next word; found " +
             found + ", which the operator does not read, so every node starts alone");
}

// Whether the limit is set but the operator does not count it.
bool is_other_amount(json::Value gpus) {
  const std::optional<Amount> amount = amount_of(gpus);
  return amount && !amount->negative && !amount->is_zero();
}

const render::Resource* gpus_elsewhere(const Container& main) {
  const auto at = std::ranges::find_if(main.resources.items, [](const render::Resource& resource) {
    return is_gpu(resource.name) && is_other_amount(resource.limit);
  });
  return at == main.resources.items.end() ? nullptr : &*at;
}

std::string nodes_of(const RenderedPod& pod) {
  return std::to_string(pod.component->node_count);
}

void add_error_at(const RenderedPod& pod, const render::Origin& origin, std::string detail,
                  Report& report, std::source_location where = std::source_location::current()) {
  add_at(report, ErrorType::kInvalid, pod, origin, std::move(detail), where);
}

// vLLM whose command line the operator leaves unchanged, because the model fits on one node.
void check_fitting(const RenderedPod& pod, const WrittenSizes& sizes, std::int64_t gpus,
                   Report& report) {
  if (sizes.all() > gpus) return;  // the rule on the form of flags reports it
  add_error_at(pod, command_line(pod.pod->main()),
               "must need more than the " + std::to_string(gpus) +
                   " GPUs of one node; found sizes for " + std::to_string(sizes.all()) +
                   ", so each of " + nodes_of(pod) +
                   " nodes runs an engine of its own; raise the sizes, or use replicas",
               report);
}

// vLLM whose replicas the operator spreads over the nodes.
void check_spread(const RenderedPod& pod, const WrittenSizes& sizes, std::int64_t gpus,
                  Report& report) {
  const ParallelSizes read = render::parallel_sizes(pod.pod->main().args.items);
  if (read.data == 1) return;  // the operator chooses it
  const std::int64_t local = gpus / read.world();
  const std::int64_t fitting = product(local, pod.component->node_count);
  if (read.data == fitting) return;
  add_error_at(pod, sizes.data.origin,
               "must be " + std::to_string(fitting) + ", as many replicas as fit on " +
                   nodes_of(pod) + " nodes with " + std::to_string(local) +
                   " each, or they wait for each other; found " + std::to_string(read.data) +
                   "; correct it, or remove it, as the operator adds it",
               report);
}

void check_vllm(const RenderedPod& pod, Injection injection, Report& report) {
  const std::int64_t gpus = render::counted_gpus(*pod.component);
  if (gpus == 0) return;  // the rule on GPUs reports it
  const WrittenSizes sizes = written_sizes(pod.pod->main());
  if (sizes.incomplete || sizes.is_computed() || sizes.data_managed) return;
  if (injection == Injection::kNone) check_fitting(pod, sizes, gpus, report);
  if (injection == Injection::kDataParallel && sizes.data.is_given()) {
    check_spread(pod, sizes, gpus, report);
  }
}

void vllm_flag_form(const Context&, const RenderedPod& pod, Report& report) {
  if (!runs_on_several_nodes(pod) || pod.pod->backend.framework != Framework::kVllm) return;
  const Container& main = pod.pod->main();
  const std::int64_t gpus = render::counted_gpus(*pod.component);
  if (gpus == 0 || connects_nodes_itself(main)) return;
  const WrittenSizes sizes = written_sizes(main);
  if (sizes.data_managed || (!sizes.is_computed() && sizes.all() <= gpus)) return;
  const ParallelSizes read = render::parallel_sizes(main.args.items);
  check_form(pod, "--tensor-parallel-size", sizes.tensor, read.tensor, report);
  check_form(pod, "--pipeline-parallel-size", sizes.pipeline, read.pipeline, report);
  check_form(pod, "--data-parallel-size", sizes.data, read.data, report);
}

void gpu_location(const Context&, const RenderedPod& pod, Report& report) {
  if (!runs_on_several_nodes(pod)) return;
  const Framework engine = pod.pod->backend.framework;
  const Container& main = pod.pod->main();
  const bool mpi = engine == Framework::kTrtllm;
  if (!mpi && (engine != Framework::kVllm || connects_nodes_itself(main))) return;
  const std::int64_t counted =
      mpi ? render::mpi_ranks_per_node(*pod.component) : render::counted_gpus(*pod.component);
  if (counted > 0) return;
  const render::Resource* const found = gpus_elsewhere(main);
  if (found == nullptr) return;
  if (found->limit_origin.field == "resources.limits.gpu") {
    add_at(report, ErrorType::kInvalid, pod, found->limit_origin,
           "must be a whole number without a suffix, as the operator counts nothing else; found " +
               quoted(found->limit.string_or_empty()) + "; write the number out");
    return;
  }
  add_at(report, ErrorType::kInvalid, pod, found->limit_origin,
         std::string("must be a whole number in resources.limits.gpu of the service, where the "
                     "operator counts; found ") +
             quoted(found->name) +
             (mpi ? ": mpirun starts no rank; move it" : ": each node starts alone; move it"));
}

void no_injection(const Context&, const RenderedPod& pod, Report& report) {
  if (!runs_on_several_nodes(pod) || !render::is_worker_like(pod.component->type)) return;
  const render::Backend& backend = pod.pod->backend;
  const Container& main = pod.pod->main();
  if (backend.problem != render::BackendProblem::kNone || main.args.moved > 0) return;
  if (connects_nodes_itself(main)) return;
  const Injection injection = injection_of(pod);
  const bool flags = injection == Injection::kFlags || injection == Injection::kDataParallel;
  if (backend.framework == Framework::kNoop || (flags && !takes_flags(pod))) {
    const std::string_view engine = render::framework_name(backend.framework);
    return add_error_at(
        pod, command_line(main),
        "must run python -m dynamo." +
            std::string(backend.framework == Framework::kNoop ? "vllm, sglang or trtllm" : engine) +
            " in command or one item of args, where the operator adds what joins " + nodes_of(pod) +
            " nodes; found none; call it here",
        report);
  }
  if (backend.framework == Framework::kVllm) check_vllm(pod, injection, report);
}

}  // namespace

extern constexpr Rule kVllmFlagFormRule{
    .id = "multinode.vllm.flag-form",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &vllm_flag_form,
    .field = "M.command, M.args",
};

extern constexpr Rule kGpuLocationRule{
    .id = "multinode.gpu-location",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &gpu_location,
    .field = "P.resources.limits, M.resources.limits",
};

extern constexpr Rule kNoInjectionRule{
    .id = "multinode.no-injection",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &no_injection,
    .field = "M.command, M.args",
};

}  // namespace dynamo::validators::multinode
