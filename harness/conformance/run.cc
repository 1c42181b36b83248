#include "harness/conformance/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>

#include "harness/conformance/instance_run.h"
#include "harness/conformance/instruction_check.h"
#include "harness/conformance/locate.h"
#include "harness/conformance/plan.h"
#include "harness/conformance/property_run.h"
#include "harness/conformance/reduce_failures.h"
#include "harness/kernels/kernel.h"
#include "harness/system/parallel.h"

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

  // The first cases of every instance, then the first trial of each property.
  void run_first(std::uint64_t cases) {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      runs_.push_back(std::make_unique<InstanceRun>(options_, instances_[i], kernels_[i]));
      runs_.back()->run_to(cases);
    }
    properties_.resize(instances_.size());
    for (InstanceResult& r : properties_) r.verdict = reports::Verdict::kPass;
    if (options_.properties.properties.empty()) return;
    property_run_ = std::make_unique<PropertyRun>(options_, instances_, kernels_);
    first_trials_done_ = property_run_->run(properties_, 0, 1);
  }

  void run_other_trials() {
    if (property_run_) static_cast<void>(property_run_->run(properties_, 1, options_.properties.trials));
  }
  void run_rest(std::size_t i) { runs_[i]->run_to(options_.cases_per_instance); }

  // `first`: as run_first() had it, the cases without which an instance counts as not run.
  InstanceResult result(std::size_t i, std::uint64_t first) {
    InstanceResult result = runs_[i]->result();
    const InstanceResult& of_properties = properties_[i];
    result.verdict = reports::worse(result.verdict, of_properties.verdict);
    result.untouched = runs_[i]->reached() < first || !first_trials_done_;
    if (result.untouched) result.verdict = reports::worse(result.verdict, reports::Verdict::kNotRun);
    result.counts += of_properties.counts;
    result.findings.insert(result.findings.end(), of_properties.findings.begin(), of_properties.findings.end());
    result.properties = of_properties.properties;
    result.open.insert(result.open.end(), of_properties.open.begin(), of_properties.open.end());
    return result;
  }

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
  std::vector<std::unique_ptr<InstanceRun>> runs_;     // by instance, as are these
  std::vector<InstanceResult> properties_;
  std::unique_ptr<PropertyRun> property_run_;
  bool first_trials_done_ = true;
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

reports::UnitReport unit_of(const RunOptions& options, const Instance& instance) {
  reports::UnitReport unit;
  unit.number = number_of(instance);
  unit.group = instance.builtin->name;
  unit.id = catalogue::instance_id(instance);
  unit.smoke = is_smoke(instance);
  unit.untouched = true;
  unit.counts.left = options.cases_per_instance * options.compilers.size() * options.levels.size();
  return unit;
}

reports::UnitResult unit_result(const RunOptions& options, const Instance& instance, InstanceResult result) {
  reports::UnitResult unit{unit_of(options, instance), std::move(result.findings), std::move(result.digests)};
  unit.unit.verdict = result.verdict;
  unit.unit.untouched = result.untouched;
  unit.unit.counts = result.counts;
  unit.unit.properties = std::move(result.properties);
  unit.unit.open = std::move(result.open);
  for (reports::Finding& f : unit.findings) f.unit = unit.unit.number;
  return unit;
}

// All batches of a run, and what their instances came to.
class AllBatches {
 public:
  AllBatches(const RunOptions& options, std::vector<Tally>& tallies) : options_(options), tallies_(tallies) {
    results_.resize(options.instances.size());
    for (std::size_t i = 0; i < options.instances.size(); ++i) {
      const Instance& instance = options.instances[i];
      const auto before = options.done.find(catalogue::instance_id(instance));
      if (before != options.done.end()) {
        results_[i] = before->second;
        ++done_;
      } else {
        results_[i].unit = unit_of(options, instance);
        instances_.push_back(instance);
        places_.push_back(i);
      }
    }
  }

  std::vector<reports::UnitResult> run() {
    const std::vector<Batch> batches = batches_of(instances_);
    const std::uint64_t first = std::min(options_.cases_per_instance, cases_per_instance(Tier::kQuick));
    const bool two_rounds = first < options_.cases_per_instance || options_.properties.trials > 1;
    std::vector<std::unique_ptr<BatchRun>> runs(batches.size());
    system::in_parallel(options_.jobs, batches.size(), [&](std::size_t b) {
      if (stopped()) return;
      const Batch& batch = batches[b];
      auto run =
          std::make_unique<BatchRun>(options_, std::span(instances_).subspan(batch.first, batch.count), tallies_);
      run->run_first(first);
      for (std::size_t i = 0; i < batch.count; ++i) keep(batch.first + i, run->result(i, first), !two_rounds);
      if (two_rounds) runs[b] = std::move(run);
    });
    if (!two_rounds) return std::move(results_);
    system::in_parallel(options_.jobs, batches.size(), [&](std::size_t b) {
      if (runs[b]) runs[b]->run_other_trials();
    });
    std::vector<std::pair<std::size_t, std::size_t>> rest;  // batch, and instance in it
    for (std::size_t b = 0; b < batches.size(); ++b) {
      for (std::size_t i = 0; runs[b] && i < batches[b].count; ++i) rest.emplace_back(b, i);
    }
    system::in_parallel(options_.jobs, rest.size(), [&](std::size_t n) {
      const auto [b, i] = rest[n];
      if (stopped()) return;
      runs[b]->run_rest(i);
      keep(batches[b].first + i, runs[b]->result(i, first), true);
    });
    return std::move(results_);
  }

 private:
  bool stopped() const { return options_.stop && !options_.stop().empty(); }

  void keep(std::size_t i, InstanceResult result, bool last) {
    const bool complete =
        last && result.counts.left == 0 && result.verdict != reports::Verdict::kNotRun && !lost_device(result.findings);
    results_[places_[i]] = unit_result(options_, instances_[i], std::move(result));
    if (options_.record) options_.record(results_[places_[i]], complete);
    if (!last) return;
    const std::size_t now = ++done_;
    if (options_.progress) options_.progress(now, results_.size());
  }

  const RunOptions& options_;
  std::vector<Tally>& tallies_;
  std::vector<reports::UnitResult> results_;  // by place in RunOptions::instances
  std::vector<Instance> instances_;           // those that are not done yet
  std::vector<std::size_t> places_;           // of each
  std::atomic<std::size_t> done_{0};
};

}  // namespace

reports::RunReport planned(const RunOptions& options) {
  reports::RunReport report;
  report.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  for (const compilers::Compiler& compiler : options.compilers) {
    const compilers::Identity& id = compiler.identity();
    reports::CompilerReport entry;
    entry.path = id.path.string();
    entry.resolved = id.resolved.string();
    entry.version = id.version;
    entry.hash = id.hash;
    entry.flags = compilers::base_flags(report.arch, "O*");
    entry.flags.insert(entry.flags.end(), options.extra_flags.begin(), options.extra_flags.end());
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
  for (const operands::OperandClass cls : options.operand_classes)
    report.operand_classes.emplace_back(operands::name_of(cls));
  report.cases_per_instance = options.cases_per_instance;
  report.repeats = options.repeats;
  report.broadcast_reading = options.reading == oracles::BroadcastReading::kPerSet ? "per-set" : "whole-wave";
  for (const Instance& instance : options.instances) report.units.push_back(unit_of(options, instance));
  summarize(report);
  std::map<std::string_view, reports::BuiltinReport*> rows;
  for (reports::BuiltinReport& row : report.builtins) rows[row.builtin] = &row;
  for (const Instance& instance : options.instances) {
    reports::BuiltinReport& row = *rows.at(instance.builtin->name);
    const oracles::ProfileRule& rule = *rule_of(options.profile, instance);
    row.add_rule(rule.status == oracles::RuleStatus::kConfirmed ? "confirmed" : "candidate", rule.source);
    if (!options.properties.properties.empty() && !properties_speak_of(options, instance)) row.unlawful = true;
  }
  return report;
}

reports::RunReport run(const RunOptions& options) {
  require_applicable_classes(options);
  const auto begin = std::chrono::steady_clock::now();
  reports::RunReport report = planned(options);
  std::vector<Tally> tallies(options.compilers.size());
  std::vector<reports::UnitResult> results = AllBatches(options, tallies).run();
  report.units.clear();
  for (reports::UnitResult& result : results) {
    report.units.push_back(std::move(result.unit));
    std::move(result.findings.begin(), result.findings.end(), std::back_inserter(report.findings));
    std::move(result.digests.begin(), result.digests.end(), std::back_inserter(report.digests));
  }
  summarize(report);
  const bool left = report.totals().left != 0 || report.instances_with(reports::Verdict::kNotRun) != 0;
  if (left && options.stop) report.stopped = options.stop();
  if (options.reduce && report.stopped.empty()) reduce_failures(options, report.findings);
  if (options.locate && report.stopped.empty()) locate_failures(options, report.findings);
  for (std::size_t c = 0; c < tallies.size(); ++c) {
    report.compilers[c].kernels_compiled = tallies[c].compiled;
    report.compilers[c].kernels_from_cache = tallies[c].from_cache;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace mfma::conformance
