// The fields of a comparison of two reports.
#pragma once

#include "reports/model/compare.h"
#include "reports/model/finding_fields.h"

namespace mfma::reports {

inline constexpr auto kChangedFactFields = record::record(
    "", "Something that is not the same.", record::field(&ChangedFact::name, {.key = "name", .doc = "What."}),
    record::field(&ChangedFact::before, {.key = "before", .doc = "In the old report; empty: nothing."}),
    record::field(&ChangedFact::after, {.key = "after", .doc = "In the new report; empty: nothing."}));

inline constexpr auto kChangedFindingFields = record::record(
    "", "One finding in either report; shortened.",
    record::object(
        &ChangedFinding::before,
        {.key = "before", .doc = "In the old report; null: it is not there.", .null = true, .in_short = true},
        kFindingFields),
    record::object(&ChangedFinding::after,
                   {.key = "after", .doc = "In the new report; null: it is not there.", .null = true, .in_short = true},
                   kFindingFields));

inline std::vector<std::string_view> unit_kinds() { return {"instance", "program"}; }

inline constexpr auto kChangedVerdictFields =
    record::record("", "An instance or a program with another verdict.",
                   record::field(&ChangedVerdict::kind, {.key = "kind", .doc = "Which of both.", .words = unit_kinds}),
                   record::field(&ChangedVerdict::id, {.key = "id", .doc = "Its name."}),
                   record::field(&ChangedVerdict::before, {.key = "before", .doc = "In the old report."}),
                   record::field(&ChangedVerdict::after, {.key = "after", .doc = "In the new report."}));

inline constexpr const char* kUnitName = "Name of an instance or a program.";

inline constexpr auto kComparisonFields = record::record(
    "", "What changed between two reports.",
    record::constant(kCompareSchema, {.key = "schema", .doc = "Name and number of this schema."}),
    record::computed<Comparison, ExitCode>(
        [](const Comparison& c) { return c.exit_code(); },
        {.key = "exit_code",
         .doc =
             "0 no new failure; 1 a new failure; 3 all new failures are hangs or lost devices; 2 nothing is in both, "
             "or something has no verdict any more."}),
    record::field(&Comparison::before_name, {.key = "before", .doc = "File of the old report."}),
    record::field(&Comparison::after_name, {.key = "after", .doc = "File of the new report."}),
    record::field(&Comparison::in_both, {.key = "in_both", .doc = "Instances and programs in both."}),
    record::computed<Comparison, std::uint64_t>([](const Comparison& c) { return std::uint64_t{c.still_wrong.size()}; },
                                                {.key = "same_failures", .doc = "Findings that are wrong in both."}),
    record::list(&Comparison::environment,
                 {.key = "environment", .doc = "What differs in tool, compilers, device, profiles and options."},
                 kChangedFactFields),
    record::field(&Comparison::unlike,
                  {.key = "unlike",
                   .doc = "Names in environment of what decides which cases there are and how they are judged.",
                   .item = "Name of a fact."}),
    record::list(&Comparison::new_failures,
                 {.key = "new_failures",
                  .doc = "Failures and hangs that are not waived and were not there before, or were waived."},
                 kChangedFindingFields),
    record::list(&Comparison::fixed, {.key = "fixed", .doc = "What was wrong and ran to its end without it."},
                 kChangedFindingFields),
    record::list(&Comparison::still_wrong, {.key = "still_wrong", .doc = "Wrong in both, waived or not."},
                 kChangedFindingFields),
    record::list(&Comparison::changed_bits,
                 {.key = "changed_bits", .doc = "Wrong in both on the same case, with other bits."},
                 kChangedFindingFields),
    record::list(&Comparison::verdicts, {.key = "verdicts", .doc = "Of those in both."}, kChangedVerdictFields),
    record::field(&Comparison::lost,
                  {.key = "lost", .doc = "Had a verdict, pass or fail, and have none now.", .item = kUnitName}),
    record::field(&Comparison::only_before,
                  {.key = "only_before", .doc = "Only in the old report.", .item = kUnitName}),
    record::field(&Comparison::only_after, {.key = "only_after", .doc = "Only in the new report.", .item = kUnitName}));

}  // namespace mfma::reports
