#include "harness/conformance/followup/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/compilers/levels.h"

namespace mfma::conformance {
namespace {

constexpr std::array kForms{KernelForm::kBuiltin, KernelForm::kAgpr, KernelForm::kVgpr, KernelForm::kInlineAsm};

AttributionCell judge(CaseRunner& runner, const std::string& level, const cases::Case& c, std::uint64_t runs) {
  AttributionCell cell;
  cell.level = level;
  const Replay r = replay(runner, level, c, runs);
  cell.detail = r.worst.message;
  const std::string wrong = runner.wrong_instruction(c.instance, level);
  if (r.label.failed > 0 || !r.stable) {
    cell.verdict = CellVerdict::kFails;
    cell.word = r.label.failed > 0 ? fmt::format("{}/{}", r.label.failed, r.label.runs) : "unstable";
    cell.detail = wrong;
  } else if (!wrong.empty()) {
    cell.verdict = CellVerdict::kFails;
    cell.word = "instruction";
    cell.detail = wrong;
  } else if (!r.worst.missing_waits.empty()) {
    cell.verdict = CellVerdict::kFails;
    cell.word = "waits";
    cell.detail = r.worst.missing_waits.front();
  } else if (r.worst.status == devices::LaunchStatus::kFault || r.worst.status == devices::LaunchStatus::kHang) {
    cell.verdict = CellVerdict::kFails;
    cell.word = r.worst.status == devices::LaunchStatus::kFault ? "fault" : "hang";
  } else if (r.conclusive) {
    cell.verdict = CellVerdict::kPasses;
    cell.word = "passes";
  } else {
    cell.word = "none";
  }
  return cell;
}

// Levels of a compiler's cells of the chosen forms, in the order of the table, where `want` is among the verdicts.
template <typename Forms>
std::vector<std::string> levels_where(const Attribution& a, std::size_t compiler, Forms forms, CellVerdict want) {
  std::vector<std::string> levels;
  for (const std::string& level : a.levels) {
    if (std::any_of(a.cells.begin(), a.cells.end(), [&](const AttributionCell& cell) {
          return cell.compiler == compiler && cell.level == level && forms(cell.form) && cell.verdict == want;
        })) {
      levels.push_back(level);
    }
  }
  return levels;
}

bool is_asm(KernelForm form) { return form == KernelForm::kInlineAsm; }
bool is_builtin(KernelForm form) { return !is_asm(form); }
bool is_any(KernelForm) { return true; }

// "at every level", "from -O1 up", "at -O0, -O2 only"; of the levels that have a verdict.
std::string levels_phrase(const std::vector<std::string>& bad, const std::vector<std::string>& known) {
  if (bad == known)
    return known.size() == 1 ? fmt::format("at -{}, the only level with a verdict", known[0]) : "at every level";
  const bool is_tail = bad.size() > 1 && std::equal(bad.rbegin(), bad.rend(), known.rbegin());
  const std::vector<std::string> row = compilers::ordinary_level_names();
  const bool ordinary = std::all_of(bad.begin(), bad.end(), [&](const std::string& level) {
    return std::find(row.begin(), row.end(), level) != row.end();
  });
  if (is_tail && ordinary) return fmt::format("from -{} up", bad.front());
  return fmt::format("at -{} only", fmt::join(bad, ", -"));
}

// What the forms say: which of the builtin's fail, and whether inline assembly does.
std::string forms_phrase(const Attribution& a, std::size_t compiler) {
  const auto bad = [&](KernelForm form) {
    return levels_where(
        a, compiler, [form](KernelForm f) { return f == form; }, CellVerdict::kFails);
  };
  const std::vector<std::string> of_builtin = levels_where(a, compiler, is_builtin, CellVerdict::kFails);
  const std::vector<std::string> of_asm = bad(KernelForm::kInlineAsm);
  std::string text;
  std::vector<std::string_view> failing;
  for (const KernelForm form : kForms) {
    if (is_builtin(form) && !bad(form).empty()) failing.push_back(name_of(form));
  }
  if (of_builtin.empty()) return "; inline asm only, the builtin passes";
  if (failing.size() < kForms.size() - 1) text = fmt::format("; only the form '{}'", fmt::join(failing, "' and '"));
  if (of_asm == of_builtin) return text + "; inline asm too";
  if (!of_asm.empty()) return text + fmt::format("; inline asm at -{}", fmt::join(of_asm, ", -"));
  const bool asm_passes = !levels_where(a, compiler, is_asm, CellVerdict::kPasses).empty();
  return text + (asm_passes ? "; inline asm passes" : "; inline asm has no verdict");
}

std::size_t count(const Attribution& a, CellVerdict verdict) {
  return static_cast<std::size_t>(std::count_if(a.cells.begin(), a.cells.end(),
                                                [verdict](const AttributionCell& c) { return c.verdict == verdict; }));
}

std::string phrase_of(const Attribution& a, std::size_t compiler) {
  const std::vector<std::string> bad = levels_where(a, compiler, is_any, CellVerdict::kFails);
  std::vector<std::string> known;
  for (const std::string& level : a.levels) {
    if (std::any_of(a.cells.begin(), a.cells.end(), [&](const AttributionCell& c) {
          return c.compiler == compiler && c.level == level && c.verdict != CellVerdict::kNoVerdict;
        })) {
      known.push_back(level);
    }
  }
  return levels_phrase(bad, known) + forms_phrase(a, compiler);
}

std::string verdict_phrase(const Attribution& a) {
  const std::size_t bad = count(a, CellVerdict::kFails), good = count(a, CellVerdict::kPasses);
  if (bad + good == 0) return "no verdict: not one kernel could be run";
  if (bad == 0) return "gone: it passes with every compiler, level and form";
  const bool asm_fails = std::any_of(a.cells.begin(), a.cells.end(), [](const AttributionCell& c) {
    return is_asm(c.form) && c.verdict == CellVerdict::kFails;
  });
  if (good == 0 && asm_fails) {
    if (a.compilers.size() > 1) return "every compiler and level, inline asm too: oracle, manual or device";
    return fmt::format("every level of {}, inline asm too: oracle, manual or device, as far as one compiler can tell",
                       a.compilers[0]);
  }
  std::vector<std::size_t> failing;
  std::set<std::string> phrases;
  for (std::size_t n = 0; n < a.compilers.size(); ++n) {
    if (levels_where(a, n, is_any, CellVerdict::kFails).empty()) continue;
    failing.push_back(n);
    phrases.insert(phrase_of(a, n));
  }
  if (failing.size() == a.compilers.size() && phrases.size() == 1 && failing.size() > 1) {
    return fmt::format("every compiler, {}", *phrases.begin());
  }
  std::vector<std::string> parts;
  for (const std::size_t n : failing) parts.push_back(fmt::format("{}, {}", a.compilers[n], phrase_of(a, n)));
  const char* who = a.compilers.size() == 1               ? "compiler"
                    : failing.size() < a.compilers.size() ? "only"
                                                          : "each its own way:";
  return fmt::format("{} {}", who, fmt::join(parts, "; and "));
}

}  // namespace

bool Attribution::fails() const { return count(*this, CellVerdict::kFails) > 0; }

std::string_view name_of(KernelForm form) {
  switch (form) {
    case KernelForm::kAgpr:
      return "builtin, AGPRs";
    case KernelForm::kVgpr:
      return "builtin, VGPRs";
    case KernelForm::kInlineAsm:
      return "inline asm";
    case KernelForm::kBuiltin:
      break;
  }
  return "builtin";
}

std::vector<std::string> attribution_levels(const std::string& level) {
  std::vector<std::string> levels = compilers::ordinary_level_names();
  if (std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
  return levels;
}

Attribution attribute(const Subject& subject, const cases::Case& c, const std::vector<std::string>& levels,
                      std::uint64_t runs) {
  Attribution a;
  a.levels = levels;
  for (std::size_t n = 0; n < subject.compilers.size(); ++n) {
    a.compilers.push_back(subject.compilers[n].identity().path.string());
    for (const KernelForm form : kForms) {
      CaseRunner runner(subject, subject.compilers[n], form);
      for (const std::string& level : levels) {
        AttributionCell cell = judge(runner, level, c, runs);
        cell.compiler = n;
        cell.form = form;
        a.cells.push_back(std::move(cell));
      }
    }
  }
  return a;
}

std::string sentence_of(const Attribution& a) {
  std::string text = verdict_phrase(a);
  if (const std::size_t none = count(a, CellVerdict::kNoVerdict); none > 0 && none < a.cells.size()) {
    text += fmt::format("; no verdict in {} of {} cells", none, a.cells.size());
  }
  return text;
}

std::string table_of(const Attribution& a) {
  std::size_t width = 8;
  for (const std::string& compiler : a.compilers) width = std::max(width, compiler.size());
  std::string out = fmt::format("{:{}}  {:14}", "compiler", width, "form");
  for (const std::string& level : a.levels) out += fmt::format("  {:>11}", "-" + level);
  std::string details;
  for (const AttributionCell& cell : a.cells) {
    if (cell.level == a.levels.front()) {
      out += fmt::format("\n{:{}}  {:14}", a.compilers[cell.compiler], width, name_of(cell.form));
    }
    out += fmt::format("  {:>11}", cell.word);
    if (!cell.detail.empty()) {
      details +=
          fmt::format("  {}, {}, -{}: {}\n", a.compilers[cell.compiler], name_of(cell.form), cell.level, cell.detail);
    }
  }
  return out + "\n" + details;
}

std::vector<std::string> levels_with(const Attribution& a, std::size_t compiler) {
  return levels_where(a, compiler, is_builtin, CellVerdict::kFails);
}

std::vector<std::string> levels_without(const Attribution& a, std::size_t compiler) {
  std::vector<std::string> levels;
  const std::vector<std::string> with = levels_with(a, compiler);
  for (const std::string& level : levels_where(a, compiler, is_builtin, CellVerdict::kPasses)) {
    if (std::find(with.begin(), with.end(), level) == with.end()) levels.push_back(level);
  }
  return levels;
}

}  // namespace mfma::conformance
