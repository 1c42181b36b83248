// A report in which every field holds something, and each in a form of its own where there are several.
#pragma once

#include <string>
#include <vector>

#include "reports/model/report.h"
#include "reports/model/waive.h"

namespace mfma::reports::testing {

inline ElementDifference full_difference() {
  return {1, 2, 3, 37, 96, 32, 0x3f800000, 0x0000abcd, true, "row 2 of \"A\""};
}

inline Finding full_finding(const UnitReport& u, bool is_program, const std::string& level) {
  Finding f;
  f.kind = FindingKind::kWrongBits;
  f.unit = u.number;
  f.builtin = is_program ? "mfma_f32_4x4x1f32" : u.group;
  f.instance = is_program ? "mfma_f32_4x4x1f32" : u.id;
  if (is_program) f.shape = u.group, f.program = u.id;
  f.compiler = "/usr/bin/clang-22";
  f.level = level;
  f.device = "hip:0";
  f.case_id = u.id + " seed 1 case 2";
  f.operand_class = "rounding_ties";
  f.property = "permute-rows";
  f.message = "3 elements differ";
  f.log = "not UTF-8: \xff\xe2\x82 end\n\ttab";
  f.cases_affected = 3;
  f.elements_differing = 17;
  f.differences = {full_difference(), {0, 0, 0, 0, 0, 64, ~std::uint64_t{0}, 1, false, {}}};
  f.replays = 5;
  f.replays_failed = 2;
  f.case_file = "artifacts/it's a case.txt";
  f.reduced = ReducedFailure{f.instance, "O0", "mfma-conform case 1\n...", "artifacts/reduced.txt", 2,
                             117,        true, full_difference()};
  f.unsettled = true;
  f.attribution = "clang 21 gives the right bits";
  f.repeats = 10;
  f.repeats_failed = 4;
  f.failing_lanes = {{3, 1}, {37, 16}, {5, 2}};
  f.failing_bits = {{0, 4}, {31, 7}};
  f.located = Location{1024, 12, 256, {{1, 2, 3, 0, 4, 4}, {7, 0, 31, 3, 4, 1}}, ""};
  f.across = AcrossDevices{{"hip:0"}, {"hip:1", "hip:2"}, {}, "0000:05:00.0"};
  if (is_program) f.source = "extern \"C\" __global__ void k() {}\n";
  return f;
}

inline UnitReport full_unit(std::uint64_t number, const std::string& group, const std::string& id, Verdict v) {
  UnitReport u;
  u.number = number;
  u.group = group;
  u.id = id;
  u.verdict = v;
  u.smoke = number == 0;
  u.untouched = v == Verdict::kNotRun;
  if (u.untouched) {
    u.counts.left = 48;
    return u;
  }
  u.counts = {2, 24, 1, 384, 144, 240, v == Verdict::kFail ? 17u : 0u, 5, 7, v == Verdict::kFail ? 1u : 0u, 3, 0};
  u.properties = {{"permute-rows", 4, u.counts.properties_broken}, {"negate", 3, 0}};
  u.open = {{"negate", group, "per-set", 2}};
  return u;
}

inline RunReport full_report() {
  RunReport r;
  r.tool_version = "0.1.0";
  r.command = "mfma-conform run --seed 18446744073709551615 'a \"b\"'";
  r.compilers = {
      {"clang-22", "/usr/bin/clang-22", "Debian clang version 22.1.8", "0123456789abcdef", {"-O*", "-x", "hip"}, 12, 7},
      {"/opt/hipcc", "/opt/hipcc", "clang version 20 \u00e9", "fedcba9876543210", {}, 0, 19}};
  r.levels = {"O0", "O2"};
  r.device_id = "hip:0";
  r.device_kind = "hip";
  r.device_description = "AMD Instinct MI350X";
  r.device_facts = {{"pci", "0000:05:00.0"}, {"driver", "6.14"}, {"architecture", "gfx950"}};
  r.device_errors = {{"umc.ue", 1, 3}, {"umc.ce", std::nullopt, 0}, {"gfx.ue", 4, std::nullopt}};
  r.profile_name = "gfx950-candidate";
  r.profile_source = "built in";
  r.profile_digest = "0011223344556677";
  r.device_profile_name = "seq";
  r.device_profile_source = "corpus/profiles/seq.json";
  r.device_profile_digest = "8899aabbccddeeff";
  r.broadcast_reading = "whole-wave";
  r.seed = ~std::uint64_t{0};
  r.tier = "standard";
  r.cases_per_instance = 12;
  r.cases_per_program = 3;
  r.repeats = 10;
  r.rounds = 2;
  r.modifiers = "default";
  r.operand_classes = {"rounding_ties", "specials"};
  r.properties = {"permute-rows", "negate"};
  r.shapes_asked = "k-loop,single";
  r.shard_index = 2;
  r.shard_count = 3;
  r.started = "2026-11-30T12:00:00Z";
  r.seconds = 1234.5678;
  r.stopped = "time";
  r.units = {full_unit(0, "mfma_f32_4x4x1f32", "mfma_f32_4x4x1f32", Verdict::kFail),
             full_unit(1, "mfma_f32_4x4x1f32", "mfma_f32_4x4x1f32 cbsz=1", Verdict::kPass),
             full_unit(7, "mfma_f64_4x4x4f64", "mfma_f64_4x4x4f64", Verdict::kFail),
             full_unit(8, "mfma_f64_4x4x4f64", "mfma_f64_4x4x4f64 blgp=1", Verdict::kNotRun)};
  r.program_units = {full_unit(0, "k-loop", "k-loop 1", Verdict::kFail),
                     full_unit(2, "k-loop", "k-loop 2", Verdict::kHang)};
  r.findings = {full_finding(r.units[0], false, "O0"), full_finding(r.units[2], false, "O2"),
                full_finding(r.program_units[0], true, "")};
  r.findings[1].located->message = "no workgroup said where it ran";
  r.findings[1].replays = r.findings[1].repeats = 0;
  Finding hang;
  hang.kind = FindingKind::kHang;
  hang.unit = 2;
  hang.shape = "k-loop";
  hang.program = "k-loop 2";
  hang.builtin = hang.instance = "mfma_f32_4x4x1f32";
  hang.device = "hip:0";
  hang.message = "did not end in 2 s";
  r.findings.push_back(hang);
  const auto waiver = [](std::uint64_t number, const std::string& reason) {
    Waiver w;
    w.file = "w.json";
    w.number = number;
    w.reason = reason;
    w.link = "https://bugs.example/" + std::to_string(number);
    return w;
  };
  Waiver used = waiver(1, "known"), expired = waiver(2, "old"), passes = waiver(3, "now and then");
  used.builtin = "mfma_f64_*";
  used.code = "wrong-bits";
  used.level = "O2";
  used.property = "permute-rows";
  used.arch = "gfx9*";
  used.compiler_from = "22";
  used.compiler = "*";
  expired.shape = "k-*";
  expired.expires = "2020-01-31";
  expired.compiler_to = "22.1";
  passes.instance = "mfma_f32_4x4x1f32*";
  passes.code = "hang";
  passes.device = "*MI350X";
  passes.may_pass = true;
  for (const Waiver& w : {used, expired, passes}) r.waivers.emplace_back().waiver = w;
  summarize(r);
  for (BuiltinReport& b : r.builtins) {
    b.add_rule("candidate", "docs/numerics.md");
    b.add_rule("confirmed", "measured");
  }
  r.builtins[1].unlawful = true;
  judge_waivers(r);
  return r;
}

}  // namespace mfma::reports::testing
