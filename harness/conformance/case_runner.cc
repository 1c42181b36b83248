#include "harness/conformance/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/conformance/instruction_check.h"
#include "harness/conformance/plan.h"
#include "harness/kernels/asm_kernel.h"
#include "harness/kernels/kernel.h"
#include "harness/system/digest.h"

namespace mfma::conformance {
namespace {

kernels::Piece piece_of(const catalogue::Instance& instance, KernelForm form) {
  switch (form) {
    case KernelForm::kInlineAsm:
      return kernels::asm_piece_of(instance);
    case KernelForm::kAgpr:
      return kernels::piece_of(instance, kernels::RegisterForm::kAgpr);
    case KernelForm::kVgpr:
      return kernels::piece_of(instance, kernels::RegisterForm::kVgpr);
    case KernelForm::kBuiltin:
      break;
  }
  return kernels::piece_of(instance);
}

}  // namespace

struct CaseRunner::Kernel {
  std::once_flag built;
  std::unique_ptr<OracleView> view;
  std::unique_ptr<devices::Module> module;  // nullptr: none
  std::string none;                         // why, one line
  std::string wrong_instruction;
};

CaseRunner::CaseRunner(const RunOptions& options, const compilers::Compiler& compiler, KernelForm form)
    : options_(options), compiler_(compiler), form_(form) {}
CaseRunner::~CaseRunner() = default;

CaseRunner::Kernel& CaseRunner::kernel_of(const catalogue::Instance& instance, const std::string& level) {
  Kernel* kernel = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Kernel>& at = kernels_[{catalogue::instance_id(instance), level}];
    if (!at) at = std::make_unique<Kernel>();
    kernel = at.get();
  }
  std::call_once(kernel->built, [&] {
    const oracles::ProfileRule* rule = rule_of(options_.profile, instance);
    kernel->view = std::make_unique<OracleView>(instance, rule->model, options_.reading, options_.alterations);
    const kernels::Piece piece = piece_of(instance, form_);
    compilers::Job job;
    job.level = level;
    job.extra_flags = options_.extra_flags;
    const kernels::BuiltPiece built = std::move(kernels::build_pieces(compiler_, std::span(&piece, 1), job).at(0));
    if (built.compiled.outcome != compilers::Outcome::kOk) {
      kernel->none = fmt::format("{} at -{} is not compiled: {} (exit status {})", catalogue::instance_id(instance),
                                 level, compilers::name_of(built.compiled.outcome), built.compiled.exit_status);
      return;
    }
    auto module = options_.device->load(*built.compiled.object);
    if (!module) {
      kernel->none = fmt::format("the device refused the code object: {}", module.error());
      return;
    }
    kernel->module = *std::move(module);
    int opcode = instance.builtin->opcode;
    if (options_.alterations.opcode) options_.alterations.opcode(instance, opcode);
    kernel->wrong_instruction =
        InstructionCheck(*built.compiled.object).check(kernels::kernel_name(instance), instance, opcode);
  });
  return *kernel;
}

std::vector<Observation> CaseRunner::observe(const std::string& level, std::span<const cases::Case> cases) {
  std::vector<Observation> seen(cases.size());
  if (cases.empty()) return seen;
  const catalogue::Instance& instance = cases.front().instance;
  Kernel& kernel = kernel_of(instance, level);
  devices::LaunchOutcome outcome;
  if (kernel.module) {
    outcome = kernel.module->run(kernels::kernel_name(instance), cases);
  } else {
    outcome.status = devices::LaunchStatus::kInconclusive;
    outcome.message = kernel.none;
  }
  const bool gates = model_gates(options_, instance);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    seen[i].status = outcome.status;
    seen[i].message = outcome.message;
    for (const devices::WaitStateNote& note : outcome.wait_states) {
      if (note.is_error) seen[i].missing_waits.push_back(note.message);
    }
    if (outcome.status != devices::LaunchStatus::kCompleted) continue;
    seen[i].expected = kernel.view->expected(cases[i]);
    seen[i].actual = catalogue::read_elements(kernel.view->d_layout(), outcome.d[i]);
    for (const std::size_t element : kernel.view->compare(seen[i].expected, seen[i].actual).differing) {
      (gates || seen[i].expected.exact[element] ? seen[i].failing : seen[i].unconfirmed).push_back(element);
    }
  }
  return seen;
}

std::string CaseRunner::wrong_instruction(const catalogue::Instance& instance, const std::string& level) {
  return kernel_of(instance, level).wrong_instruction;
}

oracles::DenseResult CaseRunner::expected(const cases::Case& c) const {
  const oracles::ProfileRule* rule = rule_of(options_.profile, c.instance);
  return OracleView(c.instance, rule->model, options_.reading, options_.alterations).expected(c);
}

std::uint64_t CaseRunner::nonzero_products(const cases::Case& c, std::size_t element) const {
  const oracles::ProfileRule* rule = rule_of(options_.profile, c.instance);
  return OracleView(c.instance, rule->model, options_.reading, options_.alterations).nonzero_products(c, element);
}

Replay replay(CaseRunner& runner, const std::string& level, const cases::Case& c, std::uint64_t runs) {
  Replay result;
  std::optional<std::vector<std::uint64_t>> first;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Observation seen = std::move(runner.observe(level, std::span(&c, 1)).at(0));
    ++result.label.runs;
    const bool completed = seen.status == devices::LaunchStatus::kCompleted;
    const bool worse =
        (seen.fails() && result.label.failed == 0) || (!completed && result.label.failed == 0 && result.conclusive);
    if (seen.fails()) ++result.label.failed;
    if (completed) {
      if (!first) first = seen.actual;
      result.stable &= *first == seen.actual;
    } else {
      result.conclusive = false;
    }
    const bool hangs = seen.status == devices::LaunchStatus::kHang || seen.status == devices::LaunchStatus::kLost;
    if (worse || run == 0) result.worst = std::move(seen);
    if (hangs) break;  // each would cost as long again
  }
  return result;
}

bool model_gates(const RunOptions& options, const catalogue::Instance& instance) {
  return options.device_runs_profile || rule_of(options.profile, instance)->status == oracles::RuleStatus::kConfirmed;
}

reports::ElementDifference element_difference(const catalogue::Instance& instance, std::size_t index,
                                              const oracles::DenseResult& expected, std::uint64_t actual) {
  const catalogue::Shape& s = instance.builtin->shape;
  const auto n = static_cast<std::size_t>(s.n);
  const auto m = static_cast<std::size_t>(s.m);
  const catalogue::Location& at = catalogue::shared_layout(instance, catalogue::Operand::kD).locations()[index];
  reports::ElementDifference d;
  d.block = static_cast<int>(index / (m * n));
  d.row = static_cast<int>(index / n % m);
  d.column = static_cast<int>(index % n);
  d.lane = at.lane;
  d.bit = at.bit;
  d.width = at.width;
  d.expected = expected.d[index];
  d.actual = actual;
  d.exact = expected.exact[index] != 0;
  return d;
}

std::string model_digest(const oracles::Profile& profile, const catalogue::Instance& instance) {
  const oracles::Model& m = rule_of(profile, instance)->model;
  const auto number = [](auto value) { return fmt::format("{}", static_cast<std::uint64_t>(value)); };
  const auto optional = [](std::optional<int> value) {
    return value ? fmt::format("{}", *value) : std::string("none");
  };
  system::Digest digest;
  for (const std::string& field : {number(m.kind),
                                   number(m.step),
                                   number(m.order),
                                   number(m.groups),
                                   number(m.grouping),
                                   number(m.product_fraction_bits),
                                   number(m.product_rounding),
                                   number(m.zero_products_raise_exponent),
                                   number(m.normalise_subnormals),
                                   number(m.normalise_products),
                                   number(m.merge_fraction_bits),
                                   number(m.merge_rounding),
                                   number(m.sum_fraction_bits),
                                   number(m.sum_rounding),
                                   number(m.c_fraction_bits),
                                   number(m.c_rounding),
                                   optional(m.drop_c_below),
                                   optional(m.final_fraction_bits),
                                   number(m.final_rounding),
                                   number(m.product_overflow),
                                   number(m.nan.propagate),
                                   m.nan.order,
                                   number(m.nan.bits.value_or(0)),
                                   number(m.scale)}) {
    digest.field(field);
  }
  return digest.hex().substr(0, 16);
}

std::string profile_digest(const oracles::Profile& profile) {
  system::Digest digest;
  for (const catalogue::Instance& instance : catalogue::all_legal_instances()) {
    const oracles::ProfileRule* rule = rule_of(profile, instance);
    if (!rule) {
      digest.field("none");
      continue;
    }
    digest.field(rule->status == oracles::RuleStatus::kConfirmed ? "confirmed" : "candidate");
    digest.field(model_digest(profile, instance));
  }
  return digest.hex().substr(0, 16);
}

cases::CaseFile case_file_of(const RunOptions& options, const compilers::Compiler& compiler, const std::string& level,
                             const cases::Case& c) {
  cases::CaseFile file;
  file.c = c;
  file.compiler = compiler.identity().path.string();
  file.compiler_version = compiler.identity().version;
  file.compiler_hash = compiler.identity().hash;
  file.level = level;
  file.flags = options.extra_flags;
  file.device = options.device->info().id;
  file.profile = options.profile.name;
  file.profile_source = options.profile_source;
  file.profile_digest = model_digest(options.profile, c.instance);
  if (!options.device_runs_profile) {
    file.device_profile = options.device_profile_name;
    file.device_profile_source = options.device_profile_source;
  }
  file.cbsz_reading = options.reading == oracles::BroadcastReading::kPerSet ? "per-set" : "whole-wave";
  return file;
}

std::string case_file_name(const cases::CaseFile& file) {
  return fmt::format("{}.{}.{}.seed{}-{}", kernels::kernel_name(file.c.instance), file.level,
                     file.compiler_hash.substr(0, 8), file.c.seed, file.c.index);
}

ReducedCase reduce_case(CaseRunner& runner, const cases::Case& c, const std::string& level,
                        std::span<const std::string> levels, const reduction::Budget& budget, std::uint64_t runs,
                        std::uint64_t attempts) {
  const reduction::Judge judge = [&](const catalogue::Instance&, const std::string& at,
                                     std::span<const cases::Case> cases) {
    // Where the failure comes and goes, one failure in `attempts` runs is enough.
    std::vector<bool> fails(cases.size(), false);
    for (std::uint64_t n = 0; n < attempts; ++n) {
      const std::vector<Observation> seen = runner.observe(at, cases);
      for (std::size_t i = 0; i < cases.size(); ++i) fails[i] = fails[i] || seen[i].fails();
    }
    return fails;
  };
  ReducedCase reduced;
  reduced.reduction = reduction::reduce({c, level}, levels, judge, budget);
  if (!reduced.reduction.reproduced) return reduced;
  cases::Case& smallest = reduced.reduction.smallest.c;
  if (!(smallest == c)) smallest.operand_class = "reduced";
  const std::string& at = reduced.reduction.smallest.level;
  Replay again = replay(runner, at, smallest, runs);
  reduced.file = case_file_of(runner.options(), runner.compiler(), at, smallest);
  reduced.file.label = again.label;
  reduced.seen = std::move(again.worst);
  if (!reduced.seen.fails()) return reduced;  // intermittent, and gone again
  reduced.file.expected = reduced.seen.expected.d;
  reduced.file.actual = reduced.seen.actual;
  reduced.element = reduced.seen.failing.front();
  reduced.nonzero_products = runner.nonzero_products(smallest, reduced.element);
  return reduced;
}

}  // namespace mfma::conformance
