// Reduction against judges of our own: what is left still fails, weighs no more, and is what the failure needs.
// RapidCheck draws the cases and the judges.
#include "harness/reduction/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "harness/operands/operands.h"
#include "harness/reduction/working_case.h"

namespace mfma::reduction {
namespace {

using namespace detail;

const std::vector<std::string> kLevels = {"O0", "O1", "O2", "O3", "Os", "Oz"};

const std::vector<catalogue::Instance>& instances() {
  static const std::vector<catalogue::Instance> all = catalogue::all_legal_instances();
  return all;
}

// A judge of one case, made one of many; it checks what it is handed.
Judge judge_of(std::function<bool(const Candidate&)> fails, std::uint64_t* judged = nullptr) {
  return [fails = std::move(fails), judged](const catalogue::Instance& instance, const std::string& level,
                                            std::span<const cases::Case> cases) {
    std::vector<bool> verdicts;
    for (const cases::Case& c : cases) {
      RC_ASSERT(c.instance == instance);
      RC_ASSERT(catalogue::why_illegal(*instance.builtin, instance.modifiers).empty());
      RC_ASSERT(c.has_scales == instance.modifiers.scaled);
      verdicts.push_back(fails({c, level}));
      if (judged) ++*judged;
    }
    return verdicts;
  };
}

bool no_heavier(const Weight& x, const Weight& y) {
  return x.level <= y.level && x.modifiers <= y.modifiers && x.elements <= y.elements && x.unread <= y.unread &&
         x.complexity <= y.complexity;
}

Candidate drawn() {
  const catalogue::Instance& instance = instances()[*rc::gen::inRange<std::size_t>(0, instances().size())];
  return {
      operands::make_case(instance, *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange<std::uint64_t>(0, 1000)),
      *rc::gen::elementOf(kLevels)};
}

std::vector<Place> drawn_places(const WorkingCase& c, std::size_t count) {
  std::vector<Place> places;
  for (std::size_t n = 0; n < count; ++n) {
    const auto slot = *rc::gen::element(kSlotA, kSlotB, kSlotC);
    places.push_back({slot, *rc::gen::inRange<std::size_t>(0, c.codes(slot).size())});
  }
  return places;
}

void use_seed(const char* parameters) { setenv("RC_PARAMS", parameters, 1); }

// Fails while all of some elements are not zero: exactly these must be left, as ones, and nothing else.
TEST(Reduce, LeavesWhatTheFailureNeeds) {
  use_seed("seed=20260103 max_success=40");
  EXPECT_TRUE(rc::check([] {
    const Candidate start = drawn();
    std::vector<Place> needed;
    const WorkingCase begin(start.c);
    for (const Place at : drawn_places(begin, 4)) {
      if (!begin.is_default(at)) needed.push_back(at);
    }
    const auto fails = [&](const Candidate& x) {
      const WorkingCase c(x.c);
      return std::none_of(needed.begin(), needed.end(), [&](Place at) { return c.is_default(at); });
    };
    const Reduction r = reduce(start, kLevels, judge_of(fails));
    RC_ASSERT(r.reproduced);
    RC_ASSERT(!r.exhausted);
    RC_ASSERT(fails(r.smallest));
    std::set<std::pair<int, std::size_t>> distinct;
    for (const Place at : needed) distinct.insert({at.slot, at.index});
    RC_ASSERT(weigh(r.smallest) == (Weight{.elements = distinct.size(), .complexity = distinct.size()}));
  }));
}

// Any judge, however strange: a hash of the candidate decides. The result fails and weighs no more.
TEST(Reduce, NeverGivesAwayTheFailure) {
  use_seed("seed=20260104 max_success=60");
  EXPECT_TRUE(rc::check([] {
    const Candidate start = drawn();
    const auto salt = *rc::gen::arbitrary<std::uint64_t>();
    const auto one_in = *rc::gen::inRange<std::uint64_t>(2, 6);
    const auto fails = [&](const Candidate& x) {
      if (x == start) return true;
      std::uint64_t hash = salt;
      const auto mix = [&hash](std::uint64_t bits) {
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      };
      for (const std::uint32_t dword : x.c.a.dwords) mix(dword);
      for (const std::uint32_t dword : x.c.b.dwords) mix(dword);
      for (const std::uint32_t dword : x.c.c.dwords) mix(dword);
      return hash % one_in == 0;
    };
    const Reduction r = reduce(start, kLevels, judge_of(fails), {.candidates = 1500});
    RC_ASSERT(r.reproduced);
    RC_ASSERT(fails(r.smallest));
    RC_ASSERT(no_heavier(weigh(r.smallest), weigh(start)));
  }));
}

// The budget is kept to the candidate, whatever the batch.
TEST(Reduce, StopsWhenItsBudgetIsSpent) {
  use_seed("seed=20260105 max_success=30");
  EXPECT_TRUE(rc::check([] {
    const Candidate start = drawn();
    std::uint64_t judged = 0;
    const auto budget = *rc::gen::inRange<std::uint64_t>(1, 300);
    const auto batch = *rc::gen::inRange<std::size_t>(1, 100);
    const std::uint64_t limit = weigh(start).elements / 2;
    const auto fails = [&](const Candidate& x) { return weigh(x).elements >= limit; };
    const Reduction r = reduce(start, kLevels, judge_of(fails, &judged), {.candidates = budget, .batch = batch});
    RC_ASSERT(judged == r.judged);
    RC_ASSERT(judged <= budget);
    RC_ASSERT(r.reproduced);
    RC_ASSERT(fails(r.smallest));
  }));
}

TEST(Reduce, TimeEndsItToo) {
  const Candidate start{operands::make_case(instances()[0], 1, 1), "O2"};
  const Reduction r =
      reduce(start, kLevels, judge_of([](const Candidate&) { return true; }), {.time = std::chrono::milliseconds(0)});
  EXPECT_TRUE(r.exhausted);
  EXPECT_FALSE(r.reproduced);
  EXPECT_EQ(r.judged, 0u);
}

TEST(Reduce, WhatDoesNotFailIsLeftAlone) {
  const Candidate start{operands::make_case(instances()[5], 1, 1), "O2"};
  const Reduction r = reduce(start, kLevels, judge_of([](const Candidate&) { return false; }));
  EXPECT_FALSE(r.reproduced);
  EXPECT_EQ(r.smallest, start);
  EXPECT_EQ(r.judged, 1u);
}

TEST(Reduce, WhatAlwaysFailsBecomesNothing) {
  for (std::size_t n = 0; n < instances().size(); n += 97) {
    const Candidate start{operands::make_case(instances()[n], 1, 1), "O3"};
    const Reduction r = reduce(start, kLevels, judge_of([](const Candidate&) { return true; }));
    EXPECT_EQ(weigh(r.smallest), Weight{}) << catalogue::instance_id(start.c.instance);
    EXPECT_EQ(r.smallest.level, "O0");
    EXPECT_LT(r.judged, 200u);
  }
}

// Levels, modifiers and unread bits stay where the failure needs them.
TEST(Reduce, KeepsWhatIsNeededBesideTheElements) {
  const auto instance = catalogue::parse_instance("mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp6,op_sel=2/3");
  ASSERT_TRUE(instance);
  const Candidate start{operands::make_case(*instance, 1, 1), "O3"};
  ASSERT_GT(weigh(start).unread, 0u);
  const auto needs = [](const Candidate& x) {
    return x.level >= "O1" && x.c.instance.modifiers.op_sel_b == 3 && x.c.a.at(7, 7) != 0;
  };
  ASSERT_TRUE(needs(start));
  const Reduction r = reduce(start, kLevels, judge_of(needs));
  EXPECT_TRUE(needs(r.smallest));
  EXPECT_EQ(r.smallest.level, "O1");
  EXPECT_EQ(catalogue::instance_id(r.smallest.c.instance), "mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp6,op_sel=0/3");
  const Weight w = weigh(r.smallest);
  EXPECT_EQ(w.elements, 0u);
  EXPECT_GT(w.unread, 0u);
  EXPECT_LT(w.unread, weigh(start).unread);
}

TEST(Reduce, OnlyTheLevelsOfferedAreTried) {
  const Candidate start{operands::make_case(instances()[0], 1, 1), "O2"};
  const std::vector<std::string> offered = {"O3", "O2", "O1"};
  const Reduction r = reduce(start, offered, judge_of([](const Candidate&) { return true; }));
  EXPECT_EQ(r.smallest.level, "O1");
}

}  // namespace
}  // namespace mfma::reduction
