// Reports with random results, whose parts belong together as those of a run do.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "reports/model/report.h"

namespace mfma::reports::testing {

class RandomReport {
 public:
  explicit RandomReport(unsigned seed) : random_(seed) {}

  RunReport operator()() {
    RunReport r;
    r.tool_version = "0.1";
    r.command = text();
    r.compilers = {{"clang", "/usr/bin/clang", text(), "0123456789abcdef", {"-O*", text()}, draw(9), draw(9)}};
    r.levels = {"O0", "O2"};
    r.device_id = r.device_kind = "emulated";
    r.device_description = text();
    r.device_emulated = draw(2) == 0;
    r.device_facts = {{"pci", text()}};
    r.profile_name = r.device_profile_name = "p";
    r.profile_source = text();
    r.profile_digest = "0011223344556677";
    r.broadcast_reading = "per-set";
    r.seed = ~std::uint64_t{0} - draw(3);
    r.tier = "quick";
    r.cases_per_instance = 12;
    r.cases_per_program = 3;
    r.modifiers = "all";
    r.properties = {"tiles"};
    r.shard_index = r.shard_count = 1;
    r.started = "2026-11-30T00:00:00Z";
    r.seconds = 1.5;
    for (std::uint64_t n = draw(12); n > 0; --n)
      r.units.push_back(unit(r.units.size(), "mfma_" + std::to_string(r.units.size() / 4), "i"));
    for (std::uint64_t n = draw(6); n > 0; --n)
      r.program_units.push_back(
          unit(r.program_units.size(), "shape" + std::to_string(r.program_units.size() / 3), "p"));
    for (const UnitReport& u : r.units) add_findings(u, false, r.findings);
    for (const UnitReport& u : r.program_units) add_findings(u, true, r.findings);
    summarize(r);
    for (BuiltinReport& b : r.builtins) b.add_rule(draw(2) == 0 ? "candidate" : "confirmed", text());
    return r;
  }

  std::uint64_t draw(unsigned below) { return random_() % below; }
  std::string text() {
    static const std::vector<std::string> texts = {
        "plain",         "",    "<b>&amp;</script>", "\"quoted\" 'twice'", "two\nlines\ttab", "\x1b[2J",
        "\u2028 \u00e9", "]]>", "{\"json\": [1]}"};
    return texts[draw(static_cast<unsigned>(texts.size()))];
  }

 private:
  UnitReport unit(std::uint64_t number, const std::string& group, const std::string& prefix) {
    UnitReport u;
    u.number = number;
    u.group = group;
    u.id = prefix + std::to_string(number);
    u.smoke = draw(5) == 0;
    u.verdict = kVerdicts[draw(kVerdicts.size())];
    u.counts.cases = draw(50);
    u.counts.exact = draw(1000);
    u.counts.model_dependent = draw(1000);
    u.counts.elements = u.counts.exact + u.counts.model_dependent;
    u.counts.left = draw(3);
    if (number == 0 || draw(2) == 0) {
      u.counts.properties_broken = draw(3);
      u.counts.property_checks = u.counts.properties_broken + 1 + draw(5);
      u.properties = {{"tiles", u.counts.property_checks, u.counts.properties_broken}};
    }
    u.untouched = u.verdict == Verdict::kNotRun;
    if (draw(3) == 0) u.open = {{"tiles", group, "one reading", 1 + draw(5)}};
    return u;
  }

  void add_findings(const UnitReport& u, bool is_program, std::vector<Finding>& findings) {
    if (u.verdict == Verdict::kPass || u.verdict == Verdict::kNotRun) return;
    for (std::uint64_t n = 1 + draw(2); n > 0; --n) {
      Finding f;
      do {
        f.kind = static_cast<FindingKind>(draw(static_cast<unsigned>(FindingKind::kDeviceLost) + 1));
      } while (verdict_of(f.kind) > u.verdict && u.verdict != Verdict::kWaived);
      f.unit = u.number;
      f.builtin = u.group;
      f.instance = u.id;
      if (is_program) f.shape = u.group, f.program = u.id;
      f.compiler = "clang";
      f.level = "O2";
      f.device = "emulated";
      f.case_id = text();
      f.operand_class = "exact";
      f.message = text();
      f.log = text();
      f.source = text();
      f.attribution = text();
      if (u.verdict == Verdict::kWaived) f.waived = "known";
      f.cases_affected = draw(3);
      f.elements_differing = draw(3);
      f.unsettled = draw(2) == 0;
      const ElementDifference d{
          0,     3, 7, 23, 64, draw(2) == 0 ? 32 : 64, random_() & 0xffffffff, random_() & 0xffffffff, draw(2) == 0,
          text()};
      f.differences.assign(draw(4), d);
      f.replays = draw(2) * 5;
      f.replays_failed = f.replays ? draw(6) : 0;
      if (draw(3) == 0) f.reduced = ReducedFailure{u.id, "O0", text(), text(), 2, 17, true, d};
      findings.push_back(f);
    }
  }

  std::mt19937 random_;
};

}  // namespace mfma::reports::testing
