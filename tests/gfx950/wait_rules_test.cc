// Every rule of wait states on hand-made kernels: exactly the wait states it asks for are enough, one less is not.
// On the executed instructions and along the paths of the code object, which must find the same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "harness/gfx950/hazards/hazards.h"
#include "harness/gfx950/hazards/static_hazards.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/machine.h"
#include "tests/gfx950/toolchain.h"
#include "tests/gfx950/wait_cases.h"

namespace mfma::gfx950::test {
namespace {

struct Trial {
  WaitCase pair;
  const WaitRule* rule = nullptr;
  std::string kernel;
  int gap = 0;
};

// Every pair at the distance required and one short of it, filled in two ways.
struct Trials {
  std::vector<Trial> all;
  std::shared_ptr<const CodeObject> object;

  Trials() {
    std::string source;
    for (const WaitCase& pair : wait_cases()) {
      const WaitRule* rule = find_wait_rule(pair.rule);
      if (rule == nullptr) throw std::runtime_error("no rule " + pair.rule);
      if (pair.needs < 0) throw std::runtime_error("the test has no number for " + pair.rule);
      for (const int gap : {pair.needs, pair.needs - 1}) {
        if (gap < 0) continue;
        for (const auto& fill : {gap_of_nops, gap_of_moves}) {
          const std::string name = fmt::format("k{}", all.size());
          source += wait_kernel(name, "  " + pair.earlier + "\n" + fill(gap) + "  " + pair.later + "\n");
          all.push_back({pair, rule, name, gap});
        }
      }
    }
    auto loaded = load_code_object(assemble(source));
    if (!loaded) throw std::runtime_error(loaded.error());
    object = *loaded;
  }
};

const Trials& trials() {
  static const Trials made;
  return made;
}

std::string text_of(const Trial& t) {
  return fmt::format("{} at {}: {} / {}", t.pair.rule, t.gap, t.pair.earlier, t.pair.later);
}

using Found = std::set<std::tuple<std::string, std::uint64_t, std::uint64_t, int>>;

Found found_in(const std::vector<Hazard>& hazards) {
  Found found;
  for (const Hazard& h : hazards) found.insert({h.rule->code, h.producer_pc, h.consumer_pc, h.found});
  return found;
}

bool names(const std::vector<Hazard>& hazards, const Trial& t) {
  return std::any_of(hazards.begin(), hazards.end(),
                     [&](const Hazard& h) { return h.rule == t.rule && h.found == t.gap; });
}

bool names_at_any_distance(const std::vector<Hazard>& hazards, const WaitRule* rule) {
  return std::any_of(hazards.begin(), hazards.end(), [&](const Hazard& h) { return h.rule == rule; });
}

LaunchResult execute(const CodeObject& object, const std::string& kernel) {
  Machine machine(nullptr);
  const std::uint64_t buffer = machine.allocate(4096);
  std::vector<std::byte> arguments(64);
  std::memcpy(arguments.data(), &buffer, sizeof buffer);
  return machine.launch(object, kernel, 1, arguments);
}

TEST(WaitRules, EveryRuleHasAPairAndACodeOfItsOwn) {
  std::set<std::string> with_pair, codes;
  for (const WaitCase& pair : wait_cases()) {
    with_pair.insert(pair.rule);
    const WaitRule* rule = find_wait_rule(pair.rule);
    ASSERT_NE(rule, nullptr) << pair.rule;
    EXPECT_EQ(rule->required, pair.needs) << pair.rule;
  }
  for (const WaitRule& rule : wait_rules()) {
    EXPECT_TRUE(with_pair.contains(rule.code)) << rule.code;
    EXPECT_TRUE(codes.insert(rule.code).second) << rule.code;
    EXPECT_LE(rule.required, kLongestWait) << rule.code;
    EXPECT_EQ(find_wait_rule(rule.code), &rule);
    // What one of the two sources does not ask for is a warning; what the manual asks for says where.
    const bool in_table = std::string_view(rule.manual).starts_with("Table");
    const bool shared = in_table && std::string_view(rule.compiler).starts_with("the same");
    EXPECT_TRUE(rule.severity == Severity::kError ? in_table : !shared) << rule.code;
  }
  EXPECT_EQ(find_wait_rule("W-NO-SUCH-RULE"), nullptr);
}

TEST(WaitRules, AllPathsFindOneShortAndNothingAtTheDistance) {
  std::size_t short_by_one = 0;
  for (const Trial& t : trials().all) {
    const auto found = static_hazards(*trials().object, t.kernel);
    ASSERT_TRUE(found) << found.error();
    if (t.gap < t.pair.needs) {
      EXPECT_TRUE(names(found->hazards, t)) << text_of(t);
      ++short_by_one;
    } else {
      EXPECT_FALSE(names_at_any_distance(found->hazards, t.rule)) << text_of(t);
    }
  }
  EXPECT_GT(short_by_one, wait_rules().size());
}

// What the machine executes or reaches. Where it has no model of the earlier instruction it never reaches the later.
TEST(WaitRules, ExecutionFindsTheSame) {
  std::set<std::string> not_executed;
  std::size_t executed = 0;
  for (const Trial& t : trials().all) {
    const auto expected = static_hazards(*trials().object, t.kernel);
    ASSERT_TRUE(expected) << expected.error();
    const LaunchResult result = execute(*trials().object, t.kernel);
    const auto code = kernel_instructions(*trials().object, t.kernel);
    ASSERT_TRUE(code) << code.error();
    const std::uint64_t later = (*code)[code->size() - 2].pc;  // the last before s_endpgm
    if (result.stop != Stop::kCompleted && result.pc != later) {
      EXPECT_EQ(result.stop, Stop::kUnsupportedInstruction) << text_of(t) << ": " << result.message;
      not_executed.insert(t.pair.rule);
      continue;
    }
    ++executed;
    EXPECT_EQ(found_in(result.hazards), found_in(expected->hazards)) << text_of(t);
    EXPECT_EQ(names(result.hazards, t), t.gap < t.pair.needs) << text_of(t);
  }
  EXPECT_THAT(not_executed, testing::ElementsAre("W-OPSEL-VALU", "W-SETVSKIP-GETREG", "W-SMFMAC-INDEX-WAR-4",
                                                 "W-SMFMAC-INDEX-WAR-8", "W-TRANS-VALU", "W-XDL-VALU-READ-8"));
  EXPECT_GT(executed, trials().all.size() * 9 / 10);
}

// A rule that asks for nothing is met all the same: the pair is recognised.
TEST(WaitRules, EveryPairDependsByItsRule) {
  for (const Trial& t : trials().all) {
    const auto code = kernel_instructions(*trials().object, t.kernel);
    ASSERT_TRUE(code) << code.error();
    const auto is = [](const std::string& text) {
      const std::string mnemonic = text.substr(0, text.find(' '));
      return [mnemonic](const Instruction& in) { return render(in).starts_with(mnemonic); };
    };
    const auto earlier = std::find_if(code->begin() + 10, code->end(), is(t.pair.earlier));
    ASSERT_NE(earlier, code->end()) << text_of(t);
    const Dependences d = dependences(footprint_of(*earlier), footprint_of((*code)[code->size() - 2]));
    EXPECT_TRUE(std::any_of(d.all().begin(), d.all().end(), [&](const Dependence& one) { return one.rule == t.rule; }))
        << text_of(t);
  }
}

// Operands that only look alike: another bank, the register before and the one after, a load that reads no result.
TEST(WaitRules, OtherRegistersDoNotDepend) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[32:35]", "v_mov_b32_e32 v120, v8"},
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[32:35]", "v_mov_b32_e32 v120, v3"},
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[32:35]", "v_mov_b32_e32 v36, 0"},
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[32:35]", "v_mov_b32_e32 v64, 0"},
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], 1.0", "v_mov_b32_e32 v0, 0"},
      {"v_mfma_f32_16x16x16_f16 a[4:7], v[64:65], v[72:73], a[4:7]", "v_mov_b32_e32 v120, v4"},
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[4:7]", "v_accvgpr_read_b32 v120, a4"},
      {"v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[32:35]",
       "v_mfma_f32_16x16x16_f16 v[8:11], v[64:65], v[72:73], v[8:11]"},
      {"v_mfma_f32_32x32x2_f32 v[0:15], v64, v72, v[32:47]", "v_mov_b32_e32 v32, 0"},
      {"v_mov_b32_e32 v63, 0", "v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[4:7]"},
      {"v_mov_b32_e32 v1, 0", "v_mov_b32_e32 v2, v1"},
      {"v_exp_f32_e32 v1, v2", "v_log_f32_e32 v3, v1"},
      {"v_cmp_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v2, s9"},
      {"v_cmpx_eq_u32_e32 vcc, v0, v0", "v_mov_b32_e32 v2, v3"},
      {"s_mov_b64 exec, -1", "v_mfma_f32_16x16x16_f16 v[4:7], v[64:65], v[72:73], v[4:7]"},
      {"v_readfirstlane_b32 s4, v100", "s_load_dword s9, s[4:5], 0x0"},
      {"global_store_dwordx2 v[100:101], v[0:1], off", "v_mov_b32_e32 v1, 0"},
      {"global_store_dwordx4 v[100:101], v[0:3], off", "v_mov_b32_e32 v100, 0"},
      {"ds_write_b128 v102, v[0:3]", "v_mov_b32_e32 v1, 0"},
      {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15", "s_getreg_b32 s9, hwreg(HW_REG_TRAPSTS)"},
      {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15", "v_mov_b32_e32 v1, 0"},
      {"s_mov_b32 s9, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)"},
  };
  std::string source;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    source += wait_kernel(fmt::format("k{}", i), "  " + pairs[i].first + "\n  " + pairs[i].second + "\n");
  }
  const auto object = load_code_object(assemble(source));
  ASSERT_TRUE(object) << object.error();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto found = static_hazards(**object, fmt::format("k{}", i));
    ASSERT_TRUE(found) << found.error();
    EXPECT_TRUE(found->hazards.empty()) << pairs[i].first << " / " << pairs[i].second << ": "
                                        << describe(found->hazards.front());
  }
}

TEST(WaitRules, AHazardSaysWhatWhereAndHowMany) {
  const std::string body =
      "  v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[72:73], v[0:3]\n  s_nop 2\n  v_mov_b32_e32 v9, v3\n";
  const auto object = load_code_object(assemble(wait_kernel("k", body)));
  ASSERT_TRUE(object) << object.error();
  const LaunchResult result = execute(**object, "k");
  ASSERT_EQ(result.stop, Stop::kCompleted) << result.message;
  ASSERT_EQ(result.hazards.size(), 1u);
  const Hazard& h = result.hazards[0];
  EXPECT_EQ(h.rule->code, "W-XDL-VALU-READ-4");
  EXPECT_EQ(h.found, 3);
  EXPECT_EQ(h.times, 1u);
  EXPECT_EQ(h.consumer_pc - h.producer_pc, 12u);
  EXPECT_EQ(
      describe(h),
      fmt::format(
          "error W-XDL-VALU-READ-4: {:#x} v_mov_b32_e32 v9, v3 comes 3 wait states after {:#x} "
          "v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[72:73], v[0:3] for v3, needs 8: VALU reads the D "
          "of an XDL (manual Table 38; clang 22 inserts the same, but nothing where 20 are needed and 19 are there)",
          h.consumer_pc, h.producer_pc));
}

}  // namespace
}  // namespace mfma::gfx950::test
