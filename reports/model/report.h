// The result of a run as data: what was run, where, and what was found. Renderers (terminal, JSON) only read it.
//
// Counts add up by construction: totals are summed from the builtins, and exit codes are computed from the counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model/waiver.h"

namespace mfma::reports {

enum class ExitCode : int { kPass = 0, kFailure = 1, kNoVerdict = 2, kHangOrLost = 3, kUsage = 64 };

// What is wrong. The text code is stable: tools match on it.
enum class FindingKind {
  kWrongBits,               // "wrong-bits": an element that gates differs from the oracle
  kPropertyBroken,          // "property-broken": results do not stand to one another as they must (docs/properties.md)
  kWrongInstruction,        // "wrong-instruction": the object lacks the expected MFMA, or has another or more of them
  kCompileRejected,         // "compile-rejected": inconclusive
  kBatchFailure,            // "batch-failure": a compile failed that succeeds kernel by kernel; inconclusive
  kUnsupportedInstruction,  // "device-inconclusive": the device could not run the kernel; inconclusive
  kObjectRefused,           // "object-refused": the device refused the code object; inconclusive
  kDeviceFault,             // "device-fault": the kernel used a register or an address that is not its own
  kMissingWaitState,        // "missing-wait-state": an instruction comes too early after another
  kWaitStateWarning,        // "wait-state-warning": the same by a rule that only one source has; listed, not a failure
  kHang,                    // "hang"
  kUnstableBits,            // "unstable-bits": the same case gave different bits in several launches
  kDevicesDiffer,           // "devices-differ": a device gave other bits than others for the same cases
  kDeviceLost,              // "device-lost": not run, the device was lost before or in this launch; counted as hung
  kWaiverExpired,  // "waiver-expired": a waiver is past its date, and what it speaks of was run; of no instance
  kWaiverUnused,   // "waiver-unused": what a waiver speaks of was run and nothing of it was wrong; of no instance
};
inline constexpr int kFindingKinds = static_cast<int>(FindingKind::kWaiverUnused) + 1;
std::string_view code_of(FindingKind kind);
std::optional<FindingKind> kind_named(std::string_view code);
// Of the waivers themselves: `unit`, `builtin` and the like say nothing.
bool is_of_waiver(FindingKind kind);
// What an instance or a program came to, and what a finding makes of it. From good to bad: of two the worse holds.
enum class Verdict {
  kPass,
  kWaived,  // all that is wrong is waived
  kNotRun,  // the run ended before its turn, or before it was done
  kInconclusive,
  kHang,
  kFail,
};
inline constexpr std::array kVerdicts = {Verdict::kPass,         Verdict::kWaived, Verdict::kNotRun,
                                         Verdict::kInconclusive, Verdict::kHang,   Verdict::kFail};
std::string_view name_of(Verdict v);
std::optional<Verdict> verdict_named(std::string_view name);
Verdict verdict_of(FindingKind kind);
Verdict worse(Verdict x, Verdict y);
// 1 wins over 3, 3 over 2, 2 over 0. Usage errors take no part.
ExitCode worse(ExitCode x, ExitCode y);

struct ElementDifference {
  int block = 0, row = 0, column = 0;
  int lane = 0, bit = 0, width = 0;  // where D holds it: register = bit / 32
  std::uint64_t expected = 0, actual = 0;
  bool exact = false;        // no lawful model gives other bits than `expected`
  std::string against = {};  // of a property: what the element was compared with
};

// A failing case with as little in it as was found to fail.
struct ReducedFailure {
  std::string instance, level;         // modifiers and level may be fewer and lower than the finding's
  std::string text;                    // the case file (harness/cases/case_file.h)
  std::string file;                    // where it is kept; empty: nowhere
  std::uint64_t nonzero_products = 0;  // of the element below
  std::uint64_t candidates = 0;        // tried
  bool exhausted = false;              // the bound ended the search
  ElementDifference difference;        // the first element that differs
};

// Where on a device a case runs wrong: it in many workgroups at once, each of which says what runs it.
struct Location {
  struct Unit {
    unsigned xcc = 0, se = 0, cu = 0, simd = 0;
    std::uint64_t runs = 0, failed = 0;
  };
  std::uint64_t runs = 0, failed = 0, units = 0;  // workgroups; SIMDs that had any
  std::vector<Unit> failing;                      // those with a failure, in order
  std::string message;                            // one line, where it could not be told; else empty
};

// The devices that ran the same kernel on the same cases, by id.
struct AcrossDevices {
  std::vector<std::string> with, without, unknown;  // the finding; unknown: it was not run to its end there
  std::string attributed_to;  // PCI address of the only device with it; empty: not one device's own
};

struct Finding {
  FindingKind kind = FindingKind::kWrongBits;
  std::uint64_t unit = 0;  // UnitReport::number of the instance; of the program where `shape` is set
  std::string builtin, instance;
  std::string compiler, level;  // compiler: its path
  std::string device;
  std::string case_id;  // empty where no case was run
  std::string operand_class;
  std::string property;  // of a broken property: its name
  std::string message;   // one line
  std::string log;       // of a compiler; bounded
  std::uint64_t cases_affected = 0;
  std::uint64_t elements_differing = 0;           // over all cases of this instance, compiler and level
  std::vector<ElementDifference> differences;     // the first few of the first case
  std::uint64_t replays = 0, replays_failed = 0;  // of the case, after it failed
  std::string case_file;                          // where the case is kept; empty: nowhere
  std::optional<ReducedFailure> reduced;
  bool unsettled = false;                         // rests on an unsettled reading (docs/discrepancies.md)
  std::string attribution;                        // who else fails, in words; empty: not asked
  std::string waived;                             // why it does not count; empty: it does
  std::uint64_t repeats = 0, repeats_failed = 0;  // of the first case under --repeat: its launches, and the wrong ones
  // Over all failing elements of single calls: how many lie in each lane, and have each of their own bits wrong.
  std::map<int, std::uint64_t> failing_lanes, failing_bits;
  std::optional<Location> located;
  std::optional<AcrossDevices> across;  // where several devices ran the same
  // Of program shapes; empty on single instances.
  std::string shape, program;  // "k-loop", and which of its programs
  std::string source;          // the kernel, reduced where that succeeded
};

// verdict_of() its kind, but for what is waived.
Verdict verdict_of(const Finding& f);

// "mfma-conform replay FILE" for the smallest case file of the finding, for a shell; empty where there is none.
std::string replay_command(const Finding& f);

struct Counts {
  std::uint64_t executions = 0;         // instance x compiler x level that ran
  std::uint64_t cases = 0;              // case x compiler x level that ran
  std::uint64_t not_run = 0;            // case x compiler x level that gave no result: rejected, refused, hung or lost
  std::uint64_t elements = 0;           // output elements compared, all bits of each
  std::uint64_t exact = 0;              // of them: any lawful model gives these bits
  std::uint64_t model_dependent = 0;    // of them: the profile's model decides
  std::uint64_t differing = 0;          // elements that differ and gate
  std::uint64_t unconfirmed = 0;        // elements that differ, model-dependent under an unconfirmed rule on hardware
  std::uint64_t property_checks = 0;    // trials of properties that were judged
  std::uint64_t properties_broken = 0;  // of them: not held
  std::uint64_t unsettled_cases = 0;    // cases that rest on an unsettled reading of cbsz or blgp
  std::uint64_t left = 0;  // case x compiler x level that was planned and not reached: the run ended before

  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
};

// A point that the sources leave open, and what the device did: no failure.
struct OpenPoint {
  std::string property, builtin, reading;
  std::uint64_t checks = 0;  // in which this reading held and another did not
  bool operator==(const OpenPoint&) const = default;
};

// All bits of D of an instance's cases, by compiler and level. Kept where devices are compared; not in reports.
struct ExecutionDigest {
  std::string instance, compiler, level;
  std::uint64_t cases = 0, digest = 0;
};

// How often one property was judged on an instance.
struct PropertyCount {
  std::string property;
  std::uint64_t checks = 0, broken = 0;
  bool operator==(const PropertyCount&) const = default;
};
void add_to(std::vector<PropertyCount>& counts, const PropertyCount& more);

// One instance, or one program of a shape: the smallest part of a run that has a verdict of its own.
struct UnitReport {
  std::uint64_t number = 0;  // its place in the run of all shards: sorted by it, merged parts are the whole
  std::string group;         // its builtin, or the shape of a program
  std::string id;            // instance id, or the program's title
  bool smoke = false;        // run in every shard
  Verdict verdict = Verdict::kNotRun;
  bool untouched = false;  // not even its first cases and trials were all run: no pass, whatever they gave
  Counts counts;
  std::vector<PropertyCount>
      properties;  // those with checks; they add up to counts.property_checks and properties_broken
  std::vector<OpenPoint> open;

  bool operator==(const UnitReport&) const = default;
};

// The units of one builtin or shape, counted.
struct BuiltinReport {
  std::string builtin;
  std::uint64_t instances = 0;                                                                // planned
  std::uint64_t passed = 0, failed = 0, inconclusive = 0, hung = 0, waived = 0, not_run = 0;  // add up to instances
  // Of the profile's rules that the instances fall under, each once, sorted: "candidate", "confirmed".
  std::vector<std::string> rule_statuses, rule_sources;
  bool unlawful = false;  // properties not checked: the device is told to break them
  Counts counts;

  std::uint64_t& with(Verdict v);
  std::uint64_t with(Verdict v) const;
  // The worst of its instances; inconclusive where there are none.
  Verdict verdict() const;
  std::string rule_status() const;  // "candidate", "candidate+confirmed"
  void add_rule(const std::string& status, const std::string& source);
};

struct CompilerReport {
  std::string path, resolved, version, hash;
  std::vector<std::string> flags;  // of one job, the level shown as -O*
  std::uint64_t kernels_compiled = 0, kernels_from_cache = 0;

  bool operator==(const CompilerReport&) const = default;
};

// What one instance or program came to, with all that is said of it.
struct UnitResult {
  UnitReport unit;
  std::vector<Finding> findings;
  std::vector<ExecutionDigest> digests = {};
};

// Memory errors that the machine counts for a device (harness/devices/sysfs.h), before and after the run.
struct ErrorCounter {
  std::string name;                            // "umc.ue"
  std::optional<std::uint64_t> before, after;  // nothing: not to be read then
  bool rose() const { return after && *after > before.value_or(0); }
  bool operator==(const ErrorCounter&) const = default;
};

struct RunReport {
  std::string tool_version;
  std::string command;  // as typed
  std::vector<CompilerReport> compilers;
  std::vector<std::string> levels;
  std::string arch = "gfx950";
  std::string device_id, device_kind, device_description;
  bool device_emulated = false;
  std::vector<std::pair<std::string, std::string>> device_facts;  // PCI address, versions, libraries
  std::vector<ErrorCounter> device_errors;                        // empty: the machine does not tell
  std::string profile_name, profile_source;                       // source: file, or "built in"
  std::string profile_digest, device_profile_digest;              // over the rules: equal digests compute equal bits
  std::string device_profile_name, device_profile_source;
  std::string broadcast_reading;  // "per-set" or "whole-wave"
  std::uint64_t seed = 0;
  std::string tier;
  std::uint64_t cases_per_instance = 0;
  std::uint64_t repeats = 1;  // launches of each case
  std::uint64_t rounds = 1;   // of a soak: with seeds seed, seed + 1, ...
  std::string modifiers;
  std::vector<std::string> operand_classes;  // empty: as dealt by the case's index
  std::vector<std::string> properties;       // names of those checked
  std::string shapes_asked;                  // as --shape has it; empty: the tier's choice
  std::uint64_t cases_per_program = 0;
  std::uint64_t shard_index = 0, shard_count = 1;
  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  std::string stopped;            // why it ended before it was done: "time", "signal", "killed"; empty: it did not
  std::vector<UnitReport> units;  // every instance planned, in catalogue order
  std::vector<UnitReport> program_units;  // every program planned, in order of the plan
  // summarize() makes the rows of these two.
  std::vector<BuiltinReport> builtins;  // in catalogue order
  // Program shapes: `builtin` is the shape's name, `instances` are programs, `elements` are output dwords. Not part of
  // totals() and instances(), which count single calls.
  std::vector<BuiltinReport> shapes;
  std::vector<Finding> findings;         // in catalogue order, then instance, compiler, level
  std::vector<ExecutionDigest> digests;  // in catalogue order, then compiler and level; not written
  std::vector<OpenPoint> open;           // of all instances, one entry for each builtin, property and reading
  std::vector<JudgedWaiver> waivers;     // as judge_waivers() (waive.h) left them

  Counts totals() const;
  std::uint64_t instances() const;
  std::uint64_t instances_with(Verdict v) const;
  Counts program_totals() const;
  std::uint64_t programs() const;
  std::uint64_t programs_with(Verdict v) const;
  std::uint64_t waivers_with(WaiverState s) const;
  // 1 when anything failed, or a waiver is expired or unused; else 3 when anything hung; else 2 when anything is
  // inconclusive or was not run, or nothing was compared; else 0.
  ExitCode exit_code() const;
};

// Counts the units into the rows of builtins and shapes, and their open points. What rows have beside counts (rules)
// stays; a row without units goes, units without a row get one, in the order of the units.
void summarize(RunReport& report);

}  // namespace mfma::reports
