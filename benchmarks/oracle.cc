// What the oracle costs: time per product, exactness label included, beside a dependent chain of hardware fmaf of the
// same run and beside the goal. One line a shape; fails nothing.
//
//   oracle_benchmark [SECONDS]   how long each figure is measured (0.3)
//
// A figure is the best of several passes over the same cases, so that a busy machine disturbs it little. The operands
// are those of a run: `dealt` are the first cases of the instance, of all classes; `random` finite numbers of full
// significands near one, which nothing shortens.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/catalogue/register_image.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/operands.h"
#include "oracles/arithmetic/profile.h"
#include "oracles/batched/batched.h"

namespace {

using namespace mfma;

// The goals are those of a machine whose chain took this long; what counts is the ratio.
constexpr double kAnchorOfGoals = 1.151;

struct Row {
  const char* what;
  const char* instance;
  double goal;  // ns per product where a chain product takes kAnchorOfGoals
};

constexpr Row kRows[] = {
    {"f32 16x16x4", "mfma_f32_16x16x4f32", 6},
    {"f32 32x32x2", "mfma_f32_32x32x2f32", 6},
    {"f16 32x32x16", "mfma_f32_32x32x16_f16", 1},
    {"f16 16x16x32", "mfma_f32_16x16x32_f16", 1},
    {"bf16 32x32x16", "mfma_f32_32x32x16_bf16", 1},
    {"fp8 16x16x32", "mfma_f32_16x16x32_fp8_fp8", 1.5},
    {"fp8 32x32x16", "mfma_f32_32x32x16_fp8_fp8", 1.5},
    {"f8f6f4 fp8", "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp8,op_sel=0/0", 1},
    {"f8f6f4 fp4", "mfma_scale_f32_32x32x64_f8f6f4:a=fp4,b=fp4,op_sel=0/0", 1},
    {"f64 16x16x4", "mfma_f64_16x16x4f64", 10},
    {"i8 16x16x64", "mfma_i32_16x16x64_i8", 0.5},
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The best time of one call, in seconds, over passes that last `budget` seconds together.
template <typename Work>
double best_of(double budget, Work work) {
  work();
  double best = 1e9;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, seconds_since(start));
  } while (seconds_since(begin) < budget);
  return best;
}

// Seconds per product of d = fmaf(a, b, d): each waits for the one before.
double chain_product(double budget) {
  constexpr int kProducts = 1 << 16;
  volatile float a = 0.999F, b = 1.001F, sink = 0;
  return best_of(budget,
                 [&] {
                   const float x = a, y = b;
                   float d = 1;
                   for (int i = 0; i < kProducts; ++i) d = std::fma(x, y, d);
                   sink = d;
                 }) /
         kProducts;
}

// Matrices of one case, as the oracle takes them.
struct Subject {
  Subject(const catalogue::Instance& instance, const cases::Case& c) {
    const auto read = [&](catalogue::Operand operand, const catalogue::RegisterImage& image) {
      return catalogue::read_elements(catalogue::shared_layout(instance, operand), image);
    };
    a = read(catalogue::Operand::kA, c.a);
    b = read(catalogue::Operand::kB, c.b);
    acc = read(catalogue::Operand::kC, c.c);
    const catalogue::Shape& s = instance.builtin->shape;
    problem = {.shape = {s.m, s.n, s.k, s.blocks},
               .a_format = oracles::format(conformance::oracle_format(instance.a_format())),
               .b_format = oracles::format(conformance::oracle_format(instance.b_format())),
               .acc_format = oracles::format(conformance::oracle_format(instance.builtin->acc_format)),
               .modifiers = {},
               .a = a,
               .b = b,
               .c = acc,
               .scaled = instance.modifiers.scaled,
               .scale_a = {},
               .scale_b = {}};
    if (!problem.scaled) return;
    for (const std::uint64_t code : read(catalogue::Operand::kScaleA, c.scale_a)) scale_a.push_back(code & 0xff);
    for (const std::uint64_t code : read(catalogue::Operand::kScaleB, c.scale_b)) scale_b.push_back(code & 0xff);
    problem.scale_a = scale_a;
    problem.scale_b = scale_b;
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::vector<std::uint64_t> a, b, acc;
  std::vector<std::uint8_t> scale_a, scale_b;
  oracles::DenseProblem problem;
};

std::vector<std::unique_ptr<Subject>> dealt_cases(const catalogue::Instance& instance) {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (std::uint64_t index = 0; index < operands::kDealLength; ++index) {
    subjects.push_back(std::make_unique<Subject>(instance, operands::make_case(instance, 1, index)));
  }
  return subjects;
}

std::vector<std::unique_ptr<Subject>> random_cases(const catalogue::Instance& instance) {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (std::uint64_t index = 0; index < 8; ++index) {
    const auto cls = operands::OperandClass::kRandomBits;
    subjects.push_back(std::make_unique<Subject>(instance, operands::make_case(instance, 1, index, cls)));
  }
  return subjects;
}

using Oracle = oracles::DenseResult (*)(const oracles::DenseProblem&, const oracles::Model&);

double per_product(const std::vector<std::unique_ptr<Subject>>& subjects, const oracles::Model& model, Oracle oracle,
                   double budget) {
  std::uint64_t products = 0;
  for (const auto& s : subjects) {
    products += s->acc.size() * static_cast<std::uint64_t>(s->problem.shape.k);
  }
  volatile std::uint64_t sink = 0;
  const double seconds = best_of(budget, [&] {
    for (const auto& s : subjects) sink = oracle(s->problem, model).d.back();
  });
  return seconds / static_cast<double>(products);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.3;
  if (argc > 2 || budget <= 0) {
    fmt::print(stderr, "usage: oracle_benchmark [SECONDS]\n");
    return 64;
  }
  struct Named {
    const char* name;
    Oracle oracle;
  };
  const Named kOracles[] = {{"plain", oracles::dense_product}, {"batched", oracles::batched::dense_product}};
  const double anchor = chain_product(budget);
  fmt::print("{} cores, {}; a product of a dependent chain of hardware fmaf: {:.3f} ns\n",
             std::thread::hardware_concurrency(), processor(), anchor * 1e9);
  fmt::print("{:14} {:8} {:>10} {:>8} {:>10} {:>8} {:>8}\n", "shape", "oracle", "random ns", "x chain", "dealt ns",
             "x chain", "goal x");
  for (const Row& row : kRows) {
    const auto instance = catalogue::parse_instance(row.instance);
    if (!instance) {
      fmt::print(stderr, "{}: {}\n", row.instance, instance.error());
      return 2;
    }
    const auto random = random_cases(*instance);
    const auto dealt = dealt_cases(*instance);
    const oracles::ProfileRule* rule = oracles::default_profile().rule_for(
        instance->builtin->name, catalogue::bits_of(instance->a_format()), catalogue::bits_of(instance->b_format()));
    for (const Named& named : kOracles) {
      const double of_random = per_product(random, rule->model, named.oracle, budget);
      const double of_dealt = per_product(dealt, rule->model, named.oracle, budget);
      const double goal = row.goal / kAnchorOfGoals;
      fmt::print("{:14} {:8} {:>10.2f} {:>8.2f} {:>10.2f} {:>8.2f} {:>8.2f}  {}\n", row.what, named.name,
                 of_random * 1e9, of_random / anchor, of_dealt * 1e9, of_dealt / anchor, goal,
                 std::max(of_random, of_dealt) / anchor <= goal ? "met"
                 : of_random / anchor <= goal                   ? "met on random"
                                                                : "not met");
    }
  }
}
