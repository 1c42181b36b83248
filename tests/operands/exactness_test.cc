// What is_exact promises, on the operands that runs really use: where an element is labelled exact, models drawn from
// the whole space of profiles, and those of corpus/profiles, all give the same bits.
//
// MFMA_EXACT_ELEMENTS: how many elements to draw over all shards together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "harness/cases/codes.h"
#include "harness/cases/rng.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/operands.h"
#include "oracles/arithmetic/profile.h"

namespace mfma::operands {
namespace {

using catalogue::Instance;
using oracles::Model;
using oracles::ModelKind;

constexpr std::uint64_t kShards = 4;
constexpr std::uint64_t kDefaultElements = 1'000'000;

std::uint64_t elements_per_shard() {
  const char* set = std::getenv("MFMA_EXACT_ELEMENTS");
  const std::uint64_t all = set ? std::strtoull(set, nullptr, 10) : kDefaultElements;
  return std::max<std::uint64_t>(all / kShards, 1);
}

int least_width(const Instance& i) {
  return i.builtin->acc_format == catalogue::ElementFormat::kF64 ? 53 : oracles::kLeastFractionBits;
}

// Lawful in the sense of docs/numerics.md, section 4: a profile's ranges, with the accumulator's precision as the
// least width (the parser knows no accumulator and so enforces 24 only).
bool is_lawful(const Model& m, int least) {
  return std::min({m.product_fraction_bits, m.merge_fraction_bits, m.sum_fraction_bits, m.c_fraction_bits,
                   m.final_fraction_bits.value_or(least), m.drop_c_below.value_or(least)}) >= least;
}

Model random_model(cases::Rng& rng, int least) {
  constexpr ModelKind kKinds[] = {ModelKind::kAlignedSum, ModelKind::kAlignedSum,  ModelKind::kAlignedSum,
                                  ModelKind::kFmaChain,   ModelKind::kMultiplyAdd, ModelKind::kPairwise,
                                  ModelKind::kExactSum,   ModelKind::kBlockSums};
  // Half of the widths are the least one, where a rule that is too weak would show.
  const auto width = [&] { return rng.coin() ? least : rng.between(least, oracles::kLargestFractionBits); };
  const auto rounding = [&] { return static_cast<oracles::Rounding>(rng.below(3)); };
  Model m;
  m.kind = kKinds[rng.below(8)];
  m.step = rng.coin() ? 1 << rng.below(8) : rng.between(1, oracles::kLargestStep);
  m.order = rng.coin() ? oracles::StepOrder::kAscending : oracles::StepOrder::kDescending;
  m.groups = rng.coin() ? rng.between(1, 4) : rng.between(1, oracles::kLargestGroups);
  m.grouping = rng.coin() ? oracles::Grouping::kInterleaved : oracles::Grouping::kContiguous;
  m.product_fraction_bits = width();
  m.merge_fraction_bits = width();
  m.sum_fraction_bits = width();
  m.c_fraction_bits = width();
  m.product_rounding = rounding();
  m.merge_rounding = rounding();
  m.sum_rounding = rounding();
  m.c_rounding = rounding();
  m.final_rounding = rounding();
  m.final_fraction_bits = rng.coin() ? std::optional(width()) : std::nullopt;
  if (rng.coin()) m.drop_c_below = rng.coin() ? least : rng.between(least, oracles::kLargestDrop);
  m.zero_products_raise_exponent = rng.coin();
  m.normalise_subnormals = rng.coin();
  m.normalise_products = rng.coin();
  m.product_overflow = rng.coin() ? oracles::ProductOverflow::kInfinity : oracles::ProductOverflow::kNone;
  m.nan.propagate = rng.coin();
  m.scale = rng.coin() ? oracles::ScaleEntry::kInProductExponent : oracles::ScaleEntry::kInBlockSum;
  return m;
}

const std::vector<oracles::Profile>& corpus() {
  static const std::vector<oracles::Profile> profiles = [] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(MFMA_SOURCE_DIR "/corpus/profiles")) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<oracles::Profile> loaded;
    for (const auto& file : files) {
      auto profile = oracles::load_profile(file);
      EXPECT_TRUE(profile) << profile.error();
      if (profile) loaded.push_back(*std::move(profile));
    }
    return loaded;
  }();
  return profiles;
}

struct Share {
  std::uint64_t elements = 0, exact = 0;
};

class ModelsAgree : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ModelsAgree, WhereAnElementIsExact) {
  const std::vector<Instance> instances = catalogue::all_legal_instances();
  ASSERT_GE(corpus().size(), 20u);
  cases::Rng rng(0x5eed0 + GetParam());
  std::map<OperandClass, Share> shares;
  std::uint64_t elements = 0, exact = 0, comparisons = 0, from_corpus = 0;
  for (std::uint64_t number = 0; elements < elements_per_shard(); ++number) {
    const Instance& instance = instances[rng.below(static_cast<std::uint32_t>(instances.size()))];
    const auto classes = all_operand_classes();
    const OperandClass cls = classes[number % classes.size()];
    if (!applies(instance, cls)) continue;
    const cases::Case c = make_case(instance, rng.next(), rng.below(1 << 20), cls);
    const int least = least_width(instance);
    std::vector<Model> models = {random_model(rng, least), random_model(rng, least), random_model(rng, least)};
    for (int n = 0; n < 3; ++n) {
      const oracles::Profile& profile = corpus()[rng.below(static_cast<std::uint32_t>(corpus().size()))];
      const oracles::ProfileRule* rule = conformance::rule_of(profile, instance);
      if (!rule || !is_lawful(rule->model, least)) continue;
      models.push_back(rule->model);
      ++from_corpus;
    }
    if (cases::is_integer(instance.a_format())) {
      for (Model& m : models) m.kind = ModelKind::kInteger;
    }
    oracles::DenseResult first;
    for (const Model& model : models) {
      const conformance::OracleView view(instance, model, oracles::BroadcastReading::kPerSet);
      const oracles::DenseResult result = view.expected(c);
      if (first.d.empty()) {
        first = result;
        continue;
      }
      ASSERT_EQ(result.exact, first.exact)
          << cases::case_id(instance, c.seed, c.index) << " " << name_of(cls) << ": the label depends on the model";
      for (std::size_t at = 0; at < first.d.size(); ++at) {
        if (!first.exact[at]) continue;
        ++comparisons;
        ASSERT_EQ(result.d[at], first.d[at])
            << cases::case_id(instance, c.seed, c.index) << " " << name_of(cls) << " element " << at << " by kind "
            << static_cast<int>(model.kind) << " step " << model.step << " groups " << model.groups;
      }
    }
    elements += first.d.size();
    shares[cls].elements += first.d.size();
    for (const std::uint8_t e : first.exact) {
      exact += e;
      shares[cls].exact += e;
    }
  }
  RecordProperty("elements", std::to_string(elements));
  RecordProperty("exact", std::to_string(exact));
  fmt::print(
      "{} elements drawn, {} exact, {} comparisons of exact elements between two models, {} models of the corpus\n",
      elements, exact, comparisons, from_corpus);
  for (const auto& [cls, share] : shares) {
    fmt::print("  {:<18} {:5.1f} % exact of {}\n", name_of(cls),
               100.0 * static_cast<double>(share.exact) / static_cast<double>(share.elements), share.elements);
  }
  // Both kinds have to be met for the test to mean anything.
  EXPECT_GT(exact, elements / 10);
  EXPECT_LT(exact, elements * 9 / 10);
  EXPECT_GT(comparisons, exact);
}

INSTANTIATE_TEST_SUITE_P(Shard, ModelsAgree, ::testing::Range(std::uint64_t{0}, kShards));

// By class and builtin, format pairs of the scaled ones apart: how many elements of a few cases are exact.
Share share_of(const Instance& instance, OperandClass cls, std::uint64_t count) {
  Share share;
  const Model model;
  const conformance::OracleView view(instance, model, oracles::BroadcastReading::kPerSet);
  for (std::uint64_t index = 0; index < count; ++index) {
    const oracles::DenseResult result = view.expected(make_case(instance, 17, index, cls));
    share.elements += result.exact.size();
    for (const std::uint8_t e : result.exact) share.exact += e;
  }
  return share;
}

// Every instance: modifiers may not spoil it.
TEST(ExactClass, EveryElementOfEveryInstanceIsExact) {
  for (const Instance& i : catalogue::all_legal_instances()) {
    const Share share = share_of(i, OperandClass::kExact, 1);
    ASSERT_EQ(share.exact, share.elements) << catalogue::instance_id(i);
  }
}

TEST(ExactClass, SmallIntegersAndOneHotAreExactToo) {
  for (const OperandClass cls : {OperandClass::kSmallIntegers, OperandClass::kOneHot}) {
    for (const Instance& i : catalogue::all_legal_instances()) {
      if (i.builtin->modifiers == catalogue::ModifierKind::kBroadcast && i.modifiers.abid % 4 != 0) continue;
      const Share share = share_of(i, cls, 1);
      ASSERT_EQ(share.exact, share.elements) << name_of(cls) << " " << catalogue::instance_id(i);
    }
  }
}

TEST(ExactClass, EveryBuiltinHasExactElementsInOtherClassesToo) {
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    const Instance plain{&builtin, {}};
    Share others;
    for (const OperandClass cls : all_operand_classes()) {
      if (!applies(plain, cls) || cls == OperandClass::kExact || cls == OperandClass::kSmallIntegers ||
          cls == OperandClass::kOneHot) {
        continue;
      }
      const Share share = share_of(plain, cls, 6);
      others.elements += share.elements;
      others.exact += share.exact;
    }
    EXPECT_GT(others.exact, 0u) << builtin.name;
    EXPECT_LT(others.exact, others.elements) << builtin.name;
  }
}

}  // namespace
}  // namespace mfma::operands
