#include "harness/conformance/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>

#include "harness/conformance/calls/instance_run.h"
#include "harness/conformance/calls/property_run.h"
#include "harness/conformance/followup/locate.h"
#include "harness/conformance/followup/reduce_failures.h"
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

class BatchRun {
 public:
  BatchRun(const RunDescription& run, std::span<const Instance> instances, std::vector<Tally>& tallies)
      : run_(run), instances_(instances), executor_(run.subject), kernels_(instances.size()) {
    std::vector<kernels::Piece> pieces;
    for (const Instance& instance : instances) pieces.push_back(kernels::piece_of(instance));
    for (std::size_t c = 0; c < run.subject.compilers.size(); ++c) {
      for (const std::string& level : run.subject.levels) {
        add_kernels(run.subject.compilers[c], level, pieces, tallies[c]);
      }
    }
  }

  // The first cases of every instance, then the first trial of each property.
  void run_first(std::uint64_t cases) {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      runs_.push_back(std::make_unique<InstanceRun>(run_, instances_[i], kernels_[i]));
      runs_.back()->run_to(cases);
    }
    properties_.resize(instances_.size());
    for (reports::UnitResult& r : properties_) r.unit.verdict = reports::Verdict::kPass;
    if (run_.plan.properties.properties.empty()) return;
    property_run_ = std::make_unique<PropertyRun>(run_, instances_, kernels_);
    first_trials_done_ = property_run_->run(properties_, 0, 1);
  }

  void run_other_trials() {
    if (property_run_) static_cast<void>(property_run_->run(properties_, 1, run_.plan.properties.trials));
  }
  void run_rest(std::size_t i) { runs_[i]->run_to(run_.plan.cases_per_instance); }

  // `first`: as run_first() had it, the cases without which an instance counts as not run.
  reports::UnitResult result(std::size_t i, std::uint64_t first) {
    reports::UnitResult result = runs_[i]->result();
    const reports::UnitResult& of_properties = properties_[i];
    reports::UnitReport& unit = result.unit;
    unit.verdict = reports::worse(unit.verdict, of_properties.unit.verdict);
    unit.untouched = runs_[i]->reached() < first || !first_trials_done_;
    if (unit.untouched) unit.verdict = reports::worse(unit.verdict, reports::Verdict::kNotRun);
    unit.counts += of_properties.unit.counts;
    unit.properties = of_properties.unit.properties;
    unit.open = of_properties.unit.open;
    result.findings.insert(result.findings.end(), of_properties.findings.begin(), of_properties.findings.end());
    for (reports::Finding& f : result.findings) f.unit = unit.number;
    return result;
  }

 private:
  void add_kernels(const compilers::Compiler& compiler, const std::string& level,
                   std::span<const kernels::Piece> pieces, Tally& tally) {
    std::vector<Kernel> built = executor_.build(compiler, level, pieces);
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      (built[i].compiled.from_cache ? tally.from_cache : tally.compiled) += 1;
      std::string wrong;
      if (built[i].module) wrong = executor_.wrong_instruction(built[i], instances_[i]);
      kernels_[i].push_back({std::move(built[i]), std::move(wrong)});
    }
  }

  const RunDescription& run_;
  std::span<const Instance> instances_;
  Executor executor_;
  std::vector<std::vector<CallKernel>> kernels_;    // by instance, then compiler and level
  std::vector<std::unique_ptr<InstanceRun>> runs_;  // by instance, as are these
  std::vector<reports::UnitResult> properties_;
  std::unique_ptr<PropertyRun> property_run_;
  bool first_trials_done_ = true;
};

void require_applicable_classes(const RunPlan& plan) {
  const std::vector<operands::OperandClass>& asked = plan.operand_classes;
  for (const Instance& i : plan.instances) {
    if (asked.empty() || std::any_of(asked.begin(), asked.end(), [&](auto cls) { return operands::applies(i, cls); })) {
      continue;
    }
    throw std::invalid_argument("none of the operand classes applies to " + catalogue::instance_id(i));
  }
}

// All batches of a run, and what their instances came to.
class AllBatches {
 public:
  AllBatches(const RunDescription& run, std::vector<Tally>& tallies) : run_(run), tallies_(tallies) {
    results_.resize(run.plan.instances.size());
    for (std::size_t i = 0; i < run.plan.instances.size(); ++i) {
      const Instance& instance = run.plan.instances[i];
      const auto before = run.control.done.find(catalogue::instance_id(instance));
      if (before != run.control.done.end()) {
        results_[i] = before->second;
        ++done_;
      } else {
        results_[i].unit = unit_of(run, instance);
        instances_.push_back(instance);
        places_.push_back(i);
      }
    }
  }

  std::vector<reports::UnitResult> run() {
    const std::vector<Batch> batches = batches_of(instances_);
    const std::uint64_t first = std::min(run_.plan.cases_per_instance, cases_per_instance(Tier::kQuick));
    const bool two_rounds = first < run_.plan.cases_per_instance || run_.plan.properties.trials > 1;
    std::vector<std::unique_ptr<BatchRun>> runs(batches.size());
    system::in_parallel(run_.control.jobs, batches.size(), [&](std::size_t b) {
      if (stopped()) return;
      const Batch& batch = batches[b];
      auto batch_run =
          std::make_unique<BatchRun>(run_, std::span(instances_).subspan(batch.first, batch.count), tallies_);
      batch_run->run_first(first);
      for (std::size_t i = 0; i < batch.count; ++i) keep(batch.first + i, batch_run->result(i, first), !two_rounds);
      if (two_rounds) runs[b] = std::move(batch_run);
    });
    if (!two_rounds) return std::move(results_);
    system::in_parallel(run_.control.jobs, batches.size(), [&](std::size_t b) {
      if (runs[b]) runs[b]->run_other_trials();
    });
    std::vector<std::pair<std::size_t, std::size_t>> rest;  // batch, and instance in it
    for (std::size_t b = 0; b < batches.size(); ++b) {
      for (std::size_t i = 0; runs[b] && i < batches[b].count; ++i) rest.emplace_back(b, i);
    }
    system::in_parallel(run_.control.jobs, rest.size(), [&](std::size_t n) {
      const auto [b, i] = rest[n];
      if (stopped()) return;
      runs[b]->run_rest(i);
      keep(batches[b].first + i, runs[b]->result(i, first), true);
    });
    return std::move(results_);
  }

 private:
  bool stopped() const { return !run_.control.stop_reason().empty(); }

  void keep(std::size_t i, reports::UnitResult result, bool last) {
    const bool complete = last && result.unit.counts.left == 0 && result.unit.verdict != reports::Verdict::kNotRun &&
                          !lost_device(result.findings);
    results_[places_[i]] = std::move(result);
    if (run_.control.record) run_.control.record(results_[places_[i]], complete);
    if (!last) return;
    const std::size_t now = ++done_;
    if (run_.control.progress) run_.control.progress(now, results_.size());
  }

  const RunDescription& run_;
  std::vector<Tally>& tallies_;
  std::vector<reports::UnitResult> results_;  // by place in RunPlan::instances
  std::vector<Instance> instances_;           // those that are not done yet
  std::vector<std::size_t> places_;           // of each
  std::atomic<std::size_t> done_{0};
};

}  // namespace

reports::RunReport planned(const RunDescription& run) {
  reports::RunReport report;
  report.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  for (const compilers::Compiler& compiler : run.subject.compilers) {
    const compilers::Identity& id = compiler.identity();
    reports::CompilerReport entry;
    entry.path = id.path.string();
    entry.resolved = id.resolved.string();
    entry.version = id.version;
    entry.hash = id.hash;
    entry.flags = compilers::base_flags(report.arch, "O*");
    entry.flags.insert(entry.flags.end(), run.subject.extra_flags.begin(), run.subject.extra_flags.end());
    report.compilers.push_back(std::move(entry));
  }
  const devices::DeviceInfo& device = run.subject.device->info();
  report.device_id = device.id;
  report.device_kind = device.kind;
  report.device_description = device.description;
  report.device_emulated = device.is_emulated;
  report.device_facts = device.facts;
  report.levels = run.subject.levels;
  report.seed = run.plan.seed;
  for (const properties::Property* property : run.plan.properties.properties) {
    report.properties.emplace_back(property->name);
  }
  for (const operands::OperandClass cls : run.plan.operand_classes)
    report.operand_classes.emplace_back(operands::name_of(cls));
  report.cases_per_instance = run.plan.cases_per_instance;
  report.repeats = run.plan.repeats;
  report.broadcast_reading = name_of(run.subject.reading);
  for (const Instance& instance : run.plan.instances) report.units.push_back(unit_of(run, instance));
  summarize(report);
  std::map<std::string_view, reports::BuiltinReport*> rows;
  for (reports::BuiltinReport& row : report.builtins) rows[row.builtin] = &row;
  for (const Instance& instance : run.plan.instances) {
    reports::BuiltinReport& row = *rows.at(instance.builtin->name);
    const oracles::ProfileRule& rule = *rule_of(run.subject.profile, instance);
    row.add_rule(name_of(rule.status), rule.source);
    if (!run.plan.properties.properties.empty() && !properties_speak_of(run.subject, instance)) row.unlawful = true;
  }
  return report;
}

reports::RunReport run(const RunDescription& run) {
  require_applicable_classes(run.plan);
  const auto begin = std::chrono::steady_clock::now();
  reports::RunReport report = planned(run);
  std::vector<Tally> tallies(run.subject.compilers.size());
  std::vector<reports::UnitResult> results = AllBatches(run, tallies).run();
  report.units.clear();
  for (reports::UnitResult& result : results) {
    report.units.push_back(std::move(result.unit));
    std::move(result.findings.begin(), result.findings.end(), std::back_inserter(report.findings));
    std::move(result.digests.begin(), result.digests.end(), std::back_inserter(report.digests));
  }
  summarize(report);
  const bool left = report.totals().left != 0 || report.instances_with(reports::Verdict::kNotRun) != 0;
  if (left) report.stopped = run.control.stop_reason();
  if (run.plan.reduce && report.stopped.empty()) reduce_failures(run, report.findings);
  if (run.plan.locate && report.stopped.empty()) locate_failures(run.subject, report.findings);
  for (std::size_t c = 0; c < tallies.size(); ++c) {
    report.compilers[c].kernels_compiled = tallies[c].compiled;
    report.compilers[c].kernels_from_cache = tallies[c].from_cache;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace mfma::conformance
