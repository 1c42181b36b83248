#include "harness/conformance/programs/program_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "harness/cases/case.h"
#include "harness/kernels/random_program.h"

namespace mfma::conformance {
namespace {

using catalogue::Builtin;
using catalogue::Instance;
using kernels::Shape;

// The instances of the builtin that the shape takes, in order.
std::vector<Instance> candidates(const ProgramSelection& s, const Shape& shape, const Builtin& builtin) {
  std::vector<Instance> fitting;
  for (const Instance& i : s.instances) {
    if (i.builtin == &builtin && shape.fits(i)) fitting.push_back(i);
  }
  return fitting;
}

// One of them, another for each shape, variant and seed.
const Instance& pick(const std::vector<Instance>& from, const Shape& shape, const std::string& variant,
                     std::uint64_t seed) {
  const std::string name = fmt::format("{}/{}/{}", shape.name, variant, from[0].builtin->name);
  return from[cases::case_seed(seed, name, 0) % from.size()];
}

using Pair = std::pair<std::string, std::string>;

class Pairwise {
 public:
  explicit Pairwise(const ProgramSelection& s) : s_(s) {}

  std::vector<PlannedProgram> run() {
    const std::vector<const Builtin*> builtins = catalogue::builtins_of(s_.instances);
    for (std::size_t shape = 0; shape < s_.shapes.size(); ++shape) {
      std::size_t turn = 0;
      for (std::size_t b = 0; b < builtins.size(); ++b) {
        const std::string& level = s_.levels[(shape + b) % s_.levels.size()];
        if (add(*s_.shapes[shape], *builtins[b], turn, level)) ++turn;
      }
    }
    // What the diagonal left out: few builtins or few that a shape takes.
    for (const Shape* shape : s_.shapes) {
      for (const Builtin* builtin : builtins) {
        for (const std::string& level : s_.levels) {
          const bool needed =
              !met_.count({std::string(shape->name), level}) || !met_.count({std::string(builtin->name), level});
          if (needed) add(*shape, *builtin, extra_++, level);
        }
      }
    }
    return std::move(plan_);
  }

 private:
  bool add(const Shape& shape, const Builtin& builtin, std::size_t turn, const std::string& level) {
    const std::vector<Instance> fitting = candidates(s_, shape, builtin);
    if (fitting.empty()) return false;
    const std::vector<std::string> variants = shape.variants(builtin);
    // chain-pair's variants start after the builtin itself, so that taking the first makes each the second of another.
    const std::size_t start = shape.name == "chain-pair" ? s_.seed - 1 : turn + s_.seed - 1;
    const std::string& variant = variants[start % variants.size()];
    kernels::Program program = shape.make(pick(fitting, shape, variant, s_.seed), variant, s_.seed);
    const auto same = std::find_if(plan_.begin(), plan_.end(),
                                   [&](const PlannedProgram& p) { return p.program.title == program.title; });
    if (same == plan_.end()) {
      plan_.push_back({std::move(program), &builtin, {level}});
    } else if (std::find(same->levels.begin(), same->levels.end(), level) == same->levels.end()) {
      same->levels.push_back(level);
    }
    met_.insert({std::string(shape.name), level});
    met_.insert({std::string(builtin.name), level});
    return true;
  }

  const ProgramSelection& s_;
  std::vector<PlannedProgram> plan_;
  std::set<Pair> met_;
  std::size_t extra_ = 1;
};

std::vector<PlannedProgram> full(const ProgramSelection& s) {
  std::vector<PlannedProgram> plan;
  for (const Shape* shape : s.shapes) {
    for (const Builtin* builtin : catalogue::builtins_of(s.instances)) {
      const std::vector<Instance> fitting = candidates(s, *shape, *builtin);
      if (fitting.empty()) continue;
      for (const std::string& variant : shape->variants(*builtin)) {
        plan.push_back({shape->make(pick(fitting, *shape, variant, s.seed), variant, s.seed), builtin, s.levels, 0});
      }
    }
  }
  return plan;
}

}  // namespace

std::vector<PlannedProgram> plan_programs(const ProgramSelection& selection) {
  if (selection.levels.empty() || selection.instances.empty()) return {};
  std::vector<PlannedProgram> plan =
      selection.coverage == Coverage::kFull ? full(selection) : Pairwise(selection).run();
  // By levels, else as they come. Not std::stable_sort: with libstdc++ 12 clang warns of what that uses.
  std::map<std::vector<std::string>, std::vector<PlannedProgram>> by_levels;
  for (PlannedProgram& p : plan) by_levels[p.levels].push_back(std::move(p));
  std::vector<PlannedProgram> sorted;
  for (auto& [levels, programs] : by_levels) std::move(programs.begin(), programs.end(), std::back_inserter(sorted));
  for (std::size_t n = 0; n < sorted.size(); ++n) sorted[n].number = n;
  return sorted;
}

std::vector<PlannedProgram> plan_random_programs(const ProgramSelection& selection, std::uint64_t count) {
  std::vector<PlannedProgram> plan;
  for (std::uint64_t n = 0; n < count && !selection.instances.empty(); ++n) {
    kernels::Program program = kernels::random_program(selection.instances, selection.seed, n);
    const Builtin* first = program.instances()[0].builtin;
    plan.push_back({std::move(program), first, selection.levels, n});
  }
  return plan;
}

std::vector<std::string> missing_pairs(const ProgramSelection& selection, const std::vector<PlannedProgram>& plan) {
  std::set<std::string> met;
  for (const PlannedProgram& p : plan) {
    met.insert(fmt::format("{} {}", p.program.shape, p.builtin->name));
    for (const std::string& level : p.levels) {
      met.insert(fmt::format("{} {}", p.program.shape, level));
      met.insert(fmt::format("{} {}", p.builtin->name, level));
    }
  }
  std::vector<std::string> missing;
  const auto want = [&](const std::string& pair) {
    if (met.insert(pair).second) missing.push_back(pair);
  };
  for (const Shape* shape : selection.shapes) {
    for (const Builtin* builtin : catalogue::builtins_of(selection.instances)) {
      if (candidates(selection, *shape, *builtin).empty()) continue;
      want(fmt::format("{} {}", shape->name, builtin->name));
      for (const std::string& level : selection.levels) {
        want(fmt::format("{} {}", shape->name, level));
        want(fmt::format("{} {}", builtin->name, level));
      }
    }
  }
  return missing;
}

tl::expected<std::vector<const Shape*>, std::string> parse_shapes(const std::string& text) {
  std::vector<const Shape*> chosen;
  if (text == "all") {
    for (const Shape& shape : kernels::shapes()) chosen.push_back(&shape);
    return chosen;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, comma - begin);
    const Shape* shape = kernels::find_shape(name);
    if (!shape) {
      return tl::make_unexpected(
          fmt::format("--shape '{}': '{}' is no shape; 'mfma-conform list --shapes' shows them, besides all and random",
                      text, name));
    }
    if (std::find(chosen.begin(), chosen.end(), shape) != chosen.end()) {
      return tl::make_unexpected(fmt::format("--shape '{}': '{}' is there twice", text, name));
    }
    chosen.push_back(shape);
    begin = comma + 1;
  }
  return chosen;
}

}  // namespace mfma::conformance
