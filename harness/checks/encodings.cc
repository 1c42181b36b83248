// The encoding of every selected instance at every level, and of scales that are zero.
#include <fmt/format.h>

#include <array>

#include "harness/checks/encoding.h"
#include "harness/checks/jobs.h"
#include "harness/conformance/execution/instruction_check.h"
#include "harness/gfx950/object/code_object.h"
#include "harness/system/parallel.h"

namespace mfma::checks {
namespace {

using catalogue::Instance;
using compilers::Compiled;
using compilers::Outcome;

constexpr const char* kArch = "gfx950";
constexpr std::size_t kBatch = 64;

std::vector<Violation> violations_in(const gfx950::CodeObject& object, const Instance& instance) {
  const auto products = conformance::matrix_products(object, kernels::kernel_name(instance));
  if (!products) return {{Code::kToolFailure, products.error()}};
  if (products->size() != 1) {
    return {{Code::kEncodingCount, fmt::format("the object holds {} MFMAs for one call", products->size())}};
  }
  return encoding_violations(products->front(), instance);
}

// A zero scale by way of an expression; `visible` says from which level on a compiler can see that it is zero.
struct ZeroScale {
  const char* name;
  const char* expression;
};
constexpr std::array kZeroScales{
    ZeroScale{"literal", "0"},
    ZeroScale{"variable", "({ int zero = 0; zero; })"},
    ZeroScale{"masked", "(cases & 0)"},
};

}  // namespace

std::vector<Finding> check_encodings(const CheckOptions& options, CheckReport& report) {
  struct Task {
    std::size_t first, count;
    std::string level;
  };
  std::vector<Task> tasks;
  for (const std::string& level : options.levels) {
    for (std::size_t first = 0; first < options.instances.size(); first += kBatch) {
      tasks.push_back({first, std::min(kBatch, options.instances.size() - first), level});
    }
  }
  std::vector<std::vector<Finding>> found(tasks.size());
  system::in_parallel(options.jobs, tasks.size(), [&](std::size_t t) {
    const std::span batch(options.instances.data() + tasks[t].first, tasks[t].count);
    const Compiled* loaded = nullptr;
    std::shared_ptr<const gfx950::CodeObject> object;
    const auto built = kernels::build(*options.compiler, batch, tasks[t].level, options.extra_flags);
    for (const kernels::Built& kernel : built) {
      if (auto refused = detail::judge_call(true, kernel.compiled)) {
        found[t].push_back(detail::finding_of(refused->first, catalogue::instance_id(kernel.instance), kArch,
                                              tasks[t].level, std::move(refused->second),
                                              kernels::piece_of(kernel.instance), kernel.compiled));
        continue;
      }
      if (!loaded || loaded->object != kernel.compiled.object) {
        const auto read = gfx950::load_code_object(*kernel.compiled.object);
        object = read ? *read : nullptr;
        loaded = &kernel.compiled;
      }
      std::vector<Violation> violations{{Code::kToolFailure, "the code object cannot be read"}};
      if (object) violations = violations_in(*object, kernel.instance);
      for (Violation& v : violations) {
        found[t].push_back(detail::finding_of(v.code, catalogue::instance_id(kernel.instance), kArch, tasks[t].level,
                                              std::move(v.message), kernels::piece_of(kernel.instance),
                                              kernel.compiled));
      }
    }
  });
  report.encodings += options.instances.size() * options.levels.size();
  std::vector<Finding> all;
  for (std::vector<Finding>& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
  return all;
}

std::vector<Finding> check_zero_scales(const CheckOptions& options) {
  std::vector<Finding> findings;
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    if (builtin.modifiers != catalogue::ModifierKind::kScaled) continue;
    Instance instance{&builtin, {}};
    instance.modifiers.scaled = true;
    for (const ZeroScale& zero : kZeroScales) {
      const kernels::Piece piece =
          kernels::piece_with_immediates(instance, fmt::format("zero_scale_{}", zero.name),
                                         fmt::format("0, 0, 0, {}, 0, {}", zero.expression, zero.expression));
      std::vector<Compiled> compiled(options.levels.size());
      system::in_parallel(options.jobs, compiled.size(), [&](std::size_t i) {
        compiled[i] = detail::compile(options, piece, kArch, options.levels[i]);
      });
      std::string scaled, unscaled;
      std::vector<Finding> here;
      for (std::size_t i = 0; i < compiled.size(); ++i) {
        if (compiled[i].outcome != Outcome::kOk) continue;  // acceptance has judged the builtin
        const auto products = detail::matrix_products(compiled[i], piece.name);
        if (!products || products->size() != 1) continue;  // and encodings the count
        std::string& list = products->front().encoding == gfx950::Encoding::kScaledMai ? scaled : unscaled;
        list += (list.empty() ? "-" : ", -") + options.levels[i];
        here.push_back(detail::finding_of(Code::kScaleZeroByLevel,
                                          fmt::format("{} zero-scale={}", builtin.name, zero.name), kArch,
                                          options.levels[i], "", piece, compiled[i]));
      }
      if (scaled.empty() || unscaled.empty()) continue;
      for (Finding& f : here) {
        f.message = fmt::format("scaled (2^-127) at {}, unscaled (1.0) at {}", scaled, unscaled);
        findings.push_back(std::move(f));
      }
    }
  }
  return findings;
}

}  // namespace mfma::checks
