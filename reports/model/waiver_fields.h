// The fields of waivers: in the files that the user writes, and in reports.
#pragma once

#include "reports/model/record.h"
#include "reports/model/report.h"
#include "reports/model/waiver.h"
#include "reports/model/words.h"

namespace mfma::reports {

namespace record {

template <>
struct Words<WaiverState> {
  static constexpr const char* kWhat = "is no state of a waiver";
  static constexpr const char* kDef = "";
  static constexpr const char* kDoc = "";
  static std::string_view name(WaiverState s) { return name_of(s); }
  static std::optional<WaiverState> named(std::string_view name) {
    for (const WaiverState s : kWaiverStates) {
      if (name_of(s) == name) return s;
    }
    return std::nullopt;
  }
  static std::vector<WaiverState> all() { return {kWaiverStates.begin(), kWaiverStates.end()}; }
};

}  // namespace record

// What a waiver may speak of: findings that fail, hang or leave no verdict.
inline std::vector<std::string_view> waivable_codes() {
  std::vector<std::string_view> codes;
  for (int k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    if (!is_of_waiver(kind) && verdict_of(kind) != Verdict::kPass) codes.push_back(code_of(kind));
  }
  return codes;
}

constexpr auto waiver_text(std::string Waiver::*member, const char* key, const char* doc) {
  return record::field(member, {.key = key, .doc = doc, .optional = true});
}

// All texts of a waiver, in this order in messages too.
inline constexpr auto kWaiverTexts = std::tuple(
    waiver_text(&Waiver::finding, "finding", "Of check-compiler: glob over keys of findings."),
    waiver_text(&Waiver::builtin, "builtin", "Glob."), waiver_text(&Waiver::instance, "instance", "Glob."),
    waiver_text(&Waiver::shape, "shape", "Glob."),
    record::field(&Waiver::code,
                  {.key = "code", .doc = "Code of the findings.", .optional = true, .words = waivable_codes}),
    waiver_text(&Waiver::property, "property", "Name of the property."),
    waiver_text(&Waiver::level, "level", "Level, such as O2."), waiver_text(&Waiver::arch, "arch", "Glob."),
    waiver_text(&Waiver::device, "device", "Glob over id or description."),
    waiver_text(&Waiver::compiler, "compiler", "Glob over the first line of --version."),
    waiver_text(&Waiver::compiler_from, "compiler_from", "Lowest version."),
    waiver_text(&Waiver::compiler_to, "compiler_to", "Highest version."),
    record::field(&Waiver::reason, {.key = "reason", .doc = "Why, one line.", .optional = true, .required = true}),
    record::field(&Waiver::link, {.key = "link", .doc = "Where to read more.", .optional = true, .required = true}),
    record::field(&Waiver::expires, {.key = "expires",
                                     .doc = "Last day on which it waives, UTC.",
                                     .optional = true,
                                     .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}));

inline constexpr auto kWaiverFields = record::record(
    "waiver", "A waiver and what it did (docs/reports.md).",
    record::inlined(
        &JudgedWaiver::waiver,
        std::tuple(
            record::field(&Waiver::file, {.key = "file", .doc = "The file it stands in."}),
            record::field(&Waiver::number, {.key = "number", .doc = "Its place in the file, from 1.", .minimum = 1}))),
    record::field(&JudgedWaiver::state,
                  {.key = "state", .doc = "used; unused and expired fail the run; idle: not judged."}),
    record::inlined(
        &JudgedWaiver::waiver,
        std::tuple_cat(kWaiverTexts,
                       std::tuple(record::field(
                           &Waiver::may_pass, {.key = "may_pass", .doc = "It may waive nothing.", .optional = true})))),
    record::field(&JudgedWaiver::findings, {.key = "findings", .doc = "Findings that it matches."}),
    record::field(&JudgedWaiver::units,
                  {.key = "units", .doc = "Instances or programs that it is about and that ran to their end."}),
    record::field(&JudgedWaiver::units_left, {.key = "units_left", .doc = "Those that did not."}));

}  // namespace mfma::reports
