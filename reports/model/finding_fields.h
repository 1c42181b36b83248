// The fields of findings and of what they consist of.
#pragma once

#include "harness/cases/case_file.h"
#include "reports/model/unit_fields.h"

namespace mfma::reports {

namespace record {

template <>
struct Words<FindingKind> {
  static constexpr const char* kWhat = "is no code of a finding";
  static constexpr const char* kDef = "";
  static constexpr const char* kDoc = "";
  static std::string_view name(FindingKind k) { return code_of(k); }
  static std::optional<FindingKind> named(std::string_view name) { return kind_named(name); }
  static std::vector<FindingKind> all() {
    std::vector<FindingKind> kinds;
    for (int k = 0; k < kFindingKinds; ++k) kinds.push_back(static_cast<FindingKind>(k));
    return kinds;
  }
};

}  // namespace record

inline constexpr auto kDifferenceFields = record::record(
    "difference", "An output element that is not as it must be.",
    record::field(&ElementDifference::block, {.key = "block", .doc = "Block of D; of a program, its output."}),
    record::field(&ElementDifference::row, {.key = "row", .doc = "Row of D."}),
    record::field(&ElementDifference::column, {.key = "column", .doc = "Column of D."}),
    record::field(&ElementDifference::lane, {.key = "lane", .doc = "Lane, 0 to 63, that holds it.", .maximum = 63}),
    record::computed<ElementDifference, std::uint64_t>(
        [](const ElementDifference& d) { return static_cast<std::uint64_t>(d.bit / 32); },
        {.key = "register", .doc = "Dword register of D that holds it."}),
    record::field(&ElementDifference::bit, {.key = "bit", .doc = "Bit in the lane's part of D at which it begins."}),
    record::field(&ElementDifference::width, {.key = "width", .doc = "Its width, bits."}),
    record::bits(&ElementDifference::expected, &ElementDifference::width,
                 {.key = "expected", .doc = "What it must be: bits in hex."}),
    record::bits(&ElementDifference::actual, &ElementDifference::width,
                 {.key = "actual", .doc = "What it is: bits in hex."}),
    record::field(&ElementDifference::exact,
                  {.key = "exact", .doc = "No lawful model gives other bits than expected."}),
    record::field(&ElementDifference::against,
                  {.key = "against", .doc = "Of a property: what it was compared with.", .optional = true}));

inline constexpr auto kReducedFields = record::record(
    "reduced", "A failing case with as little in it as was found to fail.",
    record::field(&ReducedFailure::instance, {.key = "instance", .doc = "Its instance."}),
    record::field(&ReducedFailure::level, {.key = "level", .doc = "Its level, such as O0."}),
    record::field(&ReducedFailure::nonzero_products,
                  {.key = "nonzero_products", .doc = "Products of the element that are not zero."}),
    record::field(&ReducedFailure::candidates, {.key = "candidates", .doc = "Cases that were tried."}),
    record::field(&ReducedFailure::exhausted, {.key = "exhausted", .doc = "The bound on tries ended the search."}),
    record::object(&ReducedFailure::difference, {.key = "difference", .doc = "The first element that differs."},
                   kDifferenceFields),
    record::field(&ReducedFailure::file, {.key = "file", .doc = "Where it is kept; empty: nowhere."}),
    record::field(&ReducedFailure::text, {.key = "case", .doc = "The case file, as docs/case-file.md has it."}));

inline constexpr auto kLocatedUnitFields =
    record::record("", "A SIMD with failures.", record::field(&Location::Unit::xcc, {.key = "xcc", .doc = "XCC."}),
                   record::field(&Location::Unit::se, {.key = "se", .doc = "Shader engine."}),
                   record::field(&Location::Unit::cu, {.key = "cu", .doc = "Compute unit."}),
                   record::field(&Location::Unit::simd, {.key = "simd", .doc = "SIMD."}),
                   record::field(&Location::Unit::runs, {.key = "runs", .doc = "Workgroups on it."}),
                   record::field(&Location::Unit::failed, {.key = "failed", .doc = "Those with wrong bits."}));

inline constexpr auto kLocationFields = record::record(
    "", "Where on the device the case runs wrong.",
    record::field(&Location::runs, {.key = "runs", .doc = "Workgroups that ran it."}),
    record::field(&Location::failed, {.key = "failed", .doc = "Those that gave wrong bits."}),
    record::field(&Location::units, {.key = "simds", .doc = "SIMDs that had any of them."}),
    record::list(&Location::failing, {.key = "failing", .doc = "SIMDs with failures."}, kLocatedUnitFields),
    record::field(&Location::message, {.key = "message", .doc = "Why it could not be told; empty: it could."}));

inline constexpr auto kAcrossFields = record::record(
    "", "Where several devices ran the same kernel on the same cases.",
    record::field(&AcrossDevices::with, {.key = "with", .doc = "Devices with the finding.", .item = "Id of a device."}),
    record::field(&AcrossDevices::without, {.key = "without", .doc = "Devices without it.", .item = "Id of a device."}),
    record::field(&AcrossDevices::unknown,
                  {.key = "unknown", .doc = "Devices on which it was not run to its end.", .item = "Id of a device."}),
    record::field(
        &AcrossDevices::attributed_to,
        {.key = "attributed_to", .doc = "PCI address of the only device with it; empty: it is not one device's own."}));

inline constexpr auto kReplayFields = record::record(
    "", "The case run again after it failed.", record::field(&Finding::replays, {.key = "runs", .doc = "How often."}),
    record::field(&Finding::replays_failed, {.key = "failed", .doc = "How often it failed again."}),
    record::computed<Finding, std::string>(
        [](const Finding& f) { return std::string(cases::word_of({.failed = f.replays_failed, .runs = f.replays})); },
        {.key = "label", .doc = "deterministic, intermittent or not reproduced."}));

inline constexpr auto kRepeatFields =
    record::record("", "The first failing case under --repeat.",
                   record::field(&Finding::repeats, {.key = "launches", .doc = "How often it was launched."}),
                   record::field(&Finding::repeats_failed,
                                 {.key = "differing", .doc = "Launches that gave other bits than they must."}));

constexpr record::About left_out(const char* key, const char* doc, Detail from = Detail::kBare,
                                 const char* item = nullptr) {
  return {.key = key, .doc = doc, .item = item, .optional = true, .from = from};
}

inline constexpr auto kFindingFields = record::record(
    "finding", "Something wrong.",
    record::field(&Finding::kind, {.key = "code", .doc = "What kind of thing; docs/codes.md explains each."}),
    record::computed<Finding, Verdict>(
        [](const Finding& f) { return verdict_of(f); },
        {.key = "verdict", .doc = "What it makes of its instance or program: pass of a warning."}),
    record::field(&Finding::unit, {.key = "unit", .doc = "Number of its instance, or with 'shape' of its program."}),
    record::field(&Finding::builtin, {.key = "builtin", .doc = "Its builtin; empty of waivers."}),
    record::field(&Finding::instance,
                  {.key = "instance", .doc = "Its instance; of a program, all it calls; empty of waivers."}),
    record::field(&Finding::shape, left_out("shape", "Of a program: its shape.")),
    record::field(&Finding::program, left_out("program", "Of a program: its title.")),
    record::field(&Finding::compiler, {.key = "compiler", .doc = "Path of the compiler."}),
    record::field(&Finding::level, {.key = "level", .doc = "Level, such as O2."}),
    record::field(&Finding::device, {.key = "device", .doc = "Id of the device."}),
    record::field(&Finding::case_id, left_out("case", "Name of the first failing case, or trial.", Detail::kShort)),
    record::field(&Finding::operand_class, left_out("operand_class", "Class of its operands.", Detail::kShort)),
    record::field(&Finding::property, left_out("property", "Name of the property, of what was found in checking one.")),
    record::field(&Finding::message, {.key = "message", .doc = "What was seen, one line."}),
    record::field(&Finding::attribution, left_out("attribution", "Who else fails, in words.")),
    record::field(&Finding::waived, left_out("waived", "Why it does not count: reason and link of the waiver.")),
    record::field(&Finding::cases_affected, left_out("cases_affected", "Cases or trials that failed.")),
    record::field(&Finding::elements_differing,
                  left_out("elements_differing", "Elements that differ, over all cases.")),
    record::field(&Finding::unsettled,
                  left_out("unsettled_reading", "It rests on a reading of cbsz or blgp on which sources differ.")),
    record::list(
        &Finding::differences,
        left_out("differences", "The first few elements that differ in the first failing case.", Detail::kShort),
        kDifferenceFields),
    record::group<Finding>(left_out("replay", "The case run again after it failed.", Detail::kShort), kReplayFields,
                           [](const Finding& f) { return f.replays != 0; }),
    record::group<Finding>(left_out("repeat", "The first failing case under --repeat.", Detail::kShort), kRepeatFields,
                           [](const Finding& f) { return f.repeats > 1; }),
    record::object(
        &Finding::across,
        left_out("across_devices", "Where several devices ran the same kernel on the same cases.", Detail::kShort),
        kAcrossFields),
    record::field(&Finding::case_file, left_out("case_file", "Where the failing case is kept.", Detail::kShort)),
    record::computed<Finding, std::string>(
        replay_command,
        left_out("replay_command", "A line for a shell that runs the smallest kept case again.", Detail::kShort)),
    record::object(&Finding::reduced, left_out("reduced", "", Detail::kShort), kReducedFields),
    record::number_by_place(
        &Finding::failing_lanes,
        left_out("failing_lanes", "Over all failing elements: how many, by lane.", Detail::kFull, "Failing elements.")),
    record::number_by_place(&Finding::failing_bits,
                            left_out("failing_bits", "Over all failing elements: how many, by bit of the element.",
                                     Detail::kFull, "Failing elements.")),
    record::object(&Finding::located, left_out("located", "Where on the device the case runs wrong.", Detail::kFull),
                   kLocationFields),
    record::field(&Finding::log, left_out("log", "Of the compiler or the device; bounded.", Detail::kFull)),
    record::field(&Finding::source,
                  left_out("source", "Of a program: its kernel, reduced where that succeeded.", Detail::kFull)),
    record::Shortened{
        {.key = "shortened", .doc = "One difference and no logs: there are many findings.", .optional = true}});

}  // namespace mfma::reports
