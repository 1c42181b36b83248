// Random straight-line programs: the executed instructions, the paths of the code object and a search of all pairs must
// find the same. And what clang makes of two products of different passes that share an accumulator.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "harness/gfx950/hazards/static_hazards.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/machine.h"
#include "harness/gfx950/object/code_object.h"
#include "tests/gfx950/toolchain.h"
#include "tests/gfx950/wait_cases.h"

namespace mfma::gfx950::test {
namespace {

using Words = std::vector<std::uint32_t>;

// What programs are made of: all of it executes, on few registers so that they meet often.
const std::vector<std::string>& pool() {
  static const std::vector<std::string> texts = {
      "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
      "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
      "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]",
      "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]",
      "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], v[0:31]",
      "v_mfma_f32_16x16x4_f32 v[2:5], v6, v7, v[2:5]",
      "v_mfma_f64_4x4x4_4b_f64 v[2:3], v[4:5], v[6:7], v[2:3]",
      "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]",
      "v_accvgpr_read_b32 v1, a2",
      "v_accvgpr_write_b32 a1, v0",
      "v_mov_b32_e32 v3, v2",
      "v_mov_b32_e32 v9, v8",
      "v_mov_b32_e32 v6, s9",
      "v_readfirstlane_b32 s9, v3",
      "v_readlane_b32 s9, v102, 0",
      "v_cmp_eq_u32_e32 vcc, v0, v0",
      "v_cndmask_b32_e32 v5, v6, v7, vcc",
      "v_cmpx_eq_u32_e32 vcc, v102, v102",
      "v_readfirstlane_b32 s4, v100",
      "global_load_dword v2, v103, s[4:5]",
      "global_store_dwordx4 v[100:101], v[0:3], off",
      "global_load_dword v1, v[100:101], off",
      "ds_write_b32 v102, v3",
      "s_nop 0",
      "s_nop 3",
      "s_nop 9",
      "s_mov_b32 s90, 0",
      "s_waitcnt vmcnt(0)",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15",
      "s_getreg_b32 s10, hwreg(HW_REG_MODE)",
      "s_mov_b32 m0, 0",
  };
  return texts;
}

constexpr std::size_t kRoom = 128;  // dwords of a program
constexpr std::uint32_t kNop = 0xbf800000;

// An object with one kernel, whose body can be replaced.
class Template {
 public:
  Template() {
    std::string body;
    for (std::size_t i = 0; i < kRoom; ++i) body += "  s_nop 0\n";
    file_ = assemble(wait_kernel("k", body));
    const Words run(kRoom, kNop);
    const auto bytes = std::as_bytes(std::span(run));
    const auto at = std::search(file_.begin(), file_.end(), bytes.begin(), bytes.end());
    if (at == file_.end()) throw std::runtime_error("no body in the template");
    place_ = static_cast<std::size_t>(at - file_.begin());
    std::string source;
    for (std::size_t i = 0; i < pool().size(); ++i) {
      source += assembly_kernel(fmt::format("p{}", i), "  " + pool()[i] + "\n");
    }
    const auto object = load_code_object(assemble(source)).value();
    for (std::size_t i = 0; i < pool().size(); ++i) {
      const Instruction in = kernel_instructions(*object, fmt::format("p{}", i)).value().front();
      words_.emplace_back(in.dwords.begin(), in.dwords.begin() + in.bytes / 4);
    }
  }

  const Words& words(std::size_t i) const { return words_[i]; }

  std::shared_ptr<const CodeObject> object(const std::vector<std::size_t>& program) const {
    Words body;
    for (const std::size_t i : program) body.insert(body.end(), words_[i].begin(), words_[i].end());
    return object_of(body);
  }

  std::shared_ptr<const CodeObject> object_of(const Words& body) const {
    Bytes file = file_;
    if (body.size() > kRoom) throw std::runtime_error("the program does not fit");
    std::memcpy(file.data() + place_, body.data(), body.size() * sizeof(std::uint32_t));
    return load_code_object(file).value();
  }

 private:
  Bytes file_;
  std::size_t place_ = 0;
  std::vector<Words> words_;  // by index into the pool
};

using Found = std::set<std::tuple<std::string, std::uint64_t, std::uint64_t, int>>;

Found found_in(const std::vector<Hazard>& hazards) {
  Found found;
  for (const Hazard& h : hazards) found.insert({h.rule->code, h.producer_pc, h.consumer_pc, h.found});
  return found;
}

bool written_by_product(const std::vector<Instruction>& code, std::size_t from, std::size_t to, const Registers& one) {
  for (std::size_t k = from + 1; k < to; ++k) {
    const Footprint f = footprint_of(code[k]);
    const Registers* d = f.find(Role::kMatrixD);
    if (d != nullptr && d->overlaps(one)) return true;
  }
  return false;
}

// Whether every register of the dependence is the D of a product between the two.
bool overwritten(const std::vector<Instruction>& code, std::size_t from, std::size_t to, const Registers& registers) {
  for (unsigned i = 0; i < registers.count; ++i) {
    const Registers one{registers.bank, static_cast<std::uint16_t>(registers.first + i), 1};
    if (!written_by_product(code, from, to, one)) return false;
  }
  return registers.count != 0;
}

// Every pair, with the distance summed up anew.
Found all_pairs(const CodeObject& object) {
  const std::vector<Instruction> code = kernel_instructions(object, "k").value();
  Found found;
  for (std::size_t i = 0; i < code.size(); ++i) {
    int distance = 0;
    for (std::size_t j = i + 1; j < code.size(); ++j) {
      const Dependences all =
          dependences(footprint_of(code[i]), footprint_of(code[j]));  // named: a temporary would end before the loop
      for (const Dependence& d : all.all()) {
        if (distance >= d.rule->required || overwritten(code, i, j, d.registers)) continue;
        found.insert({d.rule->code, code[i].pc, code[j].pc, distance});
      }
      const bool nop = std::string_view(code[j].mnemonic) == "s_nop";
      distance += nop ? (code[j].immediate & 15) + 1 : 1;
    }
  }
  return found;
}

LaunchResult execute(const CodeObject& object, std::uint64_t budget = 100'000) {
  Machine machine(nullptr);
  const std::uint64_t buffer = machine.allocate(4096);
  std::vector<std::byte> arguments(64);
  std::memcpy(arguments.data(), &buffer, sizeof buffer);
  return machine.launch(object, "k", 1, arguments, budget);
}

TEST(WaitPrograms, ExecutionPathsAndAllPairsAgree) {
  setenv("RC_PARAMS", "seed=20260801 max_success=400", 0);  // read at the first check; a caller may choose others
  const Template program_template;
  std::size_t programs = 0, with_hazards = 0;
  std::set<std::string> rules;
  const auto index = rc::gen::inRange<std::size_t>(0, pool().size());
  const bool held = rc::check("hazards of a straight line", [&] {
    const auto length = *rc::gen::inRange<std::size_t>(2, 30);
    const auto program = *rc::gen::container<std::vector<std::size_t>>(length, index);
    const auto object = program_template.object(program);
    const Found expected = all_pairs(*object);
    const LaunchResult executed = execute(*object);
    RC_ASSERT(executed.stop == Stop::kCompleted);
    const auto paths = static_hazards(*object, "k");
    RC_ASSERT(paths.has_value());
    RC_ASSERT(paths->unseen.empty());
    RC_ASSERT(found_in(paths->hazards) == expected);
    RC_ASSERT(found_in(executed.hazards) == expected);
    ++programs;
    if (!expected.empty()) ++with_hazards;
    for (const auto& [rule, producer, consumer, distance] : expected) rules.insert(rule);
  });
  EXPECT_TRUE(held);
  EXPECT_GE(programs, 400u);
  EXPECT_GT(with_hazards, programs / 2) << "hardly any program has a hazard";
  EXPECT_GT(rules.size(), 15u) << "hardly any rule was met";
}

// With branches, forward and back: what executes is on some path, so the paths must have all of it.
TEST(WaitPrograms, WhatExecutesIsOnSomePath) {
  setenv("RC_PARAMS", "seed=20260801 max_success=400", 0);
  const Template program_template;
  constexpr std::uint32_t kConditional = 0xbf840000;  // s_cbranch_scc0; scc1, vccz, vccnz, execz and execnz follow
  std::size_t branching = 0, with_hazards = 0, ended = 0;
  const auto index = rc::gen::inRange<std::size_t>(0, pool().size());
  const bool held = rc::check("hazards of branching programs", [&] {
    const auto program = *rc::gen::container<std::vector<std::size_t>>(*rc::gen::inRange<std::size_t>(4, 28), index);
    std::vector<Words> pieces;
    for (const std::size_t i : program) pieces.push_back(program_template.words(i));
    // A branch goes to the start of another piece.
    std::vector<std::size_t> from, to;
    const auto branches = *rc::gen::inRange<std::size_t>(1, 5);
    for (std::size_t i = 0; i < branches; ++i) {
      from.push_back(*rc::gen::inRange<std::size_t>(0, pieces.size()));
      to.push_back(*rc::gen::inRange<std::size_t>(0, pieces.size()));
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
      pieces[from[i]] = {kConditional + (*rc::gen::inRange<std::uint32_t>(0, 6) << 16)};
    }
    std::vector<std::size_t> place(1, 0);
    for (const Words& piece : pieces) place.push_back(place.back() + piece.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto distance = static_cast<std::int64_t>(place[to[i]]) - static_cast<std::int64_t>(place[from[i]]) - 1;
      pieces[from[i]][0] = (pieces[from[i]][0] & 0xffff0000u) | (static_cast<std::uint32_t>(distance) & 0xffffu);
    }
    Words body;
    for (const Words& piece : pieces) body.insert(body.end(), piece.begin(), piece.end());
    const auto object = program_template.object_of(body);
    const auto paths = static_hazards(*object, "k");
    RC_ASSERT(paths.has_value());
    RC_ASSERT(paths->unseen.empty());
    const LaunchResult executed = execute(*object, 2000);
    RC_ASSERT(executed.stop == Stop::kCompleted || executed.stop == Stop::kBudgetExhausted);
    for (const Hazard& h : executed.hazards) {
      const auto same = [&](const Hazard& p) {
        return p.rule == h.rule && p.producer_pc == h.producer_pc && p.consumer_pc == h.consumer_pc &&
               p.found <= h.found;
      };
      RC_ASSERT(std::any_of(paths->hazards.begin(), paths->hazards.end(), same));
    }
    ++branching;
    if (!executed.hazards.empty()) ++with_hazards;
    if (executed.stop == Stop::kCompleted) ++ended;
  });
  EXPECT_TRUE(held);
  EXPECT_GE(branching, 400u);
  EXPECT_GT(with_hazards, branching / 4);
  EXPECT_GT(ended, branching / 4);
}

// Any dwords at all: the pass ends and calls nothing clean that it did not see.
TEST(WaitPrograms, AnyDwordsComeToAnEnd) {
  setenv("RC_PARAMS", "seed=20260801 max_success=400", 0);
  const Template program_template;
  std::size_t blind = 0;
  EXPECT_TRUE(rc::check("paths of random dwords", [&] {
    const auto body = *rc::gen::container<Words>(kRoom, rc::gen::arbitrary<std::uint32_t>());
    const auto paths = static_hazards(*program_template.object_of(body), "k");
    RC_ASSERT(paths.has_value());
    RC_ASSERT(paths->instructions > 0u);
    if (!paths->unseen.empty()) ++blind;
  }));
  EXPECT_GT(blind, 300u) << "random dwords hold unknown instructions";
}

// Two products in a row, the second with the first's D as its C.
struct Chain {
  const char* first;
  const char* second;
  const char* rule;
  int needs;
};

std::string source_of(const Chain& chain) {
  return fmt::format(R"(
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef __bf16 bf16x8 __attribute__((ext_vector_type(8)));
struct Inputs {{
  i32x8 a;
  f16x8 b;
  bf16x8 e;
  f16x4 h;
  float f;
}};
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) void k(const Inputs* in,
                                                                                               const f32x16* c,
                                                                                               f32x16* d) {{
  const unsigned i = __builtin_amdgcn_workitem_id_x();
  const Inputs s = in[i];
  const f32x16 x = __builtin_amdgcn_mfma_{}, c[i], 0, 0, 0{};
  d[i] = __builtin_amdgcn_mfma_{}, x, 0, 0, 0);
}}
)",
                     chain.first, std::string_view(chain.first).starts_with("scale") ? ", 0, 0, 0)" : ")",
                     chain.second);
}

// clang 22 forwards the accumulator between products of different passes (LLVM pull request 218363), and from XDL to
// SGEMM. Nothing else is missing in these kernels.
TEST(WaitPrograms, ClangMissesTheWaitBetweenUnlikeProducts) {
  const Chain chains[] = {
      {"scale_f32_32x32x64_f8f6f4(s.a, s.a", "f32_32x32x16_f16(s.b, s.b", "W-XDL-SRCC-PASSES-16", 18},
      {"scale_f32_32x32x64_f8f6f4(s.a, s.a", "f32_32x32x16_bf16(s.e, s.e", "W-XDL-SRCC-PASSES-16", 18},
      {"f32_32x32x8f16(s.h, s.h", "f32_32x32x2f32(s.f, s.f", "W-XDL-SRCC-GEMM-8", 10},
  };
  for (const Chain& chain : chains) {
    const auto object = load_code_object(compile_hip(source_of(chain), "O2"));
    ASSERT_TRUE(object) << object.error();
    const std::vector<FunctionHazards> paths = static_hazards(**object);
    ASSERT_EQ(paths.size(), 1u);
    ASSERT_EQ(paths[0].hazards.size(), 1u) << chain.second;
    EXPECT_TRUE(paths[0].unseen.empty());
    const Hazard& h = paths[0].hazards[0];
    EXPECT_EQ(h.rule->code, chain.rule);
    EXPECT_EQ(h.rule->required, chain.needs);
    EXPECT_LT(h.found, chain.needs);
    EXPECT_EQ(h.rule->severity, Severity::kError);

    Machine machine(nullptr);
    std::vector<std::byte> arguments(24);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t buffer = machine.allocate(64 * 128);
      std::memcpy(arguments.data() + 8 * i, &buffer, sizeof buffer);
    }
    const LaunchResult executed = machine.launch(**object, "k", 1, arguments);
    ASSERT_EQ(executed.stop, Stop::kCompleted) << executed.message;
    EXPECT_EQ(found_in(executed.hazards), found_in(paths[0].hazards));
  }
}

// A product of 16 passes, `count` independent instructions, and a read of the result.
std::string read_after(int count) {
  std::string source = fmt::format(R"(
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) void k{}(
    const f16x4* a, const f32x32* c, float* d, unsigned* e, unsigned z) {{
  const unsigned i = __builtin_amdgcn_workitem_id_x();
  unsigned y = e[i];
  f32x32 x = __builtin_amdgcn_mfma_f32_32x32x4f16(a[i], a[i], c[i], 0, 0, 0);
  __builtin_amdgcn_sched_barrier(0);
)",
                                   count);
  for (int i = 0; i < count; ++i) source += fmt::format("  y = __builtin_amdgcn_perm(y, z, {});\n", i);
  return source + R"(  __builtin_amdgcn_sched_barrier(0);
  float r = x[0] * x[1];
  __builtin_amdgcn_sched_barrier(0);
  d[i] = r;
  e[i] = y;
}
)";
}

// clang 22 looks back 19 wait states where 20 are needed (LLVM pull request 222040).
TEST(WaitPrograms, ClangMissesTheTwentiethWaitState) {
  std::string source =
      "typedef float f32x32 __attribute__((ext_vector_type(32)));\n"
      "typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));\n";
  for (int count = 8; count < 26; ++count) source += read_after(count);
  const auto object = load_code_object(compile_hip(source, "O2"));
  ASSERT_TRUE(object) << object.error();
  const std::vector<FunctionHazards> paths = static_hazards(**object);
  EXPECT_EQ(paths.size(), 18u);
  std::size_t kernels = 0;
  for (const FunctionHazards& f : paths) {
    EXPECT_TRUE(f.unseen.empty());
    if (!f.hazards.empty()) ++kernels;
    for (const Hazard& h : f.hazards) {
      EXPECT_THAT(h.rule->code, testing::StartsWith("W-XDL-VALU-")) << describe(h);
      EXPECT_EQ(h.rule->required, 20) << describe(h);
      EXPECT_EQ(h.found, 19) << describe(h);
    }
  }
  EXPECT_EQ(kernels, 1u) << "of each gap one";
}

}  // namespace
}  // namespace mfma::gfx950::test
