// Wait states that a compiler leaves out.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/checks/jobs.h"
#include "harness/compilers/outcome.h"
#include "harness/gfx950/hazards/static_hazards.h"
#include "harness/gfx950/object/code_object.h"
#include "harness/system/parallel.h"

namespace mfma::checks {
namespace {

using catalogue::Builtin;
using catalogue::Instance;
using compilers::Compiled;
using compilers::Outcome;

constexpr const char* kArch = "gfx950";
constexpr std::size_t kBatch = 64;

// A kernel whose machine code is looked at, and what it is called in a finding.
struct Subject {
  std::string name;
  kernels::Piece piece;
};

// A call of an instance without scales on the parameters a0, b0 (or a1, b1) and the variable x.
std::string call(const Instance& instance, int n) {
  const catalogue::Modifiers& m = instance.modifiers;
  const std::string immediates = instance.builtin->modifiers == catalogue::ModifierKind::kScaled
                                     ? fmt::format("{}, {}, 0, 0, 0, 0", m.cbsz, m.blgp)
                                     : fmt::format("{}, {}, {}", m.cbsz, m.abid, m.blgp);
  return fmt::format("  x = __builtin_amdgcn_{}(a{}[i], b{}[i], x, {});\n", instance.builtin->name, n, n, immediates);
}

std::string parameters(const Builtin& builtin, int n) {
  return fmt::format("const {}* __restrict a{}, const {}* __restrict b{}, ", builtin.a_type, n, builtin.b_type, n);
}

Subject pair_of(const Instance& first, const Instance& second, std::size_t number) {
  const std::string name = fmt::format("pair_{}", number);
  std::string text =
      fmt::format("KERNEL {}({}{}const {}* __restrict c, {}* __restrict d) {{\n", name, parameters(*first.builtin, 0),
                  parameters(*second.builtin, 1), first.builtin->c_type, first.builtin->c_type);
  text += "  const unsigned i = __builtin_amdgcn_workitem_id_x();\n";
  text += fmt::format("  {} x = c[i];\n{}{}  d[i] = x;\n}}\n", first.builtin->c_type, call(first, 0), call(second, 1));
  return {fmt::format("{}>{}", catalogue::instance_id(first), catalogue::instance_id(second)), {name, std::move(text)}};
}

// One instance per builtin and number of passes: f8f6f4 with fp8 and with fp4.
std::vector<Instance> one_of_each_length() {
  constexpr int kFp4 = 4;
  std::vector<Instance> all;
  for (const Builtin& builtin : catalogue::builtins()) {
    all.push_back({&builtin, {}});
    if (builtin.passes_narrow == builtin.passes) continue;
    Instance narrow{&builtin, {}};
    narrow.modifiers.cbsz = narrow.modifiers.blgp = kFp4;
    all.push_back(narrow);
  }
  return all;
}

std::vector<Subject> subjects_of(const CheckOptions& options) {
  std::vector<Subject> subjects;
  for (const Instance& i : options.instances) subjects.push_back({catalogue::instance_id(i), kernels::piece_of(i)});
  const auto selected = [&options](const Builtin* b) {
    return std::any_of(options.instances.begin(), options.instances.end(),
                       [b](const Instance& i) { return i.builtin == b; });
  };
  std::size_t number = 0;
  const std::vector<Instance> calls = one_of_each_length();
  for (const Instance& first : calls) {
    for (const Instance& second : calls) {
      if (first.builtin->c_type != second.builtin->c_type) continue;
      if (!selected(first.builtin) || !selected(second.builtin)) continue;
      subjects.push_back(pair_of(first, second, number++));
    }
  }
  return subjects;
}

std::vector<Finding> findings_in(const gfx950::CodeObject& object, const Subject& subject, const std::string& level,
                                 const Compiled& compiled) {
  std::vector<Finding> findings;
  const auto add = [&](Code code, std::string what, std::string message) {
    findings.push_back(
        detail::finding_of(code, subject.name + " " + what, kArch, level, std::move(message), subject.piece, compiled));
  };
  const auto seen = gfx950::static_hazards(object, subject.piece.name);
  if (!seen) {
    add(Code::kToolFailure, "wait-states", seen.error());
    return findings;
  }
  for (const gfx950::Hazard& h : seen->hazards) {
    add(h.rule->severity == gfx950::Severity::kError ? Code::kWaitMissing : Code::kWaitDisputed, h.rule->code,
        fmt::format("needs {} wait states, has {}: {}", h.rule->required, h.found, h.rule->what));
  }
  for (const gfx950::Unseen& u : seen->unseen) add(Code::kWaitUnseen, "path", u.instruction + ": " + u.why);
  return findings;
}

}  // namespace

std::vector<Finding> check_wait_states(const CheckOptions& options, CheckReport& report) {
  const std::vector<Subject> subjects = subjects_of(options);
  struct Task {
    std::size_t first, count;
    std::string level;
  };
  std::vector<Task> tasks;
  for (const std::string& level : options.levels) {
    for (std::size_t first = 0; first < subjects.size(); first += kBatch) {
      tasks.push_back({first, std::min(kBatch, subjects.size() - first), level});
    }
  }
  std::vector<std::vector<Finding>> found(tasks.size());
  system::in_parallel(options.jobs, tasks.size(), [&](std::size_t t) {
    const Task& task = tasks[t];
    std::vector<kernels::Piece> pieces;
    for (std::size_t i = 0; i < task.count; ++i) pieces.push_back(subjects[task.first + i].piece);
    const auto built = kernels::build_pieces(*options.compiler, pieces, detail::job_of(options, kArch, task.level));
    std::shared_ptr<const std::vector<std::byte>> loaded;
    std::shared_ptr<const gfx950::CodeObject> object;
    for (std::size_t i = 0; i < built.size(); ++i) {
      const Subject& subject = subjects[task.first + i];
      const Compiled& compiled = built[i].compiled;
      if (compiled.outcome != Outcome::kOk) {
        // A single call that is refused is told by the encodings; a pair of calls that are taken alone is not.
        if (subject.name.find('>') == std::string::npos) continue;
        found[t].push_back(detail::finding_of(Code::kAcceptRejected, subject.name, kArch, task.level,
                                              "two calls in a row: " + compilers::telling_line(compiled.log),
                                              subject.piece, compiled));
        continue;
      }
      if (loaded != compiled.object) {
        const auto read = gfx950::load_code_object(*compiled.object);
        object = read ? *read : nullptr;
        loaded = compiled.object;
      }
      if (!object) {
        found[t].push_back(detail::finding_of(Code::kToolFailure, subject.name, kArch, task.level,
                                              "the code object cannot be read", subject.piece, compiled));
        continue;
      }
      std::vector<Finding> here = findings_in(*object, subject, task.level, compiled);
      std::move(here.begin(), here.end(), std::back_inserter(found[t]));
    }
  });
  report.wait_states += subjects.size() * options.levels.size();
  std::vector<Finding> all;
  for (std::vector<Finding>& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
  return all;
}

}  // namespace mfma::checks
