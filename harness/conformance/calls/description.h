// A run, described: what is judged (subject.h), what is run, and how the run is driven.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/cases/case_file.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/subject.h"
#include "harness/operands/operands.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// What is run. Programs are planned apart (programs/program_plan.h).
struct RunPlan {
  std::vector<catalogue::Instance> instances;
  std::uint64_t seed = 1;
  std::uint64_t cases_per_instance = 4;
  std::uint64_t cases_per_program = 0;  // at each of its trip counts
  std::uint64_t cases_per_launch = 0;   // 0: as suits the device
  std::uint64_t repeats = 1;            // launches of each case, which must all give the same bits
  // Classes of the operands, in turn; empty: as operands::class_of() deals them out. At least one must apply to every
  // instance (std::invalid_argument), the others are left out where they do not.
  std::vector<operands::OperandClass> operand_classes;
  PropertyPlan properties;    // empty: none
  std::uint64_t replays = 5;  // of a failing case, to tell deterministic from intermittent
  bool reduce = false;        // the first failing case of each instance, within bounds (followup/reduce_failures.h)
  bool digests = false;       // fill RunReport::digests, to compare devices
  bool locate = false;        // where on the device the failing cases run wrong (followup/locate.h)
};

// How it is driven. What is called here is called from any thread.
struct RunControl {
  int jobs = 0;  // threads; 0: one per core
  // Keeps a failing case under a name of its own (execution/case_record.h); gives back where, or nothing. Empty: none
  // are kept.
  std::function<std::string(const std::string& name, const cases::CaseFile&)> keep_case;
  // What instances and programs came to in an earlier part of this very run, by id or title: taken as it is.
  std::map<std::string, reports::UnitResult> done;
  // Told what each came to: when all properties and the first cases are through, and again, then `complete`, when
  // nothing of it is left. Before reductions and the examination of programs, which look at the run as a whole.
  std::function<void(const reports::UnitResult&, bool complete)> record;
  // Asked again and again: empty to go on, else why the run is to end ("time", "signal"). What was not reached is
  // counted as left.
  std::function<std::string()> stop;
  std::function<void(std::size_t done, std::size_t of)> progress;  // instances

  [[nodiscard]] std::string stop_reason() const { return stop ? stop() : std::string(); }
};

struct RunDescription {
  Subject subject;
  RunPlan plan;
  RunControl control;
};

}  // namespace mfma::conformance
