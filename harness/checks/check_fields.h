// The fields of what check-compiler writes, schema reports/schema/check-1.json.
#pragma once

#include <string>
#include <vector>

#include "harness/checks/check.h"
#include "harness/checks/finding.h"
#include "harness/checks/render.h"
#include "reports/model/record.h"

namespace mfma::reports::record {

// All words of a table of rows as names.
template <typename Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace mfma::reports::record

namespace mfma::checks {

namespace record = reports::record;

struct CheckDocument {
  std::string command;
  std::vector<CheckReport> compilers;
};

inline std::vector<std::string_view> code_names() { return record::names_of(all_codes()); }
inline std::vector<std::string_view> severity_names() {
  return {name_of(Severity::kGate), name_of(Severity::kWarn), name_of(Severity::kIgnore)};
}

inline constexpr auto kFindingFields = record::record(
    "", "Something wrong with what the compiler makes.",
    record::computed<Finding, std::string>(
        [](const Finding& f) { return std::string(info_of(f.code).name); },
        {.key = "code", .doc = "What kind of thing; docs/compilers.md explains each.", .words = code_names}),
    record::computed<Finding, std::string>([](const Finding& f) { return std::string(name_of(f.severity)); },
                                           {.key = "severity",
                                            .doc = "gate: it decides the exit code; warn: shown; ignore: counted.",
                                            .words = severity_names}),
    record::computed<Finding, bool>([](const Finding& f) { return f.gates(); },
                                    {.key = "gates", .doc = "It fails the check: of severity gate, and not waived."}),
    record::field(&Finding::subject,
                  {.key = "subject", .doc = "What it is about, the same for every compiler and level."}),
    record::computed<Finding, std::string>(key_of,
                                           {.key = "key", .doc = "Code, subject and target: what waivers match."}),
    record::field(&Finding::arch, {.key = "arch", .doc = "The target."}),
    record::field(&Finding::levels,
                  {.key = "levels", .doc = "Levels at which it was seen.", .item = "A level, such as O2."}),
    record::field(
        &Finding::levels_without,
        {.key = "levels_without", .doc = "Levels that were tried without it.", .item = "A level, such as O2."}),
    record::field(&Finding::message, {.key = "message", .doc = "What was seen, one line."}),
    record::field(&Finding::waived,
                  {.key = "waived", .doc = "The reason of the waiver that covers it; empty: none does."}),
    record::field(&Finding::command,
                  {.key = "command", .doc = "The compiler's command line that shows it.", .item = "A word of it."}),
    record::field(&Finding::source,
                  {.key = "source", .doc = "A translation unit that shows it; empty: none is needed."}),
    record::field(&Finding::log, {.key = "log", .doc = "Of the compiler."}));

inline constexpr auto kAcceptanceFields =
    record::record("", "A builtin's plain call for one target at one level.",
                   record::field(&Acceptance::builtin, {.key = "builtin", .doc = "The builtin."}),
                   record::field(&Acceptance::arch, {.key = "arch", .doc = "The target."}),
                   record::field(&Acceptance::level, {.key = "level", .doc = "The level, such as O2."}),
                   record::field(&Acceptance::expected, {.key = "expected", .doc = "The target has the builtin."}),
                   record::computed<Acceptance, std::string>(
                       [](const Acceptance& a) { return std::string(compilers::name_of(a.outcome)); },
                       {.key = "outcome", .doc = "What became of it."}));

template <typename T>
constexpr auto counted(T CheckReport::*member, const char* key, const char* doc) {
  return record::field(member, {.key = key, .doc = doc});
}

inline constexpr auto kCheckCounts = record::record(
    "", "How much was looked at.",
    counted(&CheckReport::calls, "calls", "Calls that were compiled for the acceptance of builtins."),
    counted(&CheckReport::immediates, "immediates", "Immediates out of range that were tried."),
    counted(&CheckReport::encodings, "encodings", "Kernels whose instruction was decoded and compared."),
    counted(&CheckReport::wait_states, "wait_states", "Kernels whose wait states were looked at on every path."),
    counted(&CheckReport::executions, "executions", "Kernels that were run on the emulated device."),
    record::computed<CheckReport, std::uint64_t>(
        [](const CheckReport& r) { return std::uint64_t{r.findings.size()}; },
        {.key = "findings", .doc = "Findings, those that gate and those that do not."}));

inline constexpr auto kIdentityFields = std::tuple(
    record::computed<compilers::Identity, std::string>([](const compilers::Identity& i) { return i.path.string(); },
                                                       {.key = "path", .doc = "As it was named."}),
    record::computed<compilers::Identity, std::string>([](const compilers::Identity& i) { return i.resolved.string(); },
                                                       {.key = "resolved", .doc = "The file that this led to."}),
    record::field(&compilers::Identity::version, {.key = "version", .doc = "First line of --version."}),
    record::field(&compilers::Identity::hash, {.key = "hash", .doc = "Hash of the file and what belongs to it, hex."}));

inline constexpr auto kCheckReportFields = record::record(
    "", "A compiler and what was found of it.", record::inlined(&CheckReport::compiler, kIdentityFields),
    record::field(&CheckReport::levels,
                  {.key = "levels", .doc = "Optimisation levels that were tried.", .item = "A level, such as O2."}),
    record::computed<CheckReport, reports::ExitCode>(
        [](const CheckReport& r) { return exit_code(r); },
        {.key = "exit_code", .doc = "0 nothing gates; 1 something does; 2 no verdict."}),
    record::field(&CheckReport::seconds, {.key = "seconds", .doc = "Time that it took, seconds."}),
    record::group<CheckReport>({.key = "counts", .doc = "How much was looked at."}, kCheckCounts),
    record::field(&CheckReport::unknown_targets,
                  {.key = "unknown_targets",
                   .doc = "Targets that this compiler does not know: nothing was judged for them.",
                   .item = "A target."}),
    record::list(&CheckReport::findings,
                 {.key = "findings", .doc = "By code, then in the order in which they were met."}, kFindingFields),
    record::list(&CheckReport::acceptance, {.key = "acceptance", .doc = "Each builtin for each target at each level."},
                 kAcceptanceFields));

inline constexpr auto kCheckFields = record::record(
    "", "What check-compiler found.",
    record::constant(kCheckSchema, {.key = "schema", .doc = "Name and number of this schema."}),
    record::field(&CheckDocument::command, {.key = "command", .doc = "The command line, quoted for a shell."}),
    record::list(&CheckDocument::compilers, {.key = "compilers", .doc = "Each compiler that was checked."},
                 kCheckReportFields));

}  // namespace mfma::checks
