// Wait states along all paths: branches, loops, and code whose continuation the pass cannot know.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/gfx950/hazards/static_hazards.h"
#include "harness/gfx950/machine/machine.h"
#include "tests/gfx950/toolchain.h"
#include "tests/gfx950/wait_cases.h"

namespace mfma::gfx950::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kProduct = "  v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[72:73], v[0:3]\n";  // read after 8
const std::string kReader = "  v_mov_b32_e32 v9, v3\n";

std::shared_ptr<const CodeObject> object_of(const std::string& source) {
  auto object = load_code_object(assemble(source));
  if (!object) throw std::runtime_error(object.error());
  return *object;
}

FunctionHazards paths_of(const std::string& body) {
  const auto found = static_hazards(*object_of(wait_kernel("k", body)), "k");
  if (!found) throw std::runtime_error(found.error());
  return *found;
}

std::vector<std::string> rules_of(const std::vector<Hazard>& hazards) {
  std::vector<std::string> rules;
  for (const Hazard& h : hazards) rules.push_back(fmt::format("{} {}", h.rule->code, h.found));
  return rules;
}

LaunchResult execute(const std::string& body) {
  Machine machine(nullptr);
  const std::uint64_t buffer = machine.allocate(4096);
  std::vector<std::byte> arguments(64);
  std::memcpy(arguments.data(), &buffer, sizeof buffer);
  return machine.launch(*object_of(wait_kernel("k", body)), "k", 1, arguments);
}

TEST(WaitPaths, TheShorterOfTwoPathsCounts) {
  // s6 is 0: the jump is taken, and only the long way is not executed.
  const std::string body = "  s_cmp_eq_u32 s6, 0\n" + kProduct + "  s_cbranch_scc1 .Lnear\n" + gap_of_nops(8) +
                           ".Lnear:\n  s_nop 1\n" + kReader;
  const FunctionHazards found = paths_of(body);
  EXPECT_THAT(rules_of(found.hazards), ElementsAre("W-XDL-VALU-READ-4 3"));
  EXPECT_THAT(found.unseen, IsEmpty());
  EXPECT_THAT(rules_of(execute(body).hazards), ElementsAre("W-XDL-VALU-READ-4 3"));
}

TEST(WaitPaths, APathThatIsNotExecutedIsSeen) {
  const std::string body = "  s_cmp_eq_u32 s6, 0\n" + kProduct + "  s_cbranch_scc1 .Lfar\n" + kReader + ".Lfar:\n" +
                           gap_of_nops(8) + kReader;
  EXPECT_THAT(rules_of(paths_of(body).hazards), ElementsAre("W-XDL-VALU-READ-4 1"));
  EXPECT_THAT(rules_of(execute(body).hazards), IsEmpty());
}

TEST(WaitPaths, BothSidesClean) {
  const std::string body = "  s_cmp_eq_u32 s6, 0\n" + kProduct + "  s_cbranch_scc1 .Lfar\n" + gap_of_nops(7) + kReader +
                           "  s_branch .Lend\n.Lfar:\n" + gap_of_moves(7) + kReader + ".Lend:\n";
  EXPECT_THAT(rules_of(paths_of(body).hazards), IsEmpty());
  EXPECT_THAT(rules_of(execute(body).hazards), IsEmpty());
}

// The reader comes before the product in memory, and after it by way of the loop's back edge.
TEST(WaitPaths, AroundALoop) {
  const std::string body = "  s_mov_b32 s9, 4\n.Lloop:\n" + kReader + "  s_sub_u32 s9, s9, 1\n  s_cmp_lg_u32 s9, 0\n" +
                           kProduct + "  s_cbranch_scc1 .Lloop\n";
  EXPECT_THAT(rules_of(paths_of(body).hazards), ElementsAre("W-XDL-VALU-READ-4 1"));
  const LaunchResult result = execute(body);
  ASSERT_THAT(rules_of(result.hazards), ElementsAre("W-XDL-VALU-READ-4 1"));
  EXPECT_EQ(result.hazards[0].times, 3u);
}

// A product that feeds itself through a one-block loop, forwarded from one turn to the next.
TEST(WaitPaths, AnAccumulationLoopIsClean) {
  const std::string body = "  s_mov_b32 s9, 4\n.Lloop:\n" + kProduct +
                           "  s_sub_u32 s9, s9, 1\n  s_cmp_lg_u32 s9, 0\n  s_cbranch_scc1 .Lloop\n" + gap_of_nops(6) +
                           kReader;
  EXPECT_THAT(rules_of(paths_of(body).hazards), ElementsAre());
  const std::string sooner = "  s_mov_b32 s9, 4\n.Lloop:\n" + kProduct +
                             "  s_sub_u32 s9, s9, 1\n  s_cmp_lg_u32 s9, 0\n  s_cbranch_scc1 .Lloop\n" + gap_of_nops(4) +
                             kReader;
  EXPECT_THAT(rules_of(paths_of(sooner).hazards), ElementsAre("W-XDL-VALU-READ-4 7"));
}

TEST(WaitPaths, WhatCannotBeSeenIsListed) {
  struct Blind {
    std::string body, instruction, why;
  };
  const Blind blind[] = {
      {"  s_setpc_b64 s[4:5]\n", "s_setpc_b64", "indirect jump"},
      {"  s_swappc_b64 s[10:11], s[4:5]\n", "s_swappc_b64", "a call"},
      {"  s_call_b64 s[10:11], .Lsub\n  s_endpgm\n.Lsub:\n  s_endpgm\n", "s_call_b64", "a call"},
      {"  v_dot4_i32_i8 v1, v2, v3, v4\n", ".long", "not looked at: opcode not in the tables"},
      {"  s_branch 0x7000\n", ".long", "outside the executable segments"},
      {"  s_setvskip s6, 0\n", "s_setvskip", "control flow"},
      {"  s_rfe_b64 s[4:5]\n", "s_rfe_b64", "control flow"},
  };
  for (const Blind& b : blind) {
    const FunctionHazards found = paths_of(b.body);
    ASSERT_EQ(found.unseen.size(), 1u) << b.body;
    EXPECT_THAT(found.unseen[0].instruction, HasSubstr(b.instruction));
    EXPECT_THAT(found.unseen[0].why, HasSubstr(b.why));
    EXPECT_NE(found.unseen[0].pc, 0u);
  }
}

// What comes after a call is looked at all the same.
TEST(WaitPaths, TheCodeAfterACall) {
  const FunctionHazards found = paths_of(kProduct + "  s_swappc_b64 s[10:11], s[4:5]\n" + kReader);
  EXPECT_THAT(rules_of(found.hazards), ElementsAre("W-XDL-VALU-READ-4 1"));
  EXPECT_EQ(found.unseen.size(), 1u);
}

TEST(WaitPaths, FunctionsThatAreNoKernels) {
  const std::string helper = ".text\n.type helper,@function\nhelper:\n" + kProduct + kReader +
                             "  s_setpc_b64 s[30:31]\n.Lend_helper:\n.size helper, .Lend_helper-helper\n";
  const auto object = object_of(wait_kernel("k", kProduct + gap_of_nops(8) + kReader) + helper);
  const std::vector<FunctionHazards> all = static_hazards(*object);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "k");
  EXPECT_TRUE(all[0].is_kernel);
  EXPECT_THAT(rules_of(all[0].hazards), IsEmpty());
  EXPECT_EQ(all[1].name, "helper");
  EXPECT_FALSE(all[1].is_kernel);
  EXPECT_THAT(rules_of(all[1].hazards), ElementsAre("W-XDL-VALU-READ-4 0"));
  EXPECT_EQ(all[1].unseen.size(), 1u);
  EXPECT_FALSE(static_hazards(*object, "helper"));
}

// A product of 16 passes, part of whose D another product of 4 passes overwrites: each register waits for its last
// writer.
TEST(WaitPaths, TheLastProductThatWroteARegisterCounts) {
  const std::string wide = "  v_mfma_f32_32x32x4_2b_f16 v[0:31], v[64:65], v[72:73], v[32:63]\n";
  const std::string narrow = "  v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[72:73], v[96:99]\n";
  for (const auto& [reader, expected] :
       {std::pair("  v_mov_b32_e32 v9, v3\n", std::vector<std::string>{}),
        std::pair("  v_mov_b32_e32 v9, v4\n", std::vector<std::string>{"W-XDL-VALU-READ-16 9"}),
        std::pair("  v_mov_b64_e32 v[120:121], v[2:3]\n", std::vector<std::string>{}),
        std::pair("  global_store_dwordx4 v[100:101], v[2:5], off\n",
                  std::vector<std::string>{"W-XDL-MEM-READ-16 9"})}) {
    std::string body = wide;
    body += narrow + gap_of_nops(8) + reader;
    // v9 is itself in D of the first product.
    std::vector<std::string> wanted = expected;
    if (std::string(reader).find("v9,") != std::string::npos) wanted.push_back("W-XDL-VALU-WRITE-16 9");
    EXPECT_THAT(rules_of(paths_of(body).hazards), testing::UnorderedElementsAreArray(wanted)) << reader;
    EXPECT_THAT(rules_of(execute(body).hazards), testing::UnorderedElementsAreArray(wanted)) << reader;
  }
}

// Overwritten on the executed path, not on the other.
TEST(WaitPaths, OverwrittenOnOnePathOnly) {
  const std::string wide = "  v_mfma_f32_32x32x4_2b_f16 v[0:31], v[64:65], v[72:73], v[32:63]\n";
  const std::string narrow = "  v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[72:73], v[96:99]\n";
  const std::string body = "  s_cmp_eq_u32 s6, 1\n" + wide + "  s_cbranch_scc1 .Lskip\n" + narrow + ".Lskip:\n" +
                           gap_of_nops(8) + "  v_mov_b32_e32 v120, v3\n";
  EXPECT_THAT(rules_of(paths_of(body).hazards), ElementsAre("W-XDL-VALU-READ-16 9"));
  EXPECT_THAT(rules_of(execute(body).hazards), IsEmpty());
}

// One hazard per instruction: the list is bounded and says so, and warnings do not push errors out.
TEST(WaitPaths, ManyHazardsAreCutAndSaidToBe) {
  std::string body;
  for (int i = 0; i < 600; ++i) {
    body += "  v_cmp_eq_u32_e32 vcc, v0, v0\n  v_cndmask_b32_e32 v8, v2, v3, vcc\n";  // a warning
  }
  body += kProduct + kReader;
  const FunctionHazards found = paths_of(body);
  EXPECT_EQ(found.hazards.size(), HazardList::kMost + 1);
  EXPECT_TRUE(found.more_hazards);
  EXPECT_EQ(found.hazards.back().rule->code, "W-XDL-VALU-READ-4");
  const LaunchResult result = execute(body);
  EXPECT_EQ(result.hazards.size(), HazardList::kMost + 1);
  EXPECT_TRUE(result.more_hazards);
  EXPECT_EQ(result.hazards.back().rule->severity, Severity::kError);
  EXPECT_FALSE(execute(kProduct + kReader).more_hazards);
}

TEST(WaitPaths, OnlyTheLowBitsOfSNopCount) {
  // SIMM16[3:0]: 0x17 is 8 wait states.
  EXPECT_THAT(rules_of(paths_of(kProduct + "  .long 0xbf800017\n" + kReader).hazards), IsEmpty());
  EXPECT_THAT(rules_of(paths_of(kProduct + "  .long 0xbf800016\n" + kReader).hazards),
              ElementsAre("W-XDL-VALU-READ-4 7"));
}

}  // namespace
}  // namespace mfma::gfx950::test
