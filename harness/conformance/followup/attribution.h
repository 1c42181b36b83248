// Whose fault a failing case is: it is run again by every compiler given, at every level, with the MFMA from the
// builtin and from inline assembly, and with the operands in either kind of register. What fails and what does not says
// where to look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/conformance/followup/case_runner.h"

namespace mfma::conformance {

enum class CellVerdict {
  kPasses,
  kFails,      // wrong bits, a wrong instruction, a wait state too few, a kernel that faults or does not end
  kNoVerdict,  // no kernel, or none that the device could run: neither the one nor the other
};

struct AttributionCell {
  std::size_t compiler = 0;  // index into Attribution::compilers
  KernelForm form = KernelForm::kBuiltin;
  std::string level;
  CellVerdict verdict = CellVerdict::kNoVerdict;
  std::string word;    // for the table: "passes", "5/5", "instruction", "waits", "hang", "fault", "none"
  std::string detail;  // one line on a failure that is not of bits, and on why there is no verdict
};

struct Attribution {
  std::vector<std::string> compilers;  // as they were named
  std::vector<std::string> levels;     // in the order of the table
  std::vector<AttributionCell> cells;  // by compiler, form and level
  bool fails() const;
};

// "builtin", "builtin, AGPRs", "builtin, VGPRs", "inline asm". Forced registers have no effect at -O0
// (kernels::RegisterForm).
std::string_view name_of(KernelForm form);

// -O0 to -O3, and the level given where it is another (-Os, -Oz).
[[nodiscard]] std::vector<std::string> attribution_levels(const std::string& level);

// Runs the case `runs` times in each cell: the subject's compilers, all forms, `levels`. Cells whose kernel has nothing
// to do with the failure cost a compile each; objects are cached as always.
[[nodiscard]] Attribution attribute(const Subject& subject, const cases::Case& c,
                                    const std::vector<std::string>& levels, std::uint64_t runs);

// One sentence without a full stop: who, from which level on, in which forms. A cell without a verdict counts neither
// as failing nor as passing, and the sentence says how many there are.
[[nodiscard]] std::string sentence_of(const Attribution& a);

// The table, a line for each compiler and form, and below it the details of cells that have one.
[[nodiscard]] std::string table_of(const Attribution& a);

// Levels at which the builtin, in any form, fails with a compiler; and those at which all verdicts of it are passes.
[[nodiscard]] std::vector<std::string> levels_with(const Attribution& a, std::size_t compiler);
[[nodiscard]] std::vector<std::string> levels_without(const Attribution& a, std::size_t compiler);

}  // namespace mfma::conformance
