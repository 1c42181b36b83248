#include "tests/html/samples.h"

#include <algorithm>

#include "harness/cases/case_file.h"
#include "harness/catalogue/instance.h"

namespace mfma::reports::testing {
namespace {

constexpr const char* kInstance = "mfma_f32_4x4x4f16:cbsz=2,abid=3,blgp=2";
constexpr const char* kBuiltin = "mfma_f32_4x4x4f16";

// A case with a few numbers that are not zero.
std::string case_text(const std::string& instance) {
  const auto parsed = catalogue::parse_instance(instance);
  if (!parsed) return {};
  cases::CaseFile file;
  file.c.instance = *parsed;
  const catalogue::Builtin& b = *parsed->builtin;
  file.c.a = catalogue::RegisterImage(b.a_registers);
  file.c.b = catalogue::RegisterImage(b.b_registers);
  file.c.c = catalogue::RegisterImage(b.c_registers);
  file.c.a.at(13, 0) = 0x3c003555;
  file.c.b.at(38, 1) = 0x0000c000;
  file.level = "O2";
  return cases::to_text(file);
}

}  // namespace

std::vector<FindingKind> all_kinds() {
  std::vector<FindingKind> kinds;
  for (int k = 0; k < kFindingKinds; ++k) kinds.push_back(static_cast<FindingKind>(k));
  return kinds;
}

RunReport empty_report() {
  RunReport r;
  r.tool_version = "0";
  r.command = "mfma-conform run";
  r.device_id = r.device_kind = "emulated";
  r.device_description = "emulated gfx950";
  r.device_emulated = true;
  r.profile_name = "p";
  r.profile_source = r.device_profile_source = "built in";
  r.broadcast_reading = "per-set";
  r.levels = {"O0", "O2"};
  return r;
}

std::size_t add_unit(RunReport& report, const std::string& group, const std::string& id, Verdict v, bool is_program) {
  std::vector<UnitReport>& units = is_program ? report.program_units : report.units;
  UnitReport u;
  u.number = units.size();
  u.group = group;
  u.id = id;
  u.verdict = v;
  if (v != Verdict::kNotRun) {
    u.counts.executions = u.counts.cases = 1;
    u.counts.elements = u.counts.exact = 16;
  }
  units.push_back(u);
  return units.size() - 1;
}

Finding sample_finding(FindingKind kind, std::uint64_t unit) {
  Finding f;
  f.kind = kind;
  f.unit = unit;
  f.builtin = kBuiltin;
  f.instance = kInstance;
  f.compiler = "/usr/bin/clang-22";
  f.level = "O2";
  f.device = "emulated";
  f.message = "a finding of the kind " + std::string(code_of(kind));
  if (kind == FindingKind::kCompileRejected || kind == FindingKind::kBatchFailure) f.log = "error: cannot select";
  if (kind != FindingKind::kWrongBits && kind != FindingKind::kPropertyBroken) return f;
  f.case_id = f.instance + "@seed=1#7";
  f.operand_class = "random_bits";
  f.cases_affected = 2;
  f.elements_differing = 5;
  f.differences = {{1, 1, 2, 6, 32, 32, 0x3f800000, 0xbf800001, true},
                   {1, 0, 0, 4, 0, 32, 0x00000000, 0x80000000, false}};
  f.replays = 5;
  f.replays_failed = 3;
  f.case_file = "out/it's a case.case";
  if (kind == FindingKind::kPropertyBroken) {
    f.property = "tiles";
    f.differences[0].against = "D[0,0,0] of step 1";
    return f;
  }
  f.attribution = "-O0 computes it right: look at the optimiser";
  f.repeats = 4;
  f.repeats_failed = 3;
  f.failing_lanes = {{6, 4}, {4, 1}};
  f.failing_bits = {{0, 5}};
  f.located = Location{64, 8, 4, {{1, 2, 3, 0, 16, 8}}, ""};
  f.across = AcrossDevices{{"hip:1"}, {"hip:0"}, {}, "0000:05:00.0"};
  f.reduced = ReducedFailure{kInstance, "O0", case_text(kInstance), "out/small.case", 1, 40, false, f.differences[0]};
  return f;
}

Finding sample_program_finding(std::uint64_t unit) {
  Finding f = sample_finding(FindingKind::kWrongBits, unit);
  f.shape = "k-loop";
  f.program = "k-loop of mfma_f32_4x4x4f16, 3 turns";
  f.reduced.reset();
  f.source = "extern \"C\" __global__ void kernel(void) {}\n";
  return f;
}

RunReport every_kind() {
  RunReport r = empty_report();
  const std::vector<catalogue::Instance> instances = catalogue::legal_instances(*catalogue::find_builtin(kBuiltin));
  for (const FindingKind kind : all_kinds()) {
    if (is_of_waiver(kind)) {
      r.findings.push_back(sample_finding(kind, 0));
      continue;
    }
    const bool first = kind == FindingKind::kWrongBits;
    const std::string id = first ? kInstance : catalogue::instance_id(instances.at(static_cast<std::size_t>(kind)));
    Finding f = sample_finding(kind, add_unit(r, kBuiltin, id, verdict_of(kind)));
    f.instance = id;
    r.findings.push_back(std::move(f));
  }
  r.device_errors = {{"umc.ue", 3, 5}};
  // What is of waivers has no unit, and the run has the waivers.
  for (const WaiverState state : {WaiverState::kExpired, WaiverState::kUnused}) {
    JudgedWaiver w;
    w.waiver.file = "waivers.json";
    w.waiver.number = r.waivers.size() + 1;
    w.waiver.builtin = "mfma_*";
    w.waiver.reason = "known";
    w.state = state;
    r.waivers.push_back(w);
  }
  const std::size_t program = add_unit(r, "k-loop", "k-loop of mfma_f32_4x4x4f16, 3 turns", Verdict::kFail, true);
  r.findings.push_back(sample_program_finding(program));
  summarize(r);
  return r;
}

RunReport random_report(std::mt19937& random) {
  static const std::vector<catalogue::Instance> instances = catalogue::all_legal_instances();
  RunReport r = empty_report();
  r.device_emulated = random() % 2 == 0;
  // Many reports without a failure: or the verdict would always be the same.
  const std::size_t worst = random() % kVerdicts.size();
  for (std::size_t i = random() % 5; i < instances.size(); i += 1 + random() % 400) {
    const Verdict v = kVerdicts[random() % (worst + 1)];
    add_unit(r, std::string(instances[i].builtin->name), catalogue::instance_id(instances[i]), v);
  }
  for (std::size_t programs = random() % 7; programs > 0; --programs) {
    const Verdict v = kVerdicts[random() % (worst + 1)];
    add_unit(r, "shape-" + std::to_string(random() % 2), "program " + std::to_string(programs), v, true);
  }
  for (std::size_t findings = random() % 30; findings > 0; --findings) {
    const FindingKind kind = all_kinds()[random() % all_kinds().size()];
    Finding f = sample_finding(kind, random() % (r.units.size() + 1));
    if (random() % 5 == 0) f.waived = "known";
    r.findings.push_back(f);
  }
  summarize(r);
  return r;
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {
      "</script><script>window.pwned=1</script>",
      "<img src=x onerror=window.pwned=1>",
      "<!--<script>",
      "\"><svg onload=window.pwned=1>",
      "' onclick='window.pwned=1",
      "]]>&lt;&amp;{{SCRIPT}}{{DATA}}@MFMA_HTML_PAGE@${PATH}",
      "\xe2\x80\xa8line\xe2\x80\xa9paragraph",
      "\x1b[2J\x07\r\x7f\x01",
      std::string("nul\0byte", 8),
      "\xff\xfe\xc3\x28\xed\xa0\x80",
      "\xe2\x80\xaegnp.exe\xe2\x81\xa6",
      "javascript:window.pwned=1",
      "\\u003c/script\\u003e\\",
      "__proto__",
      "constructor",
  };
  return texts;
}

RunReport hostile_report() {
  RunReport r = every_kind();
  std::size_t next = 0;
  const auto spoil = [&](std::string& text) { text = hostile_texts()[next++ % hostile_texts().size()]; };
  for (std::string* text : {&r.tool_version, &r.command, &r.device_id, &r.device_kind, &r.device_description,
                            &r.profile_name, &r.profile_source, &r.device_profile_name, &r.broadcast_reading, &r.tier,
                            &r.modifiers, &r.shapes_asked, &r.started, &r.stopped, &r.arch, &r.profile_digest}) {
    spoil(*text);
  }
  r.device_emulated = false;  // so that the description is in the page's head
  for (const std::string& text : hostile_texts()) {
    r.device_facts.emplace_back(text, text);
    r.properties.push_back(text);
    r.levels.push_back(text);
    r.compilers.push_back({text, text, text, text, {text}, 1, 1});
    const std::size_t unit = add_unit(r, text, text, Verdict::kFail);
    r.units[unit].open = {{text, text, text, 1}};
    const std::size_t program = add_unit(r, text, text, Verdict::kHang, true);
    Finding f = sample_finding(FindingKind::kWrongBits, unit);
    for (std::string* part : {&f.builtin, &f.instance, &f.compiler, &f.level, &f.device, &f.case_id, &f.operand_class,
                              &f.property, &f.message, &f.log, &f.case_file, &f.attribution, &f.waived, &f.source}) {
      *part = text;
    }
    f.differences[0].against = text;
    f.reduced = ReducedFailure{text, text, text, text, 1, 1, true, f.differences[0]};
    r.findings.push_back(f);
    f.unit = program;
    f.shape = f.program = text;
    r.findings.push_back(f);
  }
  summarize(r);
  for (BuiltinReport& b : r.builtins) b.add_rule(b.builtin, b.builtin);
  return r;
}

}  // namespace mfma::reports::testing
