#include "reports/terminal/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/cases/case_file.h"

namespace mfma::reports {
namespace {

std::string painted(bool colour, Verdict v) {
  const std::string_view text = name_of(v);
  if (!colour) return fmt::format("{:<12}", text);
  const char* code = v == Verdict::kPass ? "32" : v == Verdict::kFail ? "31;1" : "33";
  return fmt::format("\x1b[{}m{:<12}\x1b[0m", code, text);
}

// 12345678 -> "12 345 678": the counts are long.
std::string grouped(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

void add_header(const RunReport& r, std::string& out) {
  for (const CompilerReport& c : r.compilers) {
    out += fmt::format("compiler  {} ({}, {})\n", printable(c.version), printable(c.path), printable(c.hash));
  }
  if (!r.compilers.empty())
    out += fmt::format("flags     {}\n", printable(fmt::to_string(fmt::join(r.compilers[0].flags, " "))));
  out += fmt::format("device    {}\n", printable(r.device_description));
  out += fmt::format("profile   {} ({})", printable(r.profile_name), printable(r.profile_source));
  if (!r.device_profile_source.empty() && r.device_profile_source != r.profile_source) {
    out += fmt::format("; device computes by {} ({})", printable(r.device_profile_name),
                       printable(r.device_profile_source));
  }
  out += fmt::format("\nrun       seed {}, tier {}, {} cases per instance, modifiers {}, cbsz read {}", r.seed,
                     printable(r.tier), r.cases_per_instance, printable(r.modifiers), printable(r.broadcast_reading));
  if (r.repeats > 1) out += fmt::format(", each launched {} times", r.repeats);
  if (r.rounds > 1) out += fmt::format(", {} rounds with seeds {} to {}", r.rounds, r.seed, r.seed + (r.rounds - 1));
  if (r.shard_count > 1) out += fmt::format(", shard {}/{}", r.shard_index, r.shard_count);
  out += "\n\n";
}

void add_uncommon(const BuiltinReport& b, std::string& out) {
  if (b.inconclusive) out += fmt::format("  {} inconclusive", b.inconclusive);
  if (b.hung) out += fmt::format("  {} hung", b.hung);
  if (b.waived) out += fmt::format("  {} waived", b.waived);
  if (b.not_run) out += fmt::format("  {} not run", b.not_run);
}

void add_builtins(const RunReport& r, const TerminalOptions& options, std::string& out) {
  out += fmt::format("{:<36} {:<12} {:>9} {:>8} {:>12} {:>12} {:>12}  {}\n", "builtin", "verdict", "instances", "cases",
                     "elements", "exact", "by model", "rule");
  for (const BuiltinReport& b : r.builtins) {
    out += fmt::format("{:<36} {} {:>9} {:>8} {:>12} {:>12} {:>12}  {}", b.builtin,
                       painted(options.colour, b.verdict()), b.instances, b.counts.cases, b.counts.elements,
                       b.counts.exact, b.counts.model_dependent, b.rule_status());
    if (b.failed) out += fmt::format("  {} failed", b.failed);
    if (b.counts.property_checks) out += fmt::format("  {} property checks", b.counts.property_checks);
    if (b.unlawful)
      out += "  properties left out: the profile's model is not lawful here (docs/numerics.md, section 4)";
    if (b.counts.properties_broken) out += fmt::format(", {} broken", b.counts.properties_broken);
    add_uncommon(b, out);
    if (b.counts.unconfirmed) out += fmt::format("  {} elements unconfirmed", b.counts.unconfirmed);
    if (b.counts.unsettled_cases) out += fmt::format("  {} cases on an unsettled reading", b.counts.unsettled_cases);
    out += "\n";
    if (options.verbose)
      out += fmt::format("    rule source: {}\n", printable(fmt::to_string(fmt::join(b.rule_sources, "; "))));
  }
}

void add_shapes(const RunReport& r, const TerminalOptions& options, std::string& out) {
  if (r.shapes.empty()) return;
  out += fmt::format("\n{:<36} {:<12} {:>9} {:>8} {:>12} {:>12} {:>12}\n", "shape", "verdict", "programs", "cases",
                     "dwords", "exact", "by model");
  for (const BuiltinReport& b : r.shapes) {
    out += fmt::format("{:<36} {} {:>9} {:>8} {:>12} {:>12} {:>12}", b.builtin, painted(options.colour, b.verdict()),
                       b.instances, b.counts.cases, b.counts.elements, b.counts.exact, b.counts.model_dependent);
    if (b.failed) out += fmt::format("  {} failed", b.failed);
    add_uncommon(b, out);
    if (b.counts.unconfirmed) out += fmt::format("  {} dwords unconfirmed", b.counts.unconfirmed);
    out += "\n";
  }
}

// "5 (12), 7 (3)", the most frequent first.
std::string most_frequent(const std::map<int, std::uint64_t>& counts) {
  constexpr std::size_t kShown = 6;
  std::vector<std::pair<int, std::uint64_t>> all(counts.begin(), counts.end());
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
    return x.second != y.second ? x.second > y.second : x.first < y.first;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i)
    text += fmt::format("{}{} ({})", i ? ", " : "", all[i].first, all[i].second);
  return text + (all.size() > kShown ? fmt::format(" and {} more", all.size() - kShown) : "");
}

void add_location(const Location& at, std::string& out) {
  constexpr std::size_t kShown = 4;
  if (!at.message.empty()) {
    out += fmt::format("  where on the device is not known: {}\n", printable(at.message));
    return;
  }
  out += fmt::format("  where: {} of {} runs on {} SIMDs fail", at.failed, at.runs, at.units);
  if (at.failed == 0) out += ", so that none can be named";
  if (at.failing.size() == at.units) out += ", on every one of them: not of one unit";
  out += "\n";
  if (at.failing.size() == at.units) return;
  for (std::size_t i = 0; i < std::min(kShown, at.failing.size()); ++i) {
    const Location::Unit& u = at.failing[i];
    out += fmt::format("    XCC {} SE {} CU {} SIMD {}: {} of {}\n", u.xcc, u.se, u.cu, u.simd, u.failed, u.runs);
  }
  if (at.failing.size() > kShown) out += fmt::format("    and {} more\n", at.failing.size() - kShown);
}

void add_across(const AcrossDevices& a, std::string& out) {
  if (!a.attributed_to.empty()) {
    out += fmt::format("  on {} alone ({}), not on {}\n", printable(a.with[0]), printable(a.attributed_to),
                       printable(fmt::to_string(fmt::join(a.without, ", "))));
  } else if (a.without.empty() && a.unknown.empty()) {
    out += fmt::format("  on all {} devices\n", a.with.size());
  } else {
    out += fmt::format("  on {}; not on {}; not known of {}\n", printable(fmt::to_string(fmt::join(a.with, ", "))),
                       a.without.empty() ? "any other" : printable(fmt::to_string(fmt::join(a.without, ", "))),
                       a.unknown.empty() ? "none" : printable(fmt::to_string(fmt::join(a.unknown, ", "))));
  }
}

void add_finding(const Finding& f, std::string& out) {
  const Verdict verdict = verdict_of(f);
  out += fmt::format("\n{} [{}] {}\n", verdict == Verdict::kPass ? "warning" : name_of(verdict), code_of(f.kind),
                     printable(is_of_waiver(f.kind) ? "waivers"
                               : f.shape.empty()    ? f.instance
                                                    : f.program));
  if (!is_of_waiver(f.kind))
    out += fmt::format("  -{} with {} on {}\n", printable(f.level), printable(f.compiler), printable(f.device));
  out += fmt::format("  {}\n", printable(f.message));
  if (!f.attribution.empty()) out += fmt::format("  {}\n", printable(f.attribution));
  if (!f.waived.empty()) out += fmt::format("  waived: {}\n", printable(f.waived));
  if (f.unsettled) out += "  rests on an unsettled reading of cbsz or blgp (docs/discrepancies.md)\n";
  if (!f.case_id.empty()) out += fmt::format("  case {} ({})\n", printable(f.case_id), printable(f.operand_class));
  for (const ElementDifference& d : f.differences) {
    const int digits = d.width / 4;
    if (!f.shape.empty()) {
      out += fmt::format("  output {}, lane {}, register {}: expected {:0{}x}, actual {:0{}x}{}\n", d.block, d.lane,
                         d.bit / 32, d.expected, digits, d.actual, digits, d.exact ? ", exact under every model" : "");
      continue;
    }
    out += fmt::format("  D[{},{},{}] (lane {}, register {}): expected {:0{}x}, actual {:0{}x}{}\n", d.block, d.row,
                       d.column, d.lane, d.bit / 32, d.expected, digits, d.actual, digits,
                       !f.property.empty() ? ", from " + d.against
                       : d.exact           ? ", exact under every model"
                                           : ", by the profile's model");
  }
  if (f.shape.empty() && f.elements_differing > f.differences.size()) {
    out += fmt::format("  {} elements differ in {} cases of this instance\n", f.elements_differing, f.cases_affected);
  }
  if (!f.failing_lanes.empty()) {
    out += fmt::format("  lanes {}; bits {}\n", most_frequent(f.failing_lanes), most_frequent(f.failing_bits));
  }
  if (f.located) add_location(*f.located, out);
  if (f.across) add_across(*f.across, out);
  if (f.repeats > 1) out += fmt::format("  launched {} times: {} differ\n", f.repeats, f.repeats_failed);
  if (f.replays > 0) {
    out += fmt::format("  replayed {} times: failed {}, {}\n", f.replays, f.replays_failed,
                       cases::word_of({.failed = f.replays_failed, .runs = f.replays}));
  }
  if (f.reduced) {
    const ReducedFailure& r = *f.reduced;
    const ElementDifference& d = r.difference;
    out +=
        fmt::format("  reduced to {} non-zero product{} of {} at -{}: D[{},{},{}] expected {:0{}x}, actual {:0{}x}\n",
                    r.nonzero_products, r.nonzero_products == 1 ? "" : "s", printable(r.instance), r.level, d.block,
                    d.row, d.column, d.expected, d.width / 4, d.actual, d.width / 4);
  }
  if (const std::string command = replay_command(f); !command.empty()) out += fmt::format("  {}\n", printable(command));
  if (!f.log.empty()) out += fmt::format("  log: {}\n", printable(f.log));
  // Without the type names that go before every kernel: the JSON report has the whole.
  if (const std::size_t kernel = f.source.find("// " + f.program); kernel != std::string::npos) {
    out += fmt::format("  kernel:\n{}", printable(f.source.substr(kernel)));
  }
}

// "2354 passed, 0 failed, 0 inconclusive, 0 hung", and what is rare only where it is.
template <typename With>
std::string verdicts(const With& with) {
  std::string text = fmt::format("{} passed, {} failed, {} inconclusive, {} hung", with(Verdict::kPass),
                                 with(Verdict::kFail), with(Verdict::kInconclusive), with(Verdict::kHang));
  if (with(Verdict::kWaived)) text += fmt::format(", {} waived", with(Verdict::kWaived));
  if (with(Verdict::kNotRun)) text += fmt::format(", {} not run", with(Verdict::kNotRun));
  return text;
}

void add_program_totals(const RunReport& r, std::string& out) {
  if (r.shapes.empty()) return;
  const Counts t = r.program_totals();
  out += fmt::format(
      "{} shapes, {} programs: {}\n"
      "{} kernels run, {} cases, {} dwords compared bit for bit: {} exact, {} by the profile's model\n",
      r.shapes.size(), r.programs(), verdicts([&](Verdict v) { return r.programs_with(v); }), grouped(t.executions),
      grouped(t.cases), grouped(t.elements), grouped(t.exact), grouped(t.model_dependent));
  if (t.differing) out += fmt::format("{} dwords differ\n", grouped(t.differing));
  if (t.unconfirmed) {
    out +=
        fmt::format("{} dwords differ where the profile is unconfirmed: counted, not failed\n", grouped(t.unconfirmed));
  }
}

// What the sources leave open, one line for a property and reading.
void add_open(const RunReport& r, std::string& out) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> checks;
  for (const OpenPoint& o : r.open) checks[{o.property, o.reading}] += o.checks;
  for (const auto& [point, count] : checks) {
    out += fmt::format("open: {}: {} ({} checks; sources differ, docs/discrepancies.md)\n", point.first, point.second,
                       grouped(count));
  }
}

// Aloud only where there is something to say: results beside memory errors deserve a second look.
void add_device_errors(const RunReport& r, std::string& out) {
  for (const ErrorCounter& c : r.device_errors) {
    if (c.rose()) {
      out += fmt::format("MEMORY ERRORS: {} of {} rose from {} to {} during this run\n", printable(c.name),
                         printable(r.device_id), c.before ? std::to_string(*c.before) : "nothing", *c.after);
    } else if (c.before && !c.after) {
      out += fmt::format("memory errors: {} of {} can no longer be read\n", printable(c.name), printable(r.device_id));
    }
  }
}

void add_verdict(const RunReport& r, const TerminalOptions& options, std::string& out) {
  const Counts t = r.totals();
  out += fmt::format(
      "\n{} builtins, {} instances: {}\n"
      "{} kernels run ({}), {} cases, {} elements compared bit for bit: {} exact, {} by the profile's model\n",
      r.builtins.size(), r.instances(), verdicts([&](Verdict v) { return r.instances_with(v); }), grouped(t.executions),
      printable(fmt::to_string(fmt::join(r.levels, ", "))), grouped(t.cases), grouped(t.elements), grouped(t.exact),
      grouped(t.model_dependent));
  if (t.not_run) out += fmt::format("{} cases gave no result and are not in these counts\n", grouped(t.not_run));
  if (const std::uint64_t left = t.left + r.program_totals().left; left != 0 || !r.stopped.empty()) {
    out += fmt::format("ended by {} before it was done: {} cases left\n", printable(r.stopped), grouped(left));
  }
  if (t.property_checks) {
    out += fmt::format("{} checks of {} properties (docs/properties.md): {} broken\n", grouped(t.property_checks),
                       r.properties.size(), grouped(t.properties_broken));
  }
  add_open(r, out);
  if (t.differing) out += fmt::format("{} elements differ\n", grouped(t.differing));
  if (t.unconfirmed) {
    out += fmt::format("{} elements differ where the profile is unconfirmed: counted, not failed\n",
                       grouped(t.unconfirmed));
  }
  if (t.unsettled_cases) {
    out += fmt::format("{} cases rest on an unsettled reading of cbsz or blgp (docs/discrepancies.md)\n",
                       grouped(t.unsettled_cases));
  }
  add_program_totals(r, out);
  add_device_errors(r, out);
  if (!r.waivers.empty()) {
    out += fmt::format("{} waivers: {} used, {} unused, {} expired, {} not judged\n", r.waivers.size(),
                       r.waivers_with(WaiverState::kUsed), r.waivers_with(WaiverState::kUnused),
                       r.waivers_with(WaiverState::kExpired), r.waivers_with(WaiverState::kIdle));
  }
  if (r.device_emulated) {
    out += "EMULATED DEVICE: this is evidence about the compiler and the harness, not about hardware.\n";
  }
  const ExitCode code = r.exit_code();
  const char* word = code == ExitCode::kPass         ? "PASS"
                     : code == ExitCode::kFailure    ? "FAIL"
                     : code == ExitCode::kHangOrLost ? "HANG"
                                                     : "NO VERDICT";
  const char* paint = code == ExitCode::kPass ? "\x1b[32;1m" : code == ExitCode::kFailure ? "\x1b[31;1m" : "\x1b[33;1m";
  out += fmt::format("{}{}{} (exit {}) in {:.1f} s\n", options.colour ? paint : "", word,
                     options.colour ? "\x1b[0m" : "", static_cast<int>(code), r.seconds);
}

}  // namespace

std::string printable(const std::string& text) {
  std::string out = text;
  std::replace_if(
      out.begin(), out.end(),
      [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return (u < 0x20 && c != '\n' && c != '\t') || u == 0x7f;
      },
      '?');
  return out;
}

std::string to_terminal(const RunReport& report, const TerminalOptions& options) {
  std::string out;
  add_header(report, out);
  if (!report.builtins.empty() || report.shapes.empty()) add_builtins(report, options, out);
  add_shapes(report, options, out);
  // Warnings last: no number of them may hide a failure.
  std::vector<const Finding*> findings;
  for (const bool warnings : {false, true}) {
    for (const Finding& f : report.findings) {
      if ((verdict_of(f) <= Verdict::kWaived) == warnings) findings.push_back(&f);
    }
  }
  const std::size_t shown = std::min(options.most_findings, findings.size());
  for (std::size_t i = 0; i < shown; ++i) add_finding(*findings[i], out);
  if (shown < report.findings.size()) {
    out += fmt::format("\n{} more findings: --json FILE has them all\n", report.findings.size() - shown);
  }
  add_verdict(report, options, out);
  return out;
}

}  // namespace mfma::reports
