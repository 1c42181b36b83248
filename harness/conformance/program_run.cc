#include "harness/conformance/program_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "harness/conformance/program_reduce.h"

namespace mfma::conformance {
namespace {

using compilers::Compiled;
using compilers::Compiler;
using reports::Finding;
using reports::FindingKind;
using reports::Verdict;

// Programs in a translation unit.
constexpr std::size_t kBatchSize = 16;

struct Attempt {
  const Compiler* compiler = nullptr;
  std::string level;
  ProgramOutcome outcome;
};

bool clean(const ProgramOutcome& o) { return !o.broken && !o.difference && o.wrong_instruction.empty(); }

// An object on the device, once for all programs in it.
class Objects {
 public:
  explicit Objects(devices::Device& device) : device_(device) {}
  ProgramOutcome run(const ProgramCases& cases, const Compiled& compiled) {
    if (compiled.outcome != compilers::Outcome::kOk) return cases.run(compiled, nullptr, {});
    auto [at, is_new] = loaded_.try_emplace(compiled.object->data());
    if (is_new) {
      auto module = device_.load(*compiled.object);
      if (module) {
        at->second.module = *std::move(module);
      } else {
        at->second.refused = fmt::format("the device refused the code object: {}", module.error());
      }
    }
    return cases.run(compiled, at->second.module.get(), at->second.refused);
  }

 private:
  struct Loaded {
    std::unique_ptr<devices::Module> module;
    std::string refused;
  };
  devices::Device& device_;
  std::map<const std::byte*, Loaded> loaded_;
};

compilers::Job job_of(const RunOptions& options, const std::string& level) {
  compilers::Job job;
  job.level = level;
  job.extra_flags = options.extra_flags;
  return job;
}

std::string source_of(const kernels::Program& program) {
  const kernels::Piece piece = kernels::piece_of(program);
  return kernels::join({&piece, 1});
}

// One program alone, compiled and run.
ProgramOutcome run_alone(const RunOptions& options, const kernels::Program& program, const Compiler& compiler,
                         const std::string& level) {
  compilers::Job job = job_of(options, level);
  job.source = source_of(program);
  const Compiled compiled = compiler.compile(job);
  return Objects(*options.device).run(ProgramCases(options, program), compiled);
}

std::string place_of(const Attempt& a) { return fmt::format("-{} with {}", a.level, a.compiler->identity().path.string()); }

std::string listed(const std::vector<std::string>& places) {
  return places.empty() ? "nowhere" : fmt::to_string(fmt::join(places, ", "));
}

// Who fails, and whether those that fail agree with each other.
std::string attribution(const std::vector<Attempt>& attempts) {
  std::vector<std::string> right, wrong, without;
  bool agree = true;
  const ProgramOutcome* first = nullptr;
  for (const Attempt& a : attempts) {
    if (a.outcome.broken) {
      without.push_back(place_of(a));
    } else if (!a.outcome.difference) {
      right.push_back(place_of(a));
    } else {
      wrong.push_back(place_of(a));
      if (first && first->digest != a.outcome.digest) agree = false;
      if (!first) first = &a.outcome;
    }
  }
  std::string text = fmt::format("wrong {}; right {}", listed(wrong), listed(right));
  if (!without.empty()) text += fmt::format("; no answer {}", listed(without));
  if (wrong.size() > 1) text += agree ? "; those that are wrong agree to the last bit" : "; those that are wrong differ from each other";
  return text;
}

class Judge {
 public:
  Judge(const RunOptions& options, const ExaminationLimits& limits, std::atomic<int>& examined)
      : options_(options), limits_(limits), examined_(examined) {}

  // The findings of a program after all its attempts.
  std::vector<Finding> findings(const PlannedProgram& planned, const ProgramCases& cases, const std::vector<Attempt>& attempts) {
    std::vector<Finding> found;
    std::string told;
    kernels::Program reduced = planned.program;
    for (const Attempt& a : attempts) {
      const ProgramOutcome& o = a.outcome;
      if (o.broken) {
        found.push_back(new_finding(planned, cases, a, *o.broken, o.message));
        found.back().log = o.log;
        continue;
      }
      if (!o.wrong_instruction.empty()) {
        found.push_back(new_finding(planned, cases, a, FindingKind::kWrongInstruction, o.wrong_instruction));
      }
      if (!o.difference) continue;
      if (told.empty()) told = examine(planned, a, attempts, reduced);
      const ProgramDifference& d = *o.difference;
      Finding f = new_finding(planned, cases, a, FindingKind::kWrongBits,
                              fmt::format("{} output dwords differ from the composed oracle in {} of {} cases ({} steps of the "
                                          "loop in the first); {}",
                                          d.words, d.cases, o.counts.cases, d.trips, told));
      f.case_id = fmt::format("{}@seed={}#{}", planned.program.title, options_.seed, d.first_case);
      f.operand_class = operands::name_of(class_of_inputs(d.first_case));
      f.cases_affected = d.cases;
      f.elements_differing = d.words;
      f.differences = d.first;
      f.source = source_of(reduced);
      found.push_back(std::move(f));
    }
    return found;
  }

 private:
  Finding new_finding(const PlannedProgram& planned, const ProgramCases& cases, const Attempt& a, FindingKind kind,
                      std::string message) const {
    Finding f;
    f.kind = kind;
    f.builtin = planned.builtin->name;
    for (const catalogue::Instance& i : planned.program.instances()) {
      if (!f.instance.empty()) f.instance += " + ";
      f.instance += catalogue::instance_id(i);
    }
    f.compiler = a.compiler->identity().path.string();
    f.level = a.level;
    f.device = options_.device->info().id;
    f.message = std::move(message);
    f.unsettled = cases.unsettled();
    f.shape = planned.program.shape;
    f.program = planned.program.title;
    f.source = source_of(planned.program);
    return f;
  }

  // Where else the program is wrong, and the least part of it that still is, for the first failing attempt.
  std::string examine(const PlannedProgram& planned, const Attempt& failed, std::vector<Attempt> attempts,
                      kernels::Program& reduced) {
    if (++examined_ > limits_.programs) return attribution(attempts) + "; not reduced: others were before it";
    for (const Compiler& compiler : options_.compilers) {
      for (const std::string& level : options_.levels) {
        const bool tried = std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& a) {
          return a.compiler == &compiler && a.level == level;
        });
        if (!tried) attempts.push_back({&compiler, level, run_alone(options_, planned.program, compiler, level)});
      }
    }
    const Reduced smaller = reduce(
        planned.program,
        [&](const kernels::Program& p) { return run_alone(options_, p, *failed.compiler, failed.level).difference.has_value(); },
        limits_.tries);
    reduced = smaller.program;
    return fmt::format("{}; reduced from {} operations to {}", attribution(attempts), planned.program.ops.size(),
                       reduced.ops.size());
  }

  const RunOptions& options_;
  const ExaminationLimits& limits_;
  std::atomic<int>& examined_;
};

struct ProgramResult {
  Verdict verdict = Verdict::kPass;
  reports::Counts counts;
  std::vector<Finding> findings;
  std::string rule_status;
};

int rank(Verdict v) {
  switch (v) {
    case Verdict::kFail:
      return 3;
    case Verdict::kHang:
      return 2;
    case Verdict::kInconclusive:
      return 1;
    case Verdict::kPass:
      break;
  }
  return 0;
}

// The programs of one batch, all of the same levels.
std::vector<ProgramResult> run_batch(const RunOptions& options, std::span<const PlannedProgram> batch,
                                     const ExaminationLimits& limits, std::atomic<int>& examined) {
  std::vector<ProgramCases> cases;
  std::vector<kernels::Piece> pieces;
  for (const PlannedProgram& p : batch) {
    cases.emplace_back(options, p.program);
    pieces.push_back(kernels::piece_of(p.program));
  }
  std::vector<std::vector<Attempt>> attempts(batch.size());
  std::vector<std::vector<Finding>> unexplained(batch.size());
  Objects objects(*options.device);
  std::vector<std::vector<kernels::BuiltPiece>> kept;  // objects are known by their address
  for (const Compiler& compiler : options.compilers) {
    for (const std::string& level : batch[0].levels) {
      kept.push_back(kernels::build_pieces(compiler, pieces, job_of(options, level)));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const kernels::BuiltPiece& built = kept.back()[i];
        attempts[i].push_back({&compiler, level, objects.run(cases[i], built.compiled)});
        if (!built.unexplained) continue;
        Finding f;
        f.kind = FindingKind::kBatchFailure;
        f.builtin = batch[i].builtin->name;
        f.compiler = compiler.identity().path.string();
        f.level = level;
        f.device = options.device->info().id;
        f.shape = batch[i].program.shape;
        f.program = batch[i].program.title;
        f.message = "a translation unit with this program failed, yet each of its kernels compiles alone";
        f.log = built.unexplained->log;
        unexplained[i].push_back(std::move(f));
      }
    }
  }
  std::vector<ProgramResult> results(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ProgramResult& r = results[i];
    r.findings = std::move(unexplained[i]);
    r.rule_status = cases[i].rule_status();
    const bool all_clean = std::all_of(attempts[i].begin(), attempts[i].end(), [](const Attempt& a) { return clean(a.outcome); });
    if (!all_clean) {
      std::vector<Finding> found = Judge(options, limits, examined).findings(batch[i], cases[i], attempts[i]);
      std::move(found.begin(), found.end(), std::back_inserter(r.findings));
    }
    for (const Attempt& a : attempts[i]) r.counts += a.outcome.counts;
    for (const Finding& f : r.findings) {
      if (rank(reports::verdict_of(f.kind)) > rank(r.verdict)) r.verdict = reports::verdict_of(f.kind);
    }
  }
  return results;
}

void add(const ProgramResult& r, reports::BuiltinReport& row) {
  row.instances += 1;
  row.passed += r.verdict == Verdict::kPass;
  row.failed += r.verdict == Verdict::kFail;
  row.inconclusive += r.verdict == Verdict::kInconclusive;
  row.hung += r.verdict == Verdict::kHang;
  row.counts += r.counts;
  if (row.rule_status.find(r.rule_status) == std::string::npos) {
    if (!row.rule_status.empty()) row.rule_status += '+';
    row.rule_status += r.rule_status;
  }
}

}  // namespace

ProgramRunResult run_programs(const RunOptions& options, const std::vector<PlannedProgram>& plan,
                              const ExaminationLimits& limits) {
  struct Range {
    std::size_t first, count;
  };
  std::vector<Range> batches;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const bool joins = !batches.empty() && batches.back().count < kBatchSize && plan[i - 1].levels == plan[i].levels;
    if (!joins) batches.push_back({i, 0});
    ++batches.back().count;
  }
  std::vector<ProgramResult> results(plan.size());
  std::atomic<int> examined{0};
  const auto threads = options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                                        : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, batches.size(), 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t b = range.begin(); b < range.end(); ++b) {
          const Range at = batches[b];
          std::vector<ProgramResult> done = run_batch(options, std::span(plan).subspan(at.first, at.count), limits, examined);
          std::move(done.begin(), done.end(), results.begin() + static_cast<std::ptrdiff_t>(at.first));
        }
      },
      tbb::simple_partitioner());

  ProgramRunResult result;
  for (const kernels::Shape& shape : kernels::shapes()) {
    const auto planned = [&](const PlannedProgram& p) { return p.program.shape == shape.name; };
    if (std::any_of(plan.begin(), plan.end(), planned)) result.shapes.emplace_back().builtin = shape.name;
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::string& shape = plan[i].program.shape;
    auto row = std::find_if(result.shapes.begin(), result.shapes.end(), [&](const auto& r) { return r.builtin == shape; });
    if (row == result.shapes.end()) {
      row = result.shapes.emplace(result.shapes.end());
      row->builtin = shape;
    }
    add(results[i], *row);
    std::move(results[i].findings.begin(), results[i].findings.end(), std::back_inserter(result.findings));
  }
  return result;
}

}  // namespace mfma::conformance
