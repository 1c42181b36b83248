// The fields of a run's report. A new field of a report is one row here (docs/reports.md says what else it asks for).
#pragma once

#include <fmt/format.h>

#include "reports/model/finding_fields.h"
#include "reports/model/waiver_fields.h"

namespace mfma::reports {

inline constexpr auto kCompilerFields = record::record(
    "compiler", "A compiler under test.",
    record::field(&CompilerReport::path, {.key = "path", .doc = "As it was named."}),
    record::field(&CompilerReport::resolved, {.key = "resolved", .doc = "The file that this led to."}),
    record::field(&CompilerReport::version, {.key = "version", .doc = "First line of --version."}),
    record::field(&CompilerReport::hash, {.key = "hash", .doc = "Hash of the file and what belongs to it, hex."}),
    record::field(&CompilerReport::flags,
                  {.key = "flags", .doc = "Of one compilation, the level shown as -O*.", .item = "A flag."}),
    record::field(
        &CompilerReport::kernels_compiled,
        {.key = "kernels_compiled", .doc = "Kernels that it compiled in this run.", .merge = record::Merge::kSum}),
    record::field(
        &CompilerReport::kernels_from_cache,
        {.key = "kernels_from_cache", .doc = "Kernels that were taken from the cache.", .merge = record::Merge::kSum}));

inline constexpr auto kErrorCounterFields = record::record(
    "", "A counter.",
    record::field(&ErrorCounter::before,
                  {.key = "before", .doc = "Errors before the run; null: not to be read.", .null = true}),
    record::field(&ErrorCounter::after,
                  {.key = "after", .doc = "Errors after it; null: not to be read.", .null = true}),
    record::computed<ErrorCounter, bool>([](const ErrorCounter& c) { return c.rose(); },
                                         {.key = "rose", .doc = "More after than before."}));

inline constexpr auto kDeviceFields = record::record(
    "", "What ran the kernels.",
    record::field(&RunReport::device_id,
                  {.key = "id", .doc = "Its id, such as hip:0.", .compared = {"device: id", false, 3}}),
    record::field(&RunReport::device_kind, {.key = "kind",
                                            .doc = "emulated or hip.",
                                            .compared = {"device: kind", false, 3},
                                            .same_run = "kind of device"}),
    record::field(&RunReport::device_emulated, {.key = "emulated", .doc = "It is no hardware."}),
    record::field(&RunReport::device_description,
                  {.key = "description", .doc = "For people.", .compared = {"device", false, 2}}),
    record::text_by_name(&RunReport::device_facts, {.key = "facts",
                                                    .doc = "Versions, addresses and the like, by name.",
                                                    .item = "A fact.",
                                                    .compared = {"device: ", false, 4}}),
    record::named(&RunReport::device_errors, &ErrorCounter::name,
                  {.key = "error_counters",
                   .doc = "Memory errors that the machine counts for the device, by name of the counter."},
                  kErrorCounterFields));

inline std::string name_and_digest(const std::string& name, const std::string& digest) {
  return digest.empty() ? name : fmt::format("{} ({})", name, digest);
}

constexpr auto profile_fields(std::string RunReport::*name, std::string RunReport::*source,
                              std::string RunReport::*digest) {
  return record::record(
      "profile", "A profile of arithmetic.",
      record::field(name, {.key = "name", .doc = "Its name; empty where there is none."}),
      record::field(source, {.key = "source", .doc = "Its file, or 'built in'."}),
      record::field(digest, {.key = "digest", .doc = "Hash over its rules, hex: equal digests compute equal bits."}));
}

inline std::vector<std::string_view> broadcast_readings() { return {"per-set", "whole-wave"}; }

// What was run, and where: everything but results. In the order in which it is written.
inline constexpr auto kRunHead = std::tuple(
    record::constant(kReportSchema, {.key = "schema", .doc = "Name and number of this schema."}),
    record::group<RunReport>(
        {.key = "tool", .doc = "Who wrote it."},
        record::record("", "Who wrote it.", record::constant("mfma-conform", {.key = "name", .doc = "Always this."}),
                       record::field(&RunReport::tool_version, {.key = "version",
                                                                .doc = "Its version.",
                                                                .compared = {"mfma-conform", false, -2},
                                                                .same_run = "version of mfma-conform"}))),
    record::field(&RunReport::command, {.key = "command", .doc = "The command line, quoted for a shell."}),
    record::computed<RunReport, ExitCode>(
        [](const RunReport& r) { return r.exit_code(); },
        {.key = "exit_code",
         .doc =
             "0 pass; 1 a failure, or a waiver that is expired or unused; 2 no verdict; 3 a hang or a lost device."}),
    record::field(&RunReport::started, {.key = "started", .doc = "When, UTC, ISO 8601."}),
    record::field(&RunReport::seconds, {.key = "seconds",
                                        .doc = "Time that it took, seconds; of merged shards, the sum.",
                                        .merge = record::Merge::kSum}),
    record::field(&RunReport::stopped,
                  {.key = "stopped",
                   .doc = "Why it ended before it was done: time, signal, killed; empty: it did not.",
                   .compared = {"ended early by", true, 9},
                   .merge = record::Merge::kOwn}),
    record::field(
        &RunReport::arch,
        {.key = "arch", .doc = "Target of the compilers.", .compared = {"arch", false, 1}, .same_run = "arch"}),
    record::list(&RunReport::compilers,
                 {.key = "compilers",
                  .doc = "Compilers under test.",
                  .compared = {"compiler", false, -1},
                  .same_run = "compilers",
                  .merge = record::Merge::kSum},
                 kCompilerFields),
    record::field(&RunReport::levels, {.key = "levels",
                                       .doc = "Optimisation levels of single calls.",
                                       .item = "A level, such as O2.",
                                       .compared = {"levels"},
                                       .same_run = "levels",
                                       .if_none = "none named"}),
    record::group<RunReport>({.key = "device", .doc = "What ran the kernels."}, kDeviceFields),
    record::group<RunReport>(
        {.key = "profile",
         .doc = "What the oracle computes by.",
         .compared = {"profile", true, 5},
         .same_run = "profile"},
        profile_fields(&RunReport::profile_name, &RunReport::profile_source, &RunReport::profile_digest), nullptr,
        [](const RunReport& r) { return name_and_digest(r.profile_name, r.profile_digest); }),
    record::group<RunReport>(
        {.key = "device_profile",
         .doc = "What an emulated device computes by.",
         .compared = {"device profile", true, 5},
         .same_run = "device profile"},
        profile_fields(&RunReport::device_profile_name, &RunReport::device_profile_source,
                       &RunReport::device_profile_digest),
        nullptr, [](const RunReport& r) { return name_and_digest(r.device_profile_name, r.device_profile_digest); }),
    record::field(&RunReport::broadcast_reading, {.key = "broadcast_reading",
                                                  .doc = "How cbsz was read (docs/discrepancies.md).",
                                                  .words = broadcast_readings,
                                                  .compared = {"cbsz reading", true, 5},
                                                  .same_run = "cbsz reading"}),
    record::field(&RunReport::seed,
                  {.key = "seed", .doc = "Seed of the operands.", .compared = {"seed", true, 5}, .same_run = "seed"}),
    record::field(&RunReport::tier, {.key = "tier",
                                     .doc = "quick, standard, comprehensive or full.",
                                     .compared = {"tier", false, 5},
                                     .same_run = "tier"}),
    record::field(&RunReport::cases_per_instance, {.key = "cases_per_instance",
                                                   .doc = "Cases of an instance, for each compiler and level.",
                                                   .compared = {"cases per instance", true, 5},
                                                   .same_run = "cases per instance"}),
    record::field(&RunReport::cases_per_program,
                  {.key = "cases_per_program",
                   .doc = "Cases of a program and trip count, for each compiler and level.",
                   .compared = {"cases per program", true, 5},
                   .same_run = "cases per program"}),
    record::field(&RunReport::repeats, {.key = "repeats",
                                        .doc = "Launches of each case.",
                                        .compared = {"repeats", false, 5},
                                        .same_run = "launches of each case"}),
    record::field(&RunReport::rounds, {.key = "rounds",
                                       .doc = "Rounds of a soak, each with the next seed; else 1.",
                                       .compared = {"rounds", true, 5},
                                       .same_run = "rounds"}),
    record::field(&RunReport::modifiers, {.key = "modifiers",
                                          .doc = "all, default or none.",
                                          .compared = {"modifiers", true, 5},
                                          .same_run = "modifiers"}),
    record::field(&RunReport::operand_classes,
                  {.key = "operand_classes",
                   .doc = "Classes that were asked for; none: as dealt by the case's index.",
                   .item = "A class.",
                   .compared = {"operand classes", true, 5},
                   .same_run = "operand classes",
                   .if_none = "none named"}),
    record::field(&RunReport::properties, {.key = "properties",
                                           .doc = "Properties that were checked.",
                                           .item = "A property.",
                                           .compared = {"properties", true, 5},
                                           .same_run = "properties",
                                           .if_none = "none named"}),
    record::field(&RunReport::shapes_asked, {.key = "shapes_asked",
                                             .doc = "As --shape had it; empty: the tier's choice.",
                                             .compared = {"shapes", true, 5},
                                             .same_run = "shapes",
                                             .if_none = "by tier"}),
    record::group<RunReport>(
        {.key = "shard",
         .doc = "Which part of the run.",
         .compared = {"shard", false, 5},
         .merge = record::Merge::kOwn},
        record::record(
            "", "Which part of the run.",
            record::field(&RunReport::shard_index, {.key = "index", .doc = "From 1.", .minimum = 1}),
            record::field(&RunReport::shard_count, {.key = "count", .doc = "Number of shards.", .minimum = 1})),
        nullptr, [](const RunReport& r) { return fmt::format("{}/{}", r.shard_index, r.shard_count); }));

inline constexpr auto kTotals = record::record(
    "", "Sums over all builtins.",
    record::computed<RunReport, std::uint64_t>([](const RunReport& r) { return std::uint64_t{r.builtins.size()}; },
                                               {.key = "builtins", .doc = "Number of builtins."}),
    record::computed<RunReport, std::uint64_t>([](const RunReport& r) { return r.instances(); },
                                               {.key = "instances", .doc = "Number of instances that were planned."}),
    record::Tally<RunReport, Verdict, kVerdicts.size()>{
        &kVerdicts, count_name_of, name_of, [](const RunReport& r, Verdict v) { return r.instances_with(v); }, nullptr,
        "Instances with the verdict "},
    record::Counted<RunReport, Counts, kCounts.size()>{[](const RunReport& r) { return r.totals(); },
                                                       nullptr,
                                                       &kCounts,
                                                       false,
                                                       {.key = "counts", .doc = "Over all of them."}},
    record::group<RunReport>({.key = "waivers", .doc = "Number of waivers by state."},
                             record::record("", "Number of waivers by state.",
                                            record::Tally<RunReport, WaiverState, kWaiverStates.size()>{
                                                &kWaiverStates, name_of, name_of,
                                                [](const RunReport& r, WaiverState s) { return r.waivers_with(s); },
                                                nullptr, "Waivers that are "})));

inline constexpr auto kProgramTotals = record::record(
    "", "Sums over all shapes.",
    record::computed<RunReport, std::uint64_t>([](const RunReport& r) { return std::uint64_t{r.shapes.size()}; },
                                               {.key = "shapes", .doc = "Number of shapes."}),
    record::computed<RunReport, std::uint64_t>([](const RunReport& r) { return r.programs(); },
                                               {.key = "programs", .doc = "Number of programs that were planned."}),
    record::Tally<RunReport, Verdict, kVerdicts.size()>{
        &kVerdicts, count_name_of, name_of, [](const RunReport& r, Verdict v) { return r.programs_with(v); }, nullptr,
        "Programs with the verdict "},
    record::Counted<RunReport, Counts, kCounts.size()>{[](const RunReport& r) { return r.program_totals(); },
                                                       nullptr,
                                                       &kCounts,
                                                       false,
                                                       {.key = "counts", .doc = "Over all of them."}});

constexpr record::About line_each(const char* key, const char* doc, const char* same_run = nullptr) {
  return {.key = key, .doc = doc, .line_each = true, .same_run = same_run, .merge = record::Merge::kOwn};
}

inline constexpr auto kRunLists = std::tuple(
    record::list(&RunReport::builtins, line_each("builtins", "By builtin, in the order of the catalogue."),
                 kBuiltinFields),
    record::list(&RunReport::shapes, line_each("shapes", "By shape."), kShapeFields),
    record::list(&RunReport::findings, line_each("findings", "All that is wrong, and warnings."), kFindingFields),
    record::list(&RunReport::open, line_each("open", "Over all instances."), kOpenPointFields),
    record::list(&RunReport::waivers, line_each("waivers", "Those of --waivers that are of run.", "waivers"),
                 kWaiverFields),
    record::list(&RunReport::units, line_each("instances", "Every instance that was planned."), kInstanceFields),
    record::list(&RunReport::program_units, line_each("programs", "Every program that was planned."), kProgramFields));

inline constexpr auto kRunTotals =
    std::tuple(record::group<RunReport>({.key = "totals", .doc = "Sums over all builtins."}, kTotals),
               record::group<RunReport>({.key = "program_totals", .doc = "Sums over all shapes."}, kProgramTotals));

inline constexpr auto kRunFields = std::tuple_cat(kRunHead, kRunTotals, kRunLists);

}  // namespace mfma::reports
