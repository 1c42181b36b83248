#include "harness/conformance/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "harness/conformance/instance_run.h"
#include "harness/conformance/instruction_check.h"
#include "harness/conformance/locate.h"
#include "harness/conformance/plan.h"
#include "harness/conformance/property_run.h"
#include "harness/conformance/reduce_failures.h"
#include "harness/kernels/kernel.h"

namespace mfma::conformance {
namespace {

using catalogue::Instance;

// Kernels to a translation unit: enough to spread the compiler's start over many, few enough to keep the cores busy.
constexpr std::size_t kBatchSize = 64;

// Consecutive instances of one builtin.
struct Batch {
  std::size_t first = 0, count = 0;
  std::uint64_t cost = 0;  // products of one case of all
};

std::vector<Batch> batches_of(const std::vector<Instance>& instances) {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const catalogue::Shape& s = instances[i].builtin->shape;
    const bool joins = !batches.empty() && batches.back().count < kBatchSize &&
                       instances[batches.back().first].builtin == instances[i].builtin;
    if (!joins) batches.push_back({i, 0, 0});
    batches.back().count += 1;
    batches.back().cost += static_cast<std::uint64_t>(s.m) * static_cast<std::uint64_t>(s.n) *
                           static_cast<std::uint64_t>(s.k) * static_cast<std::uint64_t>(s.blocks);
  }
  // Dearest first, so that no long batch is left for one core at the end.
  std::sort(batches.begin(), batches.end(),
            [](const Batch& x, const Batch& y) { return x.cost != y.cost ? x.cost > y.cost : x.first < y.first; });
  return batches;
}

struct Tally {
  std::atomic<std::uint64_t> compiled{0}, from_cache{0};
};

// One object on the device and its check, shared by the instances of a batch.
struct LoadedObject {
  std::unique_ptr<devices::Module> module;
  std::string refused;
};

class BatchRun {
 public:
  BatchRun(const RunOptions& options, std::span<const Instance> instances, std::vector<Tally>& tallies)
      : options_(options), instances_(instances) {
    for (std::size_t c = 0; c < options.compilers.size(); ++c) {
      for (const std::string& level : options.levels) add_kernels(options.compilers[c], level, tallies[c]);
    }
  }

  void run_properties(std::span<InstanceResult> results) const {
    if (!options_.properties.properties.empty()) PropertyRun(options_, instances_, kernels_).run(results);
  }

  InstanceResult run(std::size_t i) const { return run_instance(options_, instances_[i], kernels_[i]); }

 private:
  void add_kernels(const compilers::Compiler& compiler, const std::string& level, Tally& tally) {
    auto built = std::make_unique<std::vector<kernels::Built>>(
        kernels::build(compiler, instances_, level, options_.extra_flags));
    kernels_.resize(instances_.size());
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const compilers::Compiled& compiled = (*built)[i].compiled;
      (compiled.from_cache ? tally.from_cache : tally.compiled) += 1;
      KernelUnderTest kernel;
      kernel.compiler = &compiler;
      kernel.level = level;
      kernel.compiled = &compiled;
      kernel.unexplained = (*built)[i].unexplained.get();
      if (compiled.outcome == compilers::Outcome::kOk) {
        const LoadedObject& loaded = load(*compiled.object);
        kernel.module = loaded.module.get();
        kernel.refused = loaded.refused;
        if (kernel.module) kernel.wrong_instruction = check(*compiled.object, instances_[i]);
      }
      kernels_[i].push_back(std::move(kernel));
    }
    built_.push_back(std::move(built));
  }

  const LoadedObject& load(const std::vector<std::byte>& object) {
    const auto [at, is_new] = objects_.try_emplace(object.data());
    if (is_new) {
      auto module = options_.device->load(object);
      if (module) {
        at->second.module = *std::move(module);
      } else {
        at->second.refused = fmt::format("the device refused the code object: {}", module.error());
      }
    }
    return at->second;
  }

  std::string check(const std::vector<std::byte>& object, const Instance& instance) {
    const auto [at, is_new] = checks_.try_emplace(object.data(), nullptr);
    if (is_new) at->second = std::make_unique<InstructionCheck>(object);
    int opcode = instance.builtin->opcode;
    if (options_.alterations.opcode) options_.alterations.opcode(instance, opcode);
    return at->second->check(kernels::kernel_name(instance), instance, opcode);
  }

  const RunOptions& options_;
  std::span<const Instance> instances_;
  std::vector<std::unique_ptr<std::vector<kernels::Built>>> built_;
  std::map<const std::byte*, LoadedObject> objects_;
  std::map<const std::byte*, std::unique_ptr<InstructionCheck>> checks_;
  std::vector<std::vector<KernelUnderTest>> kernels_;  // by instance, then compiler and level
};

void require_applicable_classes(const RunOptions& options) {
  const std::vector<operands::OperandClass>& asked = options.operand_classes;
  for (const Instance& i : options.instances) {
    if (asked.empty() || std::any_of(asked.begin(), asked.end(), [&](auto cls) { return operands::applies(i, cls); })) {
      continue;
    }
    throw std::invalid_argument("none of the operand classes applies to " + catalogue::instance_id(i));
  }
}

void add_result(InstanceResult& result, reports::BuiltinReport& report, std::vector<reports::Finding>& findings,
                std::vector<reports::OpenPoint>& open) {
  report.instances += 1;
  switch (result.verdict) {
    case reports::Verdict::kPass:
      report.passed += 1;
      break;
    case reports::Verdict::kFail:
      report.failed += 1;
      break;
    case reports::Verdict::kInconclusive:
      report.inconclusive += 1;
      break;
    case reports::Verdict::kHang:
      report.hung += 1;
      break;
  }
  report.counts += result.counts;
  std::move(result.findings.begin(), result.findings.end(), std::back_inserter(findings));
  std::move(result.open.begin(), result.open.end(), std::back_inserter(open));
}

// "candidate", or "candidate+confirmed" where the instances fall under rules of both kinds.
void add_rule(const oracles::ProfileRule& rule, reports::BuiltinReport& report) {
  const std::string status = rule.status == oracles::RuleStatus::kConfirmed ? "confirmed" : "candidate";
  const auto add = [](std::string& text, const std::string& more, const char* glue) {
    if (text.find(more) == std::string::npos) text += (text.empty() ? "" : glue) + more;
  };
  add(report.rule_status, status, "+");
  add(report.rule_source, rule.source, "; ");
}

// One entry for each builtin, property and reading, in the order of their first.
void merge_open(std::vector<reports::OpenPoint>& open) {
  std::vector<reports::OpenPoint> merged;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (reports::OpenPoint& point : open) {
    const auto [at, first] = places.try_emplace({point.builtin, point.property, point.reading}, merged.size());
    if (first) {
      merged.push_back(std::move(point));
    } else {
      merged[at->second].checks += point.checks;
    }
  }
  open = std::move(merged);
}

}  // namespace

reports::RunReport run(const RunOptions& options) {
  require_applicable_classes(options);
  const auto begin = std::chrono::steady_clock::now();
  reports::RunReport report;
  report.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));

  const std::vector<Batch> batches = batches_of(options.instances);
  std::vector<InstanceResult> results(options.instances.size());
  std::vector<Tally> tallies(options.compilers.size());
  std::atomic<std::size_t> done{0};
  const auto threads = options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                                        : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, batches.size(), 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t b = range.begin(); b < range.end(); ++b) {
          const Batch& batch = batches[b];
          const std::span instances(options.instances.data() + batch.first, batch.count);
          const BatchRun batch_run(options, instances, tallies);
          for (std::size_t i = 0; i < batch.count; ++i) {
            results[batch.first + i] = batch_run.run(i);
          }
          batch_run.run_properties(std::span(results).subspan(batch.first, batch.count));
          for (std::size_t i = 0; i < batch.count; ++i) {
            const std::size_t now = ++done;
            if (options.progress) options.progress(now, options.instances.size());
          }
        }
      },
      tbb::simple_partitioner());

  for (std::size_t i = 0; i < options.instances.size(); ++i) {
    const Instance& instance = options.instances[i];
    if (report.builtins.empty() || report.builtins.back().builtin != instance.builtin->name) {
      report.builtins.emplace_back().builtin = instance.builtin->name;
    }
    add_rule(*rule_of(options.profile, instance), report.builtins.back());
    if (!options.properties.properties.empty() && !properties_speak_of(options, instance)) {
      report.builtins.back().unlawful = true;
    }
    add_result(results[i], report.builtins.back(), report.findings, report.open);
    std::move(results[i].digests.begin(), results[i].digests.end(), std::back_inserter(report.digests));
  }
  merge_open(report.open);
  if (options.reduce) reduce_failures(options, report.findings);
  if (options.locate) locate_failures(options, report.findings);
  for (std::size_t c = 0; c < options.compilers.size(); ++c) {
    const compilers::Identity& id = options.compilers[c].identity();
    reports::CompilerReport entry;
    entry.path = id.path.string();
    entry.resolved = id.resolved.string();
    entry.version = id.version;
    entry.hash = id.hash;
    entry.flags = compilers::base_flags(report.arch, "O*");
    entry.flags.insert(entry.flags.end(), options.extra_flags.begin(), options.extra_flags.end());
    entry.kernels_compiled = tallies[c].compiled;
    entry.kernels_from_cache = tallies[c].from_cache;
    report.compilers.push_back(std::move(entry));
  }
  const devices::DeviceInfo& device = options.device->info();
  report.device_id = device.id;
  report.device_kind = device.kind;
  report.device_description = device.description;
  report.device_emulated = device.is_emulated;
  report.device_facts = device.facts;
  report.levels = options.levels;
  report.seed = options.seed;
  for (const properties::Property* property : options.properties.properties) {
    report.properties.emplace_back(property->name);
  }
  report.cases_per_instance = options.cases_per_instance;
  report.repeats = options.repeats;
  report.broadcast_reading = options.reading == oracles::BroadcastReading::kPerSet ? "per-set" : "whole-wave";
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace mfma::conformance
