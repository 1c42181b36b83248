// What a kernel finds when it starts, how a launch stops, and how MFMA uses the machine's state.
#include "harness/gfx950/machine/machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

#include "harness/gfx950/isa/decoder.h"
#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

std::shared_ptr<const CodeObject> object_of(const std::string& source) {
  auto object = load_code_object(assemble(source));
  if (!object) throw std::runtime_error(object.error());
  return *object;
}

std::vector<std::byte> pointer(std::uint64_t address) {
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &address, 8);
  return bytes;
}

// Runs `body` on one workgroup; s[4:5] is the address of `dwords` zero dwords, which come back.
struct Done {
  LaunchResult result;
  Words memory;
};

// One kernel per body, all from one run of the assembler.
std::vector<Done> run_all(const std::vector<std::string>& bodies, std::size_t dwords = 256, unsigned private_bytes = 0,
                          unsigned lds_bytes = 0) {
  std::string source;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    source +=
        assembly_kernel(fmt::format("k{}", i), "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" + bodies[i],
                        private_bytes, lds_bytes);
  }
  const auto object = object_of(source);
  std::vector<Done> all;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Machine machine(nullptr);
    const std::uint64_t memory = machine.allocate(dwords * 4);
    all.push_back({machine.launch(*object, fmt::format("k{}", i), 1, pointer(memory)), Words(dwords)});
    EXPECT_TRUE(machine.read(memory, std::as_writable_bytes(std::span(all.back().memory))));
  }
  return all;
}

Done run(const std::string& body, std::size_t dwords = 256) { return run_all({body}, dwords)[0]; }

struct Expected {
  std::string body;
  Stop stop;
};

void expect_stops(const std::vector<Expected>& cases, std::size_t dwords = 256, unsigned private_bytes = 0,
                  unsigned lds_bytes = 0) {
  std::vector<std::string> bodies;
  for (const Expected& expected : cases) bodies.push_back(expected.body);
  const std::vector<Done> all = run_all(bodies, dwords, private_bytes, lds_bytes);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(all[i].result.stop, cases[i].stop) << cases[i].body << "\n" << all[i].result.message;
  }
}

// Stores VGPR `v` of every lane to memory.
std::string store(const std::string& v, int row = 0) {
  return fmt::format("\nv_lshlrev_b32 v127, 2, v0\nglobal_store_dword v127, {}, s[4:5] offset:{}\n", v, row * 256);
}

TEST(Launch, RegistersAtTheStart) {
  // v0 = lane, s2 = workgroup id, EXEC all ones, M0 and VCC whatever; kernarg pointer in s[0:1].
  const auto object = object_of(assembly_kernel("k", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    s_load_dword s7, s[0:1], 0x3c
    s_waitcnt lgkmcnt(0)
    s_lshl_b32 s8, s2, 11
    s_add_u32 s4, s4, s8
    s_addc_u32 s5, s5, 0
    v_mov_b32 v2, s2
    v_mov_b32 v3, s6
    v_mov_b32 v4, s7
    v_mov_b32 v5, exec_lo
    v_mov_b32 v6, exec_hi)" + store("v0", 0) + store("v2", 1) +
                                                         store("v3", 2) + store("v4", 3) + store("v5", 4) +
                                                         store("v6", 5)));
  Machine machine(nullptr);
  const std::uint64_t memory = machine.allocate(3 * 2048);
  std::vector<std::byte> arguments = pointer(memory);
  arguments.push_back(std::byte{0x44});  // one byte more: the rest of the 64 bytes of arguments is zero
  const LaunchResult result = machine.launch(*object, "k", 3, arguments);
  ASSERT_EQ(result.stop, Stop::kCompleted) << result.message;
  for (std::uint32_t workgroup = 0; workgroup < 3; ++workgroup) {
    Words words(512);
    ASSERT_TRUE(machine.read(memory + workgroup * 2048, std::as_writable_bytes(std::span(words))));
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(words[lane], lane);
      EXPECT_EQ(words[64 + lane], workgroup);
      EXPECT_EQ(words[128 + lane], 0x44u);
      EXPECT_EQ(words[192 + lane], 0u);
      EXPECT_EQ(words[256 + lane], 0xffffffffu);
      EXPECT_EQ(words[320 + lane], 0xffffffffu);
    }
  }
}

// Every user SGPR and workgroup id that the descriptor can ask for, in order.
TEST(Launch, UserRegistersInOrder) {
  std::string source = assembly_kernel("k", R"(
    s_load_dwordx2 s[20:21], s[8:9], 0x0
    s_load_dword s22, s[4:5], 0x4
    s_load_dword s23, s[6:7], 0x0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s24, s12
    s_mov_b32 s25, s13
    s_mov_b32 s26, s14
    s_mov_b32 s27, s15
    s_mov_b64 s[4:5], s[20:21]
    v_mov_b32 v2, s22
    v_mov_b32 v3, s23
    v_mov_b32 v4, s24
    v_mov_b32 v5, s25
    v_mov_b32 v6, s26)" + store("v2", 0) + store("v3", 1) +
                                                store("v4", 2) + store("v5", 3) + store("v6", 4));
  const std::string wanted = ".amdhsa_user_sgpr_kernarg_segment_ptr 1";
  source.replace(source.find(wanted), wanted.size(), wanted + R"(
  .amdhsa_user_sgpr_count 12
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_queue_ptr 1
  .amdhsa_user_sgpr_dispatch_id 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1)");
  // Without a private segment buffer the order is dispatch s[0:1], queue s[2:3], kernarg s[4:5], dispatch id s[6:7];
  // padding to twelve shows that workgroup ids follow the count and not the last used register.
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = source.find(from, at)) != std::string::npos; at += to.size())
      source.replace(at, from.size(), to);
  };
  replace_all("s[20:21], s[8:9], 0x0", "s[20:21], s[4:5], 0x0");
  replace_all("s22, s[4:5], 0x4", "s22, s[0:1], 0x4");
  replace_all("s23, s[6:7], 0x0", "s23, s[2:3], 0x0");
  const auto object = object_of(source);
  Machine machine(nullptr);
  const std::uint64_t memory = machine.allocate(2048);
  const LaunchResult result = machine.launch(*object, "k", 1, pointer(memory));
  ASSERT_EQ(result.stop, Stop::kCompleted) << result.message;
  Words words(512);
  ASSERT_TRUE(machine.read(memory, std::as_writable_bytes(std::span(words))));
  EXPECT_EQ(words[0], 0x00010040u);  // workgroup size x = 64, y = 1, in the dispatch packet
  EXPECT_EQ(words[64], 0u);          // the queue is zero
  EXPECT_EQ(words[128], 0u);         // workgroup id x, y, z
  EXPECT_EQ(words[192], 0u);
  EXPECT_EQ(words[256], 0u);
}

TEST(Launch, NamesAKernelThatIsNotThere) {
  const auto object = object_of(assembly_kernel("k", ""));
  Machine machine(nullptr);
  const LaunchResult result = machine.launch(*object, "other", 1, {});
  EXPECT_EQ(result.stop, Stop::kNoSuchKernel);
  EXPECT_THAT(result.message, HasSubstr("'other'"));
}

TEST(Launch, CountsInstructions) {
  const Done done = run("s_nop 0\ns_nop 0");
  EXPECT_EQ(done.result.stop, Stop::kCompleted);
  EXPECT_EQ(done.result.instructions, 5u);  // load, wait, two nops, end
}

TEST(Stops, AnEndlessLoopRunsOutOfBudget) {
  const auto object = object_of(assembly_kernel("k", "Lx:\ns_branch Lx"));
  Machine machine(nullptr);
  const LaunchResult result = machine.launch(*object, "k", 4, {}, 1000);
  EXPECT_EQ(result.stop, Stop::kBudgetExhausted);
  EXPECT_EQ(result.workgroup, 0u);
  EXPECT_EQ(result.instructions, 1000u);
}

TEST(Stops, MemoryFaultsNameLaneAddressAndWhere) {
  const Done read = run("v_mov_b32 v2, 0x100000\nglobal_load_dword v3, v2, s[4:5]");
  EXPECT_EQ(read.result.stop, Stop::kMemoryFault);
  EXPECT_THAT(read.result.message, HasSubstr("lane 0 reads 4 bytes at"));
  EXPECT_THAT(read.result.message, HasSubstr("outside every allocation"));
  EXPECT_THAT(read.result.message, HasSubstr("global_load_dword v3, v2, s[4:5]"));

  // The last lane's dword lies one byte beyond the end.
  const Done edge = run("v_lshlrev_b32 v2, 2, v0\nglobal_store_dword v2, v0, s[4:5] offset:1", 64);
  EXPECT_EQ(edge.result.stop, Stop::kMemoryFault);
  EXPECT_THAT(edge.result.message, HasSubstr("lane 63 writes 4 bytes"));

  expect_stops(
      {
          {"s_load_dword s8, s[4:5], 0x400", Stop::kMemoryFault},
          {"s_load_dword s8, s[4:5], 0x3fc", Stop::kCompleted},
          {"scratch_load_dword v2, off, off offset:16", Stop::kMemoryFault},
          {"scratch_load_dword v2, off, off offset:12", Stop::kCompleted},
          {"v_mov_b32 v2, 13\nds_read_b32 v3, v2", Stop::kMemoryFault},
          {"v_mov_b32 v2, 12\nds_read_b32 v3, v2", Stop::kCompleted},
          // GLOBAL must not reach an aperture, and the code object is read-only.
          {"s_mov_b64 s[8:9], src_private_base\nv_mov_b32 v2, 0\nglobal_load_dword v3, v2, s[8:9]", Stop::kMemoryFault},
          {"s_mov_b64 s[8:9], src_private_base\nv_mov_b32 v3, s9\nv_mov_b32 v2, 0\nflat_load_dword v3, v[2:3]",
           Stop::kCompleted},
          {"s_getpc_b64 s[8:9]\nv_mov_b32 v2, 0\nglobal_load_dword v3, v2, s[8:9]", Stop::kCompleted},
          {"s_getpc_b64 s[8:9]\nv_mov_b32 v2, 0\nglobal_store_dword v2, v3, s[8:9]", Stop::kMemoryFault},
          {"s_mov_b64 s[8:9], 16\ns_setpc_b64 s[8:9]", Stop::kMemoryFault},
      },
      256, 16, 16);
}

TEST(Stops, MaskedLanesDoNotFault) {
  EXPECT_EQ(run("s_mov_b64 exec, 0\nv_mov_b32 v2, -1\nglobal_load_dword v3, v2, s[4:5]").result.stop, Stop::kCompleted);
}

TEST(Stops, UnsupportedInstructionsAreNamedWithPcAndDword) {
  const Done sparse = run("v_smfmac_f32_16x16x32_f16 v[4:7], v[8:9], v[12:15], v2");
  EXPECT_EQ(sparse.result.stop, Stop::kUnsupportedInstruction);
  EXPECT_EQ(sparse.result.dword, 0xd3e20004u);
  EXPECT_THAT(sparse.result.message, HasSubstr("0xd3e20004"));
  EXPECT_THAT(sparse.result.message, HasSubstr("v_smfmac_f32_16x16x32_f16"));
  EXPECT_THAT(sparse.result.message, HasSubstr(fmt::format("{:#x}", sparse.result.pc)));
  expect_stops({
      {".long 0xc4000000", Stop::kUnsupportedInstruction},  // reserved encoding
      {"v_exp_f32 v2, v3", Stop::kUnsupportedInstruction},  // in the tables, not modelled
      {"v_add_u32_e64 v2, v3, v4 clamp", Stop::kUnsupportedInstruction},
      {"s_trap 2", Stop::kUnsupportedInstruction},
      {"s_getreg_b32 s8, hwreg(HW_REG_GPR_ALLOC)", Stop::kUnsupportedInstruction},
  });
  // What is never reached does not matter.
  EXPECT_EQ(run("s_branch Lover\nv_exp_f32 v2, v3\nLover:").result.stop, Stop::kCompleted);
}

TEST(Stops, RegistersOutsideTheAllocation) {
  // The kernel has VGPRs 0..127, AccVGPRs 0..127 and 112 SGPRs (96 and VCC, in steps of 16).
  expect_stops({
      {"v_mov_b32 v127, 0", Stop::kCompleted},
      {"v_mov_b32 v128, 0", Stop::kIllegalOperand},
      {"v_accvgpr_write_b32 a127, 0", Stop::kCompleted},
      {"v_accvgpr_write_b32 a128, 0", Stop::kIllegalOperand},
      {"v_mfma_f32_32x32x8_f16 v[112:127], v[2:3], v[4:5], 0", Stop::kCompleted},
      {"v_mfma_f32_32x32x8_f16 v[114:129], v[2:3], v[4:5], 0", Stop::kIllegalOperand},
  });
  EXPECT_THAT(run("v_mov_b32 v128, 0").result.message, HasSubstr("VGPR outside the kernel's allocation"));

  std::string small = assembly_kernel("k", "s_mov_b32 s40, 0");
  const auto shrink = [&](const std::string& from, const std::string& to) {
    small.replace(small.find(from), from.size(), to);
  };
  shrink("next_free_sgpr 96", "next_free_sgpr 10");
  shrink("next_free_vgpr 256", "next_free_vgpr 8");
  shrink("accum_offset 128", "accum_offset 8");
  const auto object = object_of(small);
  Machine machine(nullptr);
  EXPECT_EQ(machine.launch(*object, "k", 1, {}).stop, Stop::kIllegalOperand);
}

TEST(Stops, MisalignedTuples) {
  // Assemblers refuse these; they are written as words. v_lshlrev_b64 v[3:4], 4, v[0:1].
  expect_stops({
      {".long 0xd28f0003, 0x00020084", Stop::kIllegalOperand},
      {".long 0xd28f0002, 0x00020284", Stop::kIllegalOperand},  // v[1:2]
      {".long 0xd28f0002, 0x00020084", Stop::kCompleted},
      {".long 0xd3d50001, 0x04023114", Stop::kIllegalOperand},  // D of an MFMA at v1
      {".long 0x87840605", Stop::kIllegalOperand},              // s_or_b64 s[4:5], s[5:6], s[6:7]
  });
}

TEST(Stops, AFaultInALaterWorkgroupSaysWhich) {
  const auto object = object_of(assembly_kernel("k", R"(
    s_cmp_lt_u32 s2, 2
    s_cbranch_scc1 Lok
    s_trap 1
    Lok:)"));
  Machine machine(nullptr);
  const LaunchResult result = machine.launch(*object, "k", 5, {});
  EXPECT_EQ(result.stop, Stop::kUnsupportedInstruction);
  EXPECT_EQ(result.workgroup, 2u);
}

TEST(Memory, HostAccessesStayInsideAllocations) {
  Machine machine(nullptr);
  const std::uint64_t a = machine.allocate(100), b = machine.allocate(100);
  std::vector<std::byte> data(100, std::byte{7}), back(100);
  EXPECT_TRUE(machine.write(a, data));
  EXPECT_TRUE(machine.read(a, back));
  EXPECT_EQ(back, data);
  EXPECT_FALSE(machine.write(a + 1, data));
  EXPECT_FALSE(machine.read(a - 1, back));
  EXPECT_FALSE(machine.read(a + 100, std::span(back).first(1)));
  EXPECT_TRUE(machine.read(b, back));
  EXPECT_EQ(back, std::vector<std::byte>(100));
  EXPECT_FALSE(machine.read(~std::uint64_t{0} - 4, back));  // must not wrap
  machine.release_all();
  EXPECT_FALSE(machine.read(a, back));
}

// ------------------------------------------------------------------------------------------------ MFMA

// 1.0 in every element of A and B (f16: 0x3c00), C = `c`; f32_16x16x16_f16 has K = 16, so D = 16 + c.
std::string ones(const std::string& registers = "v") {
  if (registers == "v") {
    return "v_mov_b32 v4, 0x3c003c00\nv_mov_b32 v5, v4\nv_mov_b32 v6, v4\nv_mov_b32 v7, v4\n";
  }
  return "v_mov_b32 v4, 0x3c003c00\nv_accvgpr_write_b32 a4, v4\nv_accvgpr_write_b32 a5, v4\nv_accvgpr_write_b32 a6, "
         "v4\n"
         "v_accvgpr_write_b32 a7, v4\n";
}

Words first_row(const Words& memory) { return Words(memory.begin(), memory.begin() + 64); }
Words all_lanes(std::uint32_t value) { return Words(64, value); }
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(Matrix, IgnoresExec) {
  const Done masked = run(ones() +
                          "v_mov_b32 v8, 0\ns_mov_b64 exec, 0\n"
                          "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0\ns_mov_b64 exec, -1\ns_nop 7" +
                          store("v8"));
  ASSERT_EQ(masked.result.stop, Stop::kCompleted) << masked.result.message;
  EXPECT_EQ(first_row(masked.memory), all_lanes(bits(16.0f)));
}

TEST(Matrix, ConstantsOfC) {
  const auto f16 = [](const char* c) {
    return ones() + "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], " + c + "\ns_nop 7" + store("v11");
  };
  const std::string zero = "v_mov_b64_e32 v[4:5], 0\nv_mov_b64_e32 v[6:7], 0\n";
  const std::string f64 = zero + "v_mfma_f64_16x16x4_f64 v[8:15], v[4:5], v[6:7], ";
  const std::string store64 = "\ns_nop 15\ns_nop 3" + store("v8") + store("v9", 1);
  const std::vector<Done> all = run_all({
      f16("0"),
      f16("1.0"),
      f16("-4.0"),
      f16("1"),
      zero + "v_mfma_i32_16x16x32_i8 v[8:11], v[4:5], v[6:7], -7\ns_nop 7" + store("v10"),
      f64 + "1.0" + store64,
  });
  for (const Done& done : all) ASSERT_EQ(done.result.stop, Stop::kCompleted) << done.result.message;
  EXPECT_EQ(first_row(all[0].memory), all_lanes(bits(16.0f)));
  EXPECT_EQ(first_row(all[1].memory), all_lanes(bits(17.0f)));
  EXPECT_EQ(first_row(all[2].memory), all_lanes(bits(12.0f)));
  EXPECT_EQ(first_row(all[3].memory), all_lanes(bits(16.0f)));  // the integer 1 is a subnormal float
  EXPECT_EQ(first_row(all[4].memory), all_lanes(0xfffffff9));
  // Constants of an f64 operand are 64-bit floats.
  EXPECT_EQ(first_row(all[5].memory), all_lanes(0));
  EXPECT_EQ(Words(all[5].memory.begin() + 64, all[5].memory.begin() + 128), all_lanes(0x3ff00000));
}

TEST(Matrix, SourcesAreReadBeforeTheResultIsWritten) {
  // D on top of A and B.
  const Done over =
      run(ones() + "v_mfma_f32_16x16x16_f16 v[4:7], v[4:5], v[6:7], 2.0\ns_nop 7" + store("v4") + store("v7", 1));
  ASSERT_EQ(over.result.stop, Stop::kCompleted) << over.result.message;
  EXPECT_EQ(first_row(over.memory), all_lanes(bits(18.0f)));
  EXPECT_EQ(Words(over.memory.begin() + 64, over.memory.begin() + 128), all_lanes(bits(18.0f)));
}

TEST(Matrix, AccumulationRegistersForEveryOperand) {
  const Done acc =
      run(ones("a") +
          "v_accvgpr_write_b32 a8, 1.0\nv_accvgpr_write_b32 a9, 1.0\nv_accvgpr_write_b32 a10, 1.0\n"
          "v_accvgpr_write_b32 a11, 1.0\nv_mfma_f32_16x16x16_f16 a[12:15], a[4:5], a[6:7], a[8:11]\ns_nop 7" +
          store("a13"));
  ASSERT_EQ(acc.result.stop, Stop::kCompleted) << acc.result.message;
  EXPECT_EQ(first_row(acc.memory), all_lanes(bits(17.0f)));
  // A in AccVGPRs, B in VGPRs.
  const Done mixed =
      run(ones("a") + ones() + "v_mfma_f32_16x16x16_f16 v[12:15], a[4:5], v[6:7], 0\ns_nop 7" + store("v13"));
  EXPECT_EQ(first_row(mixed.memory), all_lanes(bits(16.0f)));
}

// fp8 1.0 is 0x38; 16x16x128: K = 128. Scale code 127 is 1.0.
std::string fp8_ones() {
  std::string text;
  for (int i = 16; i < 32; ++i) text += fmt::format("v_mov_b32 v{}, 0x38383838\n", i);
  return text;
}
constexpr const char* kScaled = "v_mfma_scale_f32_16x16x128_f8f6f4 v[8:11], v[16:23], v[24:31], 0, ";

TEST(Matrix, ScaleBytesFromAVgpr) {
  // Bytes 0..3 of A: 127, 128, 129, 130; of B: 127, 126, 125, 124. op_sel is the low bit, op_sel_hi the high one.
  std::vector<std::string> bodies;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      bodies.push_back(fp8_ones() + "v_mov_b32 v2, 0x8281807f\nv_mov_b32 v3, 0x7c7d7e7f\n" + kScaled +
                       fmt::format("v2, v3 op_sel:[{},{},0] op_sel_hi:[{},{},0]", a & 1, b & 1, a >> 1, b >> 1) +
                       "\ns_nop 15" + store("v8"));
    }
  }
  const std::vector<Done> all = run_all(bodies);
  for (int i = 0; i < 16; ++i) {
    const Done& done = all[static_cast<std::size_t>(i)];
    ASSERT_EQ(done.result.stop, Stop::kCompleted) << done.result.message;
    EXPECT_EQ(first_row(done.memory), all_lanes(bits(128.0f * std::exp2(static_cast<float>(i / 4 - i % 4))))) << i;
  }
}

TEST(Matrix, ScaleFromAConstantOrAnSgprIsItsExponentWhateverOpSelSays) {
  // Words, because LLVM's assembler takes only VGPRs there: v_mfma_scale ..., v[8:11] with scale sources as given.
  const auto words = [](std::uint32_t a, std::uint32_t b, std::uint32_t select) {
    return fp8_ones() +
           fmt::format(
               "s_mov_b32 s8, 0x40000000\nv_mov_b32 v3, 0x7f7f7f7f\n"
               ".long {:#x}, {:#x}, 0xd3ad0808, 0x02023110\ns_nop 15",
               0xd3ac0000 | select << 11, a | b << 9) +
           store("v8");
  };
  constexpr std::uint32_t kOne = 242, kTwo = 244, kFour = 246, kS8 = 8, kV3 = 256 + 3, kZero = 128;
  const std::vector<Done> all = run_all({words(kOne, kV3, 0), words(kTwo, kV3, 0), words(kFour, kTwo, 3),
                                         words(kS8, kV3, 0), words(kV3, kS8, 2), words(kZero, kZero, 0)});
  // The SGPR holds 2.0; 0 has exponent code 0, which is 2^-127 for each side.
  const std::vector<float> expected = {128.0f, 256.0f, 1024.0f, 256.0f, 256.0f, 0.0f};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].result.stop, Stop::kCompleted) << all[i].result.message;
    EXPECT_EQ(first_row(all[i].memory), all_lanes(bits(expected[i]))) << i;
  }
}

TEST(Matrix, AbidSaysWhetherThereAreScales) {
  // ABID = 0 behind a load-scale: all scales 1.0 (manual 7.1.5).
  const Done unscaled =
      run(fp8_ones() + "v_mov_b32 v3, 0x85858585\n.long 0xd3ac0000, 0x00020703, 0xd3ad0008, 0x02023110\ns_nop 15" +
          store("v8"));
  ASSERT_EQ(unscaled.result.stop, Stop::kCompleted) << unscaled.result.message;
  EXPECT_EQ(first_row(unscaled.memory), all_lanes(bits(128.0f)));
  const Done plain =
      run(fp8_ones() + "v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[16:23], v[24:31], 0\ns_nop 15" + store("v8"));
  EXPECT_EQ(first_row(plain.memory), all_lanes(bits(128.0f)));
  // ABID = 1 without a load-scale: no one says what the scale is.
  EXPECT_EQ(run(".long 0xd3ad0808, 0x02023110").result.stop, Stop::kUnsupportedInstruction);
}

TEST(Matrix, UndefinedCasesAreUnsupported) {
  const Done reserved = run("v_mov_b32 v2, 0\n.long 0xd3ad0508, 0x02023110");  // format code 5 for A
  EXPECT_EQ(reserved.result.stop, Stop::kUnsupportedInstruction);
  const Done broadcast = run("v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0 cbsz:1");  // one block
  EXPECT_EQ(broadcast.result.stop, Stop::kUnsupportedInstruction);
}

TEST(Matrix, Fp16OverflowOfModeClamps) {
  // 2^100 * 2^100 in f32, with MODE as it is and with FP16_OVFL set (manual 7.1.2).
  const std::string operands = "v_mov_b32 v4, 0x71800000\nv_mov_b32 v6, 0x71800000\n";
  const std::string multiply = "v_mfma_f32_16x16x4_f32 v[8:11], v4, v6, 0\ns_nop 15\ns_nop 15" + store("v8");
  const Done infinite = run(operands + multiply);
  ASSERT_EQ(infinite.result.stop, Stop::kCompleted) << infinite.result.message;
  EXPECT_EQ(first_row(infinite.memory), all_lanes(0x7f800000));
  const Done clamped = run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n" + operands + multiply);
  ASSERT_EQ(clamped.result.stop, Stop::kCompleted) << clamped.result.message;
  EXPECT_EQ(first_row(clamped.memory), all_lanes(0x7f7fffff));
}

// ------------------------------------------------------------------------------------------------ observers, threads

TEST(Observer, SeesEveryInstructionInOrder) {
  struct Recorder : Observer {
    std::vector<std::string> seen;
    void workgroup_begins(std::uint32_t workgroup) override { seen.push_back(fmt::format("workgroup {}", workgroup)); }
    void executed(const Instruction& in) override { seen.push_back(render(in)); }
  } recorder;
  const auto object = object_of(assembly_kernel("k", "s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 Lx\ns_nop 3\nLx:"));
  Machine machine(nullptr);
  machine.observe(&recorder);
  ASSERT_EQ(machine.launch(*object, "k", 2, {}).stop, Stop::kCompleted);
  EXPECT_THAT(recorder.seen,
              ::testing::ElementsAre("workgroup 0", "s_cmp_eq_u32 s2, 0", "s_cbranch_scc1 1", "s_endpgm", "workgroup 1",
                                     "s_cmp_eq_u32 s2, 0", "s_cbranch_scc1 1", "s_nop 3", "s_endpgm"));
}

TEST(Machine, ThreadsShareACodeObject) {
  const auto object = object_of(assembly_kernel("k",
                                                "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt "
                                                "lgkmcnt(0)\nv_lshl_add_u32 v2, s2, 6, v0\nv_lshlrev_b32 v3, 2, v2\n"
                                                "global_store_dword v3, v2, s[4:5]"));
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&, t] {
      Machine machine(nullptr);
      const std::uint64_t memory = machine.allocate(64 * 64 * 4);
      const LaunchResult result = machine.launch(*object, "k", 64, pointer(memory));
      Words words(64 * 64), expected(64 * 64);
      std::iota(expected.begin(), expected.end(), 0u);
      good[t] = result.stop == Stop::kCompleted && machine.read(memory, std::as_writable_bytes(std::span(words))) &&
                words == expected;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 1));
}

TEST(Machine, IsDeterministic) {
  // Registers that nothing wrote hold the same pattern on every run.
  const Done first = run(store("v77")), second = run(store("v77"));
  EXPECT_EQ(first.memory, second.memory);
}

TEST(KernelInstructions, ListWhatIsThere) {
  const auto object = object_of(assembly_kernel("k", "s_nop 1\nv_mov_b32 v1, 0x12345678"));
  const auto listed = kernel_instructions(*object, "k");
  ASSERT_TRUE(listed);
  std::vector<std::string> text;
  for (const Instruction& in : *listed) text.push_back(render(in));
  EXPECT_THAT(text, ::testing::ElementsAre("s_nop 1", "v_mov_b32_e32 v1, 0x12345678", "s_endpgm"));
  const auto range = kernel_range(*object, "k");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->end - range->begin, 16u);
  EXPECT_EQ((*listed)[1].pc, range->begin + 4);
  EXPECT_FALSE(kernel_instructions(*object, "no"));
}

}  // namespace
}  // namespace mfma::gfx950::test
