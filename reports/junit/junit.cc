#include "reports/junit/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "harness/system/utf8.h"
#include "reports/json/report_file.h"
#include "reports/json/waiver_file.h"
#include "reports/model/words.h"

namespace mfma::reports {
namespace {

constexpr std::size_t kFindingsShown = 20;  // of a test case
constexpr std::size_t kLogShown = 2000;     // characters of a log

// Text as XML 1.0 can hold it.
std::string clean(const std::string& text) {
  const std::string valid = system::with_valid_utf8(text);
  std::string out;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    const bool control = c < 0x20 && c != '\n' && c != '\t';
    const std::string_view three = std::string_view(valid).substr(i, 3);
    if (control || three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") {  // U+FFFE and U+FFFF
      out += "\xef\xbf\xbd";
      i += control ? 0 : 2;
    } else {
      out += valid[i];
    }
  }
  return out;
}

std::string text_of(const Finding& f) {
  std::string text = fmt::format("[{}] {}", code_of(f.kind),
                                 is_of_waiver(f.kind) ? "waivers"
                                 : f.shape.empty()    ? f.instance
                                                      : f.program);
  if (!f.level.empty()) text += fmt::format(" at -{} with {} on {}", f.level, f.compiler, f.device);
  text += fmt::format("\n  {}\n", f.message);
  if (!f.case_id.empty()) text += fmt::format("  case {} ({})\n", f.case_id, f.operand_class);
  for (const ElementDifference& d : f.differences) {
    text += fmt::format("  D[{},{},{}] (lane {}, register {}): expected {:0{}x}, actual {:0{}x}{}\n", d.block, d.row,
                        d.column, d.lane, d.bit / 32, d.expected, d.width / 4, d.actual, d.width / 4,
                        d.exact ? ", exact under every model" : "");
  }
  if (!f.attribution.empty()) text += fmt::format("  {}\n", f.attribution);
  if (!f.waived.empty()) text += fmt::format("  waived: {}\n", f.waived);
  if (!f.log.empty()) text += fmt::format("  log: {}\n", f.log.substr(0, kLogShown));
  return text;
}

// One test case: what units and findings came to in it.
struct TestCase {
  std::string name;
  Verdict verdict = Verdict::kPass;
  std::vector<const Finding*> findings;  // those that are more than warnings
  std::string reason;                    // of a verdict that no finding is behind
  double seconds = -1;                   // below 0: not known
};

struct Suite {
  std::string name;
  std::vector<TestCase> cases;
};

void add(TestCase& test, const Finding& f) {
  if (verdict_of(f) == Verdict::kPass) return;
  test.verdict = worse(test.verdict, verdict_of(f));
  test.findings.push_back(&f);
}

class Builder {
 public:
  explicit Builder(const RunReport& report) : report_(report) {
    for (const Finding& f : report.findings) {
      if (!is_of_waiver(f.kind)) findings_[{!f.shape.empty(), f.unit}].push_back(&f);
    }
  }

  std::vector<Suite> suites() const {
    std::vector<Suite> all = {{"run", {run_case()}}};
    for (const BuiltinReport& b : report_.builtins) all.push_back(suite_of(b));
    if (!report_.shapes.empty()) all.push_back(shapes());
    if (!report_.waivers.empty()) all.push_back(waivers());
    return all;
  }

 private:
  // No verdict has to be red somewhere, also where every case that was reached passed.
  TestCase run_case() const {
    TestCase test{.name = "ran to its end", .findings = {}, .reason = {}, .seconds = report_.seconds};
    const std::uint64_t left = report_.totals().left + report_.program_totals().left;
    const std::uint64_t not_run = report_.instances_with(Verdict::kNotRun) + report_.programs_with(Verdict::kNotRun);
    if (not_run != 0) {
      test.verdict = Verdict::kInconclusive;
      test.reason =
          fmt::format("{} instances and programs were not run: ended by {}, {} cases left", not_run, stopped(), left);
    } else if (report_.totals().elements + report_.program_totals().elements == 0) {
      test.verdict = Verdict::kInconclusive;
      test.reason = "nothing was compared";
    }
    return test;
  }

  std::string stopped() const { return report_.stopped.empty() ? "an unknown cause" : report_.stopped; }

  const std::vector<const Finding*>& findings_of(bool is_program, const UnitReport& u) const {
    static const std::vector<const Finding*> none;
    const auto found = findings_.find({is_program, u.number});
    return found == findings_.end() ? none : found->second;
  }

  // A verdict of the unit that is worse than all findings of it: not run, or no launch at all.
  void add_rest(const UnitReport& u, Verdict of_findings, TestCase& test) const {
    if (u.verdict <= of_findings) return;
    if (u.verdict > test.verdict || test.reason.empty()) {
      test.reason = u.verdict == Verdict::kNotRun
                        ? fmt::format("not run, {} and maybe others: ended by {}", u.id, stopped())
                        : fmt::format("{}: {}", u.id, name_of(u.verdict));
    }
    test.verdict = worse(test.verdict, u.verdict);
  }

  Suite suite_of(const BuiltinReport& b) const {
    Suite suite{b.builtin, {TestCase{.name = "bits", .findings = {}, .reason = {}}}};
    std::map<std::string, TestCase> properties;
    std::map<std::string, std::uint64_t> checks;
    bool touched = false;
    for (const UnitReport& u : report_.units) {
      if (u.group != b.builtin) continue;
      touched = touched || !u.untouched;
      for (const PropertyCount& p : u.properties) checks[p.property] += p.checks;
      Verdict of_findings = Verdict::kPass;
      for (const Finding* f : findings_of(false, u)) {
        of_findings = worse(of_findings, verdict_of(*f));
        add(f->property.empty() ? suite.cases[0] : properties[f->property], *f);
      }
      add_rest(u, of_findings, suite.cases[0]);
    }
    for (const std::string& name : report_.properties) {
      TestCase test = std::move(properties[name]);
      properties.erase(name);
      test.name = name;
      if (checks[name] == 0 && test.findings.empty()) {
        test.verdict = Verdict::kNotRun;
        test.reason = b.unlawful ? "left out: the profile's model is not lawful here (docs/numerics.md, section 4)"
                      : touched  ? "no instance of this builtin that was run has this property"
                                 : "not run: ended by " + stopped();
      }
      suite.cases.push_back(std::move(test));
    }
    for (auto& [name, test] : properties) {  // of properties that the report does not list
      test.name = name;
      suite.cases.push_back(std::move(test));
    }
    return suite;
  }

  Suite shapes() const {
    Suite suite{"shapes", {}};
    for (const BuiltinReport& s : report_.shapes) {
      TestCase& test = suite.cases.emplace_back();
      test.name = s.builtin;
      for (const UnitReport& u : report_.program_units) {
        if (u.group != s.builtin) continue;
        Verdict of_findings = Verdict::kPass;
        for (const Finding* f : findings_of(true, u)) {
          of_findings = worse(of_findings, verdict_of(*f));
          add(test, *f);
        }
        add_rest(u, of_findings, test);
      }
    }
    return suite;
  }

  // Findings of waivers are in the order of the waivers that they are of.
  Suite waivers() const {
    Suite suite{"waivers", {}};
    std::vector<const Finding*> findings;
    for (const Finding& f : report_.findings) {
      if (is_of_waiver(f.kind)) findings.push_back(&f);
    }
    std::size_t next = 0;
    for (const JudgedWaiver& w : report_.waivers) {
      TestCase& test = suite.cases.emplace_back();
      test.name = describe(w.waiver);
      const bool bad = w.state == WaiverState::kUnused || w.state == WaiverState::kExpired;
      if (bad) test.verdict = Verdict::kFail;
      if (bad && next < findings.size()) test.findings.push_back(findings[next++]);
      if (w.state == WaiverState::kIdle) {
        test.verdict = Verdict::kNotRun;
        test.reason = "not judged: what it is about was not run, or not to its end, or it may pass";
      }
    }
    return suite;
  }

  const RunReport& report_;
  std::map<std::pair<bool, std::uint64_t>, std::vector<const Finding*>> findings_;  // by unit
};

const char* element_of(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return nullptr;
    case Verdict::kWaived:
    case Verdict::kNotRun:
      return "skipped";
    case Verdict::kInconclusive:
    case Verdict::kHang:
      return "error";
    case Verdict::kFail:
      break;
  }
  return "failure";
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(clean(value).c_str());
}
std::string seconds_of(double seconds) { return fmt::format("{:.3f}", seconds); }

// What the verdict rests on: the worst first.
void write_reason(const TestCase& test, pugi::xml_node node) {
  const char* element = element_of(test.verdict);
  if (!element) return;
  std::vector<const Finding*> sorted = test.findings;
  std::sort(sorted.begin(), sorted.end(), [](const Finding* x, const Finding* y) {
    const Verdict a = verdict_of(*x), b = verdict_of(*y);
    return a != b ? a > b : x < y;  // all are of one list
  });
  const bool by_finding = !sorted.empty() && verdict_of(*sorted[0]) >= test.verdict;
  std::string message = by_finding ? sorted[0]->message : test.reason;
  if (by_finding && test.verdict == Verdict::kWaived) message = "waived: " + sorted[0]->waived;
  if (by_finding && sorted.size() > 1) message += fmt::format(" (and {} more findings)", sorted.size() - 1);
  pugi::xml_node child = node.append_child(element);
  set(child, "message", message);
  if (test.verdict > Verdict::kNotRun) {
    set(child, "type", by_finding ? std::string(code_of(sorted[0]->kind)) : std::string(name_of(test.verdict)));
    std::string text;
    for (std::size_t i = 0; i < std::min(sorted.size(), kFindingsShown); ++i) text += text_of(*sorted[i]);
    if (sorted.size() > kFindingsShown)
      text += fmt::format("and {} more: the JSON report has them all\n", sorted.size() - kFindingsShown);
    child.text().set(clean(text).c_str());
  }
  std::string replay;
  for (const Finding* f : sorted) {
    if (const std::string command = replay_command(*f); !command.empty()) replay += command + "\n";
  }
  if (!replay.empty()) node.append_child("system-out").text().set(clean(replay).c_str());
}

void write_properties(const RunReport& r, pugi::xml_node suite) {
  pugi::xml_node properties = suite.append_child("properties");
  const auto property = [&](const std::string& name, const std::string& value) {
    pugi::xml_node node = properties.append_child("property");
    set(node, "name", name);
    set(node, "value", value);
  };
  property("exit_code", std::to_string(static_cast<int>(r.exit_code())));
  property("tool", "mfma-conform " + r.tool_version);
  property("command", r.command);
  for (const CompilerReport& c : r.compilers)
    property("compiler", fmt::format("{} ({}, {})", c.version, c.path, c.hash));
  property("levels", fmt::to_string(fmt::join(r.levels, ",")));
  property("device", r.device_description);
  property("emulated", r.device_emulated ? "true" : "false");
  property("profile", r.profile_name);
  property("seed", std::to_string(r.seed));
  property("tier", r.tier);
  property("stopped", r.stopped);
  property("builtins", std::to_string(r.builtins.size()));
  property("instances", std::to_string(r.instances()));
  for (const Verdict v : kVerdicts)
    property(fmt::format("instances.{}", count_name_of(v)), std::to_string(r.instances_with(v)));
  property("programs", std::to_string(r.programs()));
  for (const Verdict v : kVerdicts)
    property(fmt::format("programs.{}", count_name_of(v)), std::to_string(r.programs_with(v)));
  for (const WaiverState s : kWaiverStates)
    property(fmt::format("waivers.{}", name_of(s)), std::to_string(r.waivers_with(s)));
  property("findings", std::to_string(r.findings.size()));
}

struct Tally {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(Verdict v) {
    const std::string_view element = element_of(v) ? element_of(v) : "";
    ++tests;
    failures += element == "failure";
    errors += element == "error";
    skipped += element == "skipped";
  }
  void write(pugi::xml_node node, bool with_skipped) const {
    node.append_attribute("tests").set_value(static_cast<unsigned long long>(tests));
    node.append_attribute("failures").set_value(static_cast<unsigned long long>(failures));
    node.append_attribute("errors").set_value(static_cast<unsigned long long>(errors));
    if (with_skipped) node.append_attribute("skipped").set_value(static_cast<unsigned long long>(skipped));
  }
};

}  // namespace

std::string to_junit(const RunReport& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version").set_value("1.0");
  declaration.append_attribute("encoding").set_value("UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  const std::vector<Suite> suites = Builder(report).suites();
  Tally all;
  for (const Suite& suite : suites) {
    for (const TestCase& test : suite.cases) all.add(test.verdict);
  }
  root.append_attribute("name").set_value("mfma-conform");
  all.write(root, false);
  set(root, "time", seconds_of(report.seconds));
  for (const Suite& suite : suites) {
    pugi::xml_node node = root.append_child("testsuite");
    set(node, "name", suite.name);
    Tally tally;
    for (const TestCase& test : suite.cases) tally.add(test.verdict);
    tally.write(node, true);
    if (report.started.size() >= 19) set(node, "timestamp", report.started.substr(0, 19));
    if (suite.name == "run") {
      set(node, "time", seconds_of(report.seconds));
      write_properties(report, node);
    }
    for (const TestCase& test : suite.cases) {
      pugi::xml_node child = node.append_child("testcase");
      set(child, "classname", "mfma-conform." + suite.name);
      set(child, "name", test.name);
      if (test.seconds >= 0) set(child, "time", seconds_of(test.seconds));
      write_reason(test, child);
    }
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

tl::expected<void, std::string> write_junit(const RunReport& report, const std::filesystem::path& file) {
  return write_report_text(to_junit(report), file);
}

}  // namespace mfma::reports
