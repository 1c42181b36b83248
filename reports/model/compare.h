// What changed between two reports: another compiler, driver, device or version of anything.
//
// Instances and programs are matched by their names, findings by instance, code, property, level and compiler.
// Compilers are matched with one another first: by version, then by path, then in order; so that one compiler per
// report is always matched, whatever it is called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/model/report.h"

namespace mfma::reports {

// One thing that is wrong, with its place in either report.
struct ChangedFinding {
  std::optional<Finding> before, after;  // one of both at least
  const Finding& shown() const { return after ? *after : *before; }
};

struct ChangedVerdict {
  std::string kind;  // "instance" or "program"
  std::string id;
  Verdict before = Verdict::kPass, after = Verdict::kPass;
};

struct ChangedFact {
  std::string name;  // "compiler", "device: driver", "seed"
  std::string before, after;
  bool operator==(const ChangedFact&) const = default;
};

struct Comparison {
  std::string before_name, after_name;  // files
  std::vector<ChangedFact> environment;
  // Names in `environment` of what decides which cases there are and how they are judged: with any, what is new or
  // fixed may come from that and not from what was tested.
  std::vector<std::string> unlike;
  // Fails or hangs now, not waived, and did not before; an instance that is only in the new report did not.
  std::vector<ChangedFinding> new_failures;
  // Was wrong, and what it was on ran to its end now without it.
  std::vector<ChangedFinding> fixed;
  // Wrong in both, waived or not.
  std::vector<ChangedFinding> still_wrong;
  // Of these, on the same case, with other bits.
  std::vector<ChangedFinding> changed_bits;
  std::vector<ChangedVerdict> verdicts;              // of instances and programs that are in both
  std::vector<std::string> only_before, only_after;  // instances and programs
  std::uint64_t in_both = 0;                         // instances and programs
  std::vector<std::string> lost;                     // had a verdict, pass or fail, and have none now

  // 1 with new failures, 3 where all of them are hangs or lost devices; else 2 where nothing is in both, or something
  // is lost; else 0.
  ExitCode exit_code() const;
};

Comparison compare(const RunReport& before, const std::string& before_name, const RunReport& after,
                   const std::string& after_name);

inline constexpr const char* kCompareSchema = "mfma-conform/compare/1";

}  // namespace mfma::reports
