// Reports as runs make them, for tests: small ones by hand, and random ones.
#pragma once

#include <string>

#include "reports/model/report.h"

namespace mfma::reports::testing {

inline Finding finding_on(const UnitReport& unit, FindingKind kind, const std::string& level) {
  Finding f;
  f.kind = kind;
  f.unit = unit.number;
  f.builtin = unit.group;
  f.instance = unit.id;
  f.compiler = "/usr/bin/clang-22";
  f.level = level;
  f.device = "emulated";
  f.message = "what was seen";
  return f;
}

inline UnitReport passing_unit(std::uint64_t number, const std::string& builtin, const std::string& id) {
  UnitReport u;
  u.number = number;
  u.group = builtin;
  u.id = id;
  u.verdict = Verdict::kPass;
  u.counts.executions = 2;
  u.counts.cases = 24;
  u.counts.elements = 24 * 16;
  u.counts.exact = 24 * 6;
  u.counts.model_dependent = 24 * 10;
  return u;
}

// What every run has; no units yet.
inline RunReport empty_report() {
  RunReport r;
  r.tool_version = "0.1.0";
  r.command = "mfma-conform run";
  CompilerReport compiler;
  compiler.path = compiler.resolved = "/usr/bin/clang-22";
  compiler.version = "Debian clang version 22.1.8";
  compiler.hash = "1234";
  r.compilers = {compiler};
  r.levels = {"O0", "O2"};
  r.device_id = r.device_kind = "emulated";
  r.device_description = "emulated gfx950";
  r.device_emulated = true;
  r.profile_name = r.device_profile_name = "p";
  r.profile_source = r.device_profile_source = "built in";
  r.broadcast_reading = "per-set";
  r.seed = 1;
  r.tier = "quick";
  r.cases_per_instance = 12;
  r.modifiers = "all";
  r.shard_index = r.shard_count = 1;
  r.started = "2026-11-30T12:00:00Z";
  r.seconds = 1.5;
  return r;
}

// a:0 to a:3 of mfma_a; a:1 has wrong bits at O2.
inline RunReport failing_report() {
  RunReport r = empty_report();
  for (std::uint64_t n = 0; n < 4; ++n) r.units.push_back(passing_unit(n, "mfma_a", "a:" + std::to_string(n)));
  r.units[1].verdict = Verdict::kFail;
  r.units[1].counts.differing = 2;
  Finding f = finding_on(r.units[1], FindingKind::kWrongBits, "O2");
  f.case_id = "a:1@seed=1#0";
  f.operand_class = "specials";
  f.cases_affected = 1;
  f.elements_differing = 2;
  f.differences = {{0, 1, 2, 17, 64, 32, 0x3f800000, 0x3f800001, true}};
  r.findings = {f};
  summarize(r);
  return r;
}

}  // namespace mfma::reports::testing
