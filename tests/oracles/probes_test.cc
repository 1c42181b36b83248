// The hand-computed probes of corpus/probes under every profile they name, and the structure probes over all i, j.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/oracles/probe_file.h"

namespace mfma::oracles {
namespace {

using test::corpus_profile;
using test::read_probes;

const Model& model_of(const Profile& profile, const std::string& builtin, const EvalShape& shape) {
  const ProfileRule* rule = profile.rule_for(builtin, shape.a_format.bits, shape.b_format.bits);
  if (rule == nullptr) throw std::runtime_error("no rule for " + builtin);
  return rule->model;
}

void check_file(const std::string& name, std::size_t count) {
  const auto probes = read_probes(std::filesystem::path(MFMA_SOURCE_DIR) / "corpus/probes" / (name + ".txt"));
  ASSERT_TRUE(probes) << probes.error();
  EXPECT_EQ(probes->size(), count);
  for (const test::Probe& probe : *probes) {
    EXPECT_FALSE(probe.expected.empty()) << probe.id;
    for (const auto& [profile_name, expected] : probe.expected) {
      const auto profile = corpus_profile(profile_name);
      ASSERT_TRUE(profile) << profile.error();
      EXPECT_EQ(profile->name, profile_name);
      const auto d = evaluate(probe.operands, model_of(*profile, probe.builtin, probe.operands.shape));
      ASSERT_TRUE(d) << d.error();
      EXPECT_EQ(hex_of(*d, probe.operands.shape.acc_format), hex_of(expected, probe.operands.shape.acc_format))
          << probe.id << " under " << profile_name;
    }
    // A probe tells models apart, so what they disagree on must not pass for exact.
    std::set<std::uint64_t> values;
    for (const auto& [profile_name, expected] : probe.expected) values.insert(expected);
    if (values.size() > 1) {
      EXPECT_FALSE(is_exact(probe.operands)) << probe.id;
    }
  }
}

TEST(Probes, Structure) { check_file("structure", 42); }
TEST(Probes, Alignment) { check_file("alignment", 41); }
TEST(Probes, Chains) { check_file("chains", 16); }
TEST(Probes, Scaled) { check_file("scaled", 17); }

// S1 and S2 over all pairs, by the rule of what shares a step and a group.
struct Structure {
  const char* profile;
  int step;                       // 0: sequential, nothing shares
  std::function<int(int)> group;  // within a step
  bool floors;                    // products themselves rounded down
};

TEST(Probes, EveryPairOfTheStructureScan) {
  const auto one = [](int) { return 0; };
  const Structure structures[] = {{"TR8", 8, one, false},
                                  {"TR16", 16, one, false},
                                  {"TR32", 32, one, false},
                                  {"TR16eo", 16, [](int k) { return k % 2; }, false},
                                  {"TR16-mod4", 16, [](int k) { return k % 4; }, false},
                                  {"TR16hh", 16, [](int k) { return k % 16 / 8; }, false},
                                  {"TR8-floor", 8, one, true}};
  const EvalShape shape = {32, format(FormatId::kF16), format(FormatId::kF16), format(FormatId::kF32)};
  for (const Structure& s : structures) {
    const auto profile = corpus_profile(s.profile);
    ASSERT_TRUE(profile) << profile.error();
    const Model ascending = model_of(*profile, "mfma_f32_16x16x32_f16", shape);
    Model descending = ascending;
    descending.order = StepOrder::kDescending;
    for (int i = 0; i < 32; ++i) {
      for (int j = 0; j < 32; ++j) {
        if (i == j) continue;
        const bool same_step = i / s.step == j / s.step;
        EvalCase ones = {shape, std::vector<std::uint64_t>(32), std::vector<std::uint64_t>(32), 0x4b800000, {}, {}, {}};
        EvalCase scan = ones;
        for (int k : {i, j}) ones.a[static_cast<std::size_t>(k)] = ones.b[static_cast<std::size_t>(k)] = 0x3c00;
        EXPECT_EQ(*evaluate(ones, ascending), same_step ? 0x4b800001U : 0x4b800000U) << s.profile << i << "," << j;
        scan.c = 0xbf800000;
        scan.a[static_cast<std::size_t>(i)] = scan.b[static_cast<std::size_t>(i)] = 0x3c00;
        scan.a[static_cast<std::size_t>(j)] = 0x8c00;  // -2^-12
        scan.b[static_cast<std::size_t>(j)] = 0x0800;  // 2^-13
        for (bool down : {false, true}) {
          const bool later = down ? j / s.step < i / s.step : j / s.step > i / s.step;
          std::uint64_t expected = 0x00000000;  // truncated, or absorbed by C in an earlier step
          if (later) expected = 0xb3000000;
          if (same_step && (s.floors || s.group(i) != s.group(j))) expected = 0xb3800000;
          EXPECT_EQ(*evaluate(scan, down ? descending : ascending), expected)
              << s.profile << " " << i << "," << j << (down ? " descending" : "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace mfma::oracles
