// No lawful model breaks a property, and every property can be broken: RapidCheck draws seeds, and from them models,
// readings, instances of every builtin, and operands.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "harness/properties/operands.h"
#include "oracles/arithmetic/profile.h"
#include "tests/properties/oracle_device.h"

namespace mfma::properties::testing {
namespace {

// A fixed seed for RapidCheck, whatever the environment says. Each success is a trial on each builtin.
const int kSeeded = setenv("RC_PARAMS", "seed=20260301 max_success=4 noshrink=1", 1);

// Of every builtin an instance that the property applies to, by the generator.
std::vector<catalogue::Instance> one_of_each_builtin(const Property& property, cases::Rng& rng) {
  std::vector<catalogue::Instance> chosen;
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    std::vector<catalogue::Instance> fitting = catalogue::legal_instances(builtin);
    std::erase_if(fitting, [&](const catalogue::Instance& i) { return !property.applies(i); });
    if (!fitting.empty()) chosen.push_back(fitting[rng.below(static_cast<std::uint32_t>(fitting.size()))]);
  }
  return chosen;
}

class EveryProperty : public ::testing::TestWithParam<const Property*> {};

TEST_P(EveryProperty, HoldsUnderEveryLawfulModel) {
  const Property& property = *GetParam();
  std::size_t trials = 0, derived = 0;
  const bool held = rc::check(std::string(property.name), [&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    cases::Rng rng(seed);
    for (const catalogue::Instance& instance : one_of_each_builtin(property, rng)) {
      ++trials;
      const std::optional<Trial> trial = make_trial(property, instance, seed, 0);
      if (!trial) continue;
      ++derived;
      const OracleDevice device = random_lawful_device(rng, instance);
      const Judgement judgement = judge(*trial, device.run(*trial));
      RC_LOG() << trial_id(property, instance, seed, 0) << ": " << judgement.failing << " of " << judgement.compared
               << " fail; model kind " << static_cast<int>(device.model.kind) << " step " << device.model.step << "\n";
      RC_ASSERT(!judgement.broken);
    }
  });
  EXPECT_TRUE(held);
  EXPECT_GT(trials, 0u) << "applies to nothing";
  // A property that seldom finds something to compare checks nothing.
  EXPECT_GE(derived * 10, trials * 9) << derived << " of " << trials << " trials had something to compare";
}

// Another value in the place of one compared element: of no NaN, whose bits are often free.
bool spoil(const Trial& trial, std::vector<std::vector<std::uint64_t>>& results, cases::Rng& rng) {
  const std::vector<Comparison>& comparisons = trial.readings.back().comparisons;
  for (int tries = 0; tries < 100; ++tries) {
    const Comparison& c = comparisons[rng.below(static_cast<std::uint32_t>(comparisons.size()))];
    const auto acc = trial.steps[c.subject.step].operands.instance.builtin->acc_format;
    std::uint64_t& bits = results[c.subject.step][c.subject.element];
    if (is_nan_code(acc, bits)) continue;
    if (c.relation == Relation::kAtLeast) {
      bits = acc == catalogue::ElementFormat::kF64   ? 0xffefffffffffffff
             : acc == catalogue::ElementFormat::kI32 ? 0x80000000
                                                     : 0xff7fffff;
    } else {
      bits ^= 1;
    }
    return true;
  }
  return false;
}

TEST_P(EveryProperty, IsBrokenByOneWrongElement) {
  const Property& property = *GetParam();
  std::size_t spoiled = 0;
  const bool seen = rc::check(std::string(property.name), [&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    cases::Rng rng(seed);
    const std::vector<catalogue::Instance> instances = one_of_each_builtin(property, rng);
    // A few builtins each time: the others are as good.
    for (std::size_t n = 0; n < instances.size(); n += 1 + rng.below(6)) {
      const std::optional<Trial> trial = make_trial(property, instances[n], seed, 1);
      if (!trial) continue;
      const OracleDevice device = random_lawful_device(rng, instances[n]);
      std::vector<std::vector<std::uint64_t>> results = device.run(*trial);
      if (!spoil(*trial, results, rng)) continue;
      ++spoiled;
      const Judgement judgement = judge(*trial, results);
      RC_LOG() << trial_id(property, instances[n], seed, 1) << "\n";
      RC_ASSERT(judgement.broken);
      RC_ASSERT(judgement.failing >= 1u);
      RC_ASSERT(!judgement.mismatches.empty());
      RC_ASSERT(judgement.mismatches[0].expected != judgement.mismatches[0].actual);
    }
  });
  EXPECT_TRUE(seen);
  EXPECT_GT(spoiled, 0u);
}

std::vector<const Property*> every_property() {
  std::vector<const Property*> all;
  for (const Property& p : all_properties()) all.push_back(&p);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Properties, EveryProperty, ::testing::ValuesIn(every_property()), [](const auto& param_info) {
  std::string name(param_info.param->name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Properties, EveryBuiltinHasMost) {
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    std::set<std::string_view> applying;
    for (const catalogue::Instance& i : catalogue::legal_instances(builtin)) {
      for (const Property& p : all_properties()) {
        if (p.applies(i)) applying.insert(p.name);
      }
    }
    EXPECT_GE(applying.size(), 14u) << builtin.name;
  }
}

TEST(Properties, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Property& p : all_properties()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_EQ(find_property(p.name), &p);
    for (const std::string_view text : {p.statement, p.source, p.applies_to}) EXPECT_FALSE(text.empty()) << p.name;
  }
  EXPECT_EQ(find_property("no-such-property"), nullptr);
}

TEST(Properties, TrialsAreAFunctionOfTheirNumbers) {
  const catalogue::Instance instance = *catalogue::parse_instance("mfma_f32_4x4x4f16:cbsz=2,abid=1,blgp=3");
  for (const Property& p : all_properties()) {
    const auto first = make_trial(p, instance, 1, 0), again = make_trial(p, instance, 1, 0);
    const auto other = make_trial(p, instance, 2, 0);
    ASSERT_EQ(first.has_value(), again.has_value()) << p.name;
    if (!first) continue;
    ASSERT_EQ(first->steps.size(), again->steps.size()) << p.name;
    for (std::size_t n = 0; n < first->steps.size(); ++n) {
      EXPECT_EQ(first->steps[n].operands, again->steps[n].operands) << p.name;
    }
    if (other) {
      EXPECT_NE(first->steps[0].operands, other->steps[0].operands) << p.name;
    }
  }
}

}  // namespace
}  // namespace mfma::properties::testing
