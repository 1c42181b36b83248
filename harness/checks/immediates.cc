// Immediates outside their range: diagnosed, silently changed, refused by the backend, or worse.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>

#include "harness/checks/jobs.h"
#include "harness/conformance/execution/instruction_check.h"
#include "harness/system/parallel.h"

namespace mfma::checks {
namespace {

using catalogue::Builtin;
using catalogue::Instance;
using catalogue::ModifierKind;
using compilers::Compiled;
using compilers::Outcome;

constexpr const char* kArch = "gfx950";
constexpr int kHighest = std::numeric_limits<int>::max();

enum class Operand { kCbsz, kAbid, kBlgp, kOpSelA, kOpSelB };
constexpr std::array kOperandNames{"cbsz", "abid", "blgp", "op_sel_a", "op_sel_b"};
constexpr std::array kFieldBits{3, 4, 3, 2, 2};  // CDNA4 ISA Table 89; op_sel: one bit each in OP_SEL and OP_SEL_HI

enum class Why { kOutside, kReserved, kUndefined, kVariable };

struct Probe {
  const Builtin* builtin;
  Operand operand;
  int value;
  Why why;

  std::string value_text() const { return why == Why::kVariable ? "variable" : std::to_string(value); }
  std::string subject() const {
    return fmt::format("{} {}={}", builtin->name, kOperandNames[static_cast<std::size_t>(operand)], value_text());
  }
};

std::vector<Operand> operands_of(const Builtin& builtin) {
  if (builtin.modifiers == ModifierKind::kScaled) {
    return {Operand::kCbsz, Operand::kBlgp, Operand::kOpSelA, Operand::kOpSelB};
  }
  return {Operand::kCbsz, Operand::kAbid, Operand::kBlgp};
}

std::vector<Probe> probes_of(const Builtin& builtin) {
  std::vector<Probe> probes;
  for (const Operand operand : operands_of(builtin)) {
    const int past = 1 << kFieldBits[static_cast<std::size_t>(operand)];
    for (const int value : {-1, past, kHighest}) probes.push_back({&builtin, operand, value, Why::kOutside});
    probes.push_back({&builtin, operand, 0, Why::kVariable});
  }
  if (builtin.modifiers == ModifierKind::kScaled) {
    for (const Operand operand : {Operand::kCbsz, Operand::kBlgp}) {
      for (const int code : {5, 6, 7}) probes.push_back({&builtin, operand, code, Why::kReserved});
    }
  } else if (builtin.modifiers == ModifierKind::kBroadcast) {
    // 2^cbsz blocks must exist, and abid must name one of them.
    const int most = std::countr_zero(static_cast<unsigned>(builtin.shape.blocks));
    probes.push_back({&builtin, Operand::kCbsz, most + 1, Why::kUndefined});
    probes.push_back({&builtin, Operand::kAbid, 1, Why::kUndefined});
  }
  return probes;
}

kernels::Piece piece_of(const Probe& probe, std::size_t number) {
  std::array<std::string, 5> values{"0", "0", "0", "0", "0"};
  values[static_cast<std::size_t>(probe.operand)] = probe.why == Why::kVariable ? "cases" : std::to_string(probe.value);
  const auto& [cbsz, abid, blgp, op_sel_a, op_sel_b] = values;
  Instance instance{probe.builtin, {}};
  const std::string name = fmt::format("immediate_{}", number);
  if (probe.builtin->modifiers != ModifierKind::kScaled) {
    return kernels::piece_with_immediates(instance, name, fmt::format("{}, {}, {}", cbsz, abid, blgp));
  }
  instance.modifiers.scaled = true;
  return kernels::piece_with_immediates(
      instance, name, fmt::format("{}, {}, {}, scale_a[i], {}, scale_b[i]", cbsz, blgp, op_sel_a, op_sel_b));
}

int encoded(const gfx950::Instruction& found, Operand operand) {
  switch (operand) {
    case Operand::kCbsz:
      return found.bits.cbsz;
    case Operand::kAbid:
      return found.bits.abid;
    case Operand::kBlgp:
      return found.bits.blgp;
    case Operand::kOpSelA:
      return conformance::scale_byte(found, 0);
    case Operand::kOpSelB:
      break;
  }
  return conformance::scale_byte(found, 1);
}

using detail::Judgement;

Judgement judge_accepted(const Probe& probe, const Compiled& compiled, const std::string& kernel) {
  if (probe.why == Why::kVariable) return std::pair(Code::kImmediateVariable, std::string("compiled"));
  const auto products = detail::matrix_products(compiled, kernel);
  if (!products) return std::pair(Code::kToolFailure, products.error());
  if (products->size() != 1) {
    return std::pair(Code::kEncodingCount, fmt::format("the object holds {} MFMAs for one call", products->size()));
  }
  const int is = encoded(products->front(), probe.operand);
  const char* operand = kOperandNames[static_cast<std::size_t>(probe.operand)];
  if (is != probe.value) {
    return std::pair(Code::kImmediateChanged, fmt::format("{} {} is encoded as {}", operand, probe.value, is));
  }
  if (probe.why == Why::kReserved) {
    return std::pair(Code::kImmediateReserved,
                     fmt::format("format code {} of {} is encoded as it is", probe.value, operand));
  }
  return std::pair(Code::kImmediateUndefined,
                   fmt::format("{} {} is encoded as it is; the shape has {} block{}", operand, probe.value,
                               probe.builtin->shape.blocks, probe.builtin->shape.blocks == 1 ? "" : "s"));
}

Judgement judge(const Probe& probe, const Compiled& compiled, const std::string& kernel) {
  switch (compiled.outcome) {
    case Outcome::kOk:
      return judge_accepted(probe, compiled, kernel);
    case Outcome::kDiagnostic:
      return std::nullopt;
    case Outcome::kBackendError:
      return std::pair(Code::kImmediateBackend,
                       std::string("refused by the backend only, without a place in the source"));
    case Outcome::kCrash:
      return std::pair(Code::kImmediateCrash,
                       fmt::format("the compiler crashed (exit status {})", compiled.exit_status));
    case Outcome::kTimeout:
      return std::pair(Code::kImmediateHang, std::string("the compiler did not end in time"));
    case Outcome::kNoObject:
    case Outcome::kCannotRun:
    case Outcome::kNoSuchTarget:
      break;
  }
  return detail::tool_failure(compiled);
}

}  // namespace

std::vector<Finding> check_immediates(const CheckOptions& options, CheckReport& report) {
  std::vector<Probe> probes;
  for (const Builtin& builtin : catalogue::builtins()) {
    for (const Probe& probe : probes_of(builtin)) probes.push_back(probe);
  }
  std::vector<kernels::Piece> pieces;
  for (std::size_t i = 0; i < probes.size(); ++i) pieces.push_back(piece_of(probes[i], i));

  // Immediates that the front ends of today take are built in batches, which split by themselves where another
  // compiler refuses one; those that they refuse, alone.
  constexpr std::size_t kBatch = 32;
  std::vector<std::vector<std::size_t>> tasks(1);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const bool alone = probes[i].why == Why::kVariable || probes[i].builtin->modifiers == ModifierKind::kScaled;
    if (alone) {
      tasks.push_back({i});
    } else {
      if (tasks.front().size() == kBatch) tasks.insert(tasks.begin(), std::vector<std::size_t>());
      tasks.front().push_back(i);
    }
  }
  const std::size_t levels = options.levels.size();
  std::vector<std::vector<Compiled>> results(levels, std::vector<Compiled>(probes.size()));
  system::in_parallel(options.jobs, tasks.size() * levels, [&](std::size_t n) {
    const std::vector<std::size_t>& members = tasks[n / levels];
    std::vector<kernels::Piece> batch;
    for (const std::size_t i : members) batch.push_back(pieces[i]);
    auto built =
        kernels::build_pieces(*options.compiler, batch, detail::job_of(options, kArch, options.levels[n % levels]));
    for (std::size_t i = 0; i < members.size(); ++i) results[n % levels][members[i]] = std::move(built[i].compiled);
  });

  std::vector<Finding> findings;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    for (std::size_t level = 0; level < levels; ++level) {
      ++report.immediates;
      const Compiled& compiled = results[level][i];
      if (const auto wrong = judge(probes[i], compiled, pieces[i].name)) {
        findings.push_back(detail::finding_of(wrong->first, probes[i].subject(), kArch, options.levels[level],
                                              wrong->second, pieces[i], compiled));
      }
    }
  }
  return findings;
}

}  // namespace mfma::checks
