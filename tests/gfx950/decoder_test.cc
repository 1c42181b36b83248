// The decoder against llvm-objdump, on compiled kernels and on random encodings, and on words that mean nothing.
#include "harness/gfx950/isa/decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "harness/gfx950/isa/opcodes.h"
#include "harness/gfx950/matrix/matrix_unit.h"
#include "tests/gfx950/objdump_check.h"
#include "tests/gfx950/sample_kernels.h"
#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {
namespace {

std::string first_lines(const std::vector<std::string>& lines, std::size_t at_most = 20) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < at_most; ++i) text += lines[i] + "\n";
  return text;
}

class Compiled : public ::testing::TestWithParam<std::tuple<const char*, Registers>> {};

TEST_P(Compiled, EveryInstructionReadsAsLlvmObjdumpReadsIt) {
  const auto [level, registers] = GetParam();
  const Bytes object = compile_hip(sample_source(sample_kernels(), registers), level);
  const ObjdumpCheck check = check_against_objdump(object);
  EXPECT_GT(check.compared, 2000u);
  EXPECT_TRUE(check.differences.empty()) << check.differences.size() << " of " << check.compared << "\n"
                                         << first_lines(check.differences);
}

INSTANTIATE_TEST_SUITE_P(Levels, Compiled,
                         ::testing::Combine(::testing::Values("O0", "O1", "O2"),
                                            ::testing::Values(Registers::kCompilerChoice, Registers::kVgpr,
                                                              Registers::kAgpr)));

// Some words of an encoding: random bits with those of `mask` set to `fixed`.
struct Pattern {
  const char* name;
  std::uint32_t fixed0, mask0;
  std::uint32_t fixed1, mask1;
};

constexpr Pattern kPatterns[] = {
    {"sop1, sop2, sopc, sopk, sopp", 0x80000000, 0xc0000000, 0, 0},
    {"sop1", 0xbe800000, 0xff800000, 0, 0},
    {"sopc", 0xbf000000, 0xff800000, 0, 0},
    {"sopp", 0xbf800000, 0xff800000, 0, 0},
    {"vop1, vop2, vopc", 0, 0x80000000, 0, 0},
    {"vop1", 0x7e000000, 0xfe000000, 0, 0},
    {"vopc", 0x7c000000, 0xfe000000, 0, 0},
    {"vop3", 0xd0000000, 0xfc00ff00, 0, 0xf8000000},
    {"smem with immediate", 0xc0020000, 0xfc03c03f, 0, 0xffe00000},
    {"smem with scalar offset", 0xc0004000, 0xfc03c000, 0x00000000, 0x01ffffff},
    {"flat", 0xdc000000, 0xfc00f000, 0, 0x007f0000},
    {"global with vector address", 0xdc008000, 0xfc00e000, 0x007f0000, 0x007f0000},
    {"global with scalar address", 0xdc008000, 0xfc00e000, 0, 0},
    {"scratch", 0xdc004000, 0xfc00c000, 0, 0},
    {"ds with one operand", 0xd8000000, 0xfc010000, 0, 0xffff0000},
    {"ds read", 0xd8000000, 0xfc010000, 0, 0x00ffff00},
};

bool is_aligned(const Operand& operand) {
  if (operand.registers < 2) return true;
  if (operand.kind == OperandKind::kScalar && operand.number <= 127) {
    const bool fits = operand.number >= 102 ? operand.registers == 2 : operand.number + operand.registers <= 102;
    return operand.number % (operand.registers >= 4 ? 4 : 2) == 0 && fits;
  }
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kAccumulator) {
    return operand.number % 2 == 0 && operand.number + operand.registers <= 256;
  }
  return true;
}

// LLVM prints tuples it holds to be misaligned in ways of its own, and has no text for a few reserved combinations
// that the manual lists; those are left out here, by LLVM's own mark.
bool says_invalid(const std::string& text) {
  return text.find("Invalid") != std::string::npos || text.starts_with(".long");
}

std::string byte_lines(const std::vector<Instruction>& instructions) {
  constexpr unsigned kSlot = 32;  // bytes each; s_nop fills up, so that one bad word spoils no other
  std::string source = ".text\n";
  for (const Instruction& in : instructions) {
    for (unsigned i = 0; i < in.bytes / 4u; ++i) source += fmt::format(".long {:#x}\n", in.dwords[i]);
    source += fmt::format(".fill {}, 4, 0xbf800000\n", (kSlot - in.bytes) / 4);
  }
  return source;
}

void compare_with_objdump(const std::vector<Instruction>& instructions, const char* name, double least_valid) {
  std::map<std::uint64_t, std::string> listed;
  for (const Listed& line : parse_listing(disassemble(assemble_only(byte_lines(instructions))))) {
    listed[line.address] = line.text;
  }
  std::size_t compared = 0;
  std::vector<std::string> differences;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto it = listed.find(i * 32);
    ASSERT_NE(it, listed.end()) << name << ": llvm-objdump lists nothing at " << i * 32;
    if (says_invalid(it->second)) continue;
    ++compared;
    const std::string ours = normalised(render(instructions[i])), theirs = normalised(it->second);
    if (ours != theirs) differences.push_back(ours + " | " + theirs);
  }
  EXPECT_GT(static_cast<double>(compared), static_cast<double>(instructions.size()) * least_valid) << name;
  EXPECT_TRUE(differences.empty()) << name << ": " << differences.size() << " of " << compared << "\n"
                                   << first_lines(differences);
}

TEST(RandomEncodings, ReadAsLlvmObjdumpReadsThem) {
  std::mt19937 random(20260117);
  for (const Pattern& pattern : kPatterns) {
    std::vector<Instruction> instructions;
    for (int i = 0; i < 3000; ++i) {
      const std::uint32_t words[4] = {(static_cast<std::uint32_t>(random()) & ~pattern.mask0) | pattern.fixed0,
                                      (static_cast<std::uint32_t>(random()) & ~pattern.mask1) | pattern.fixed1,
                                      static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
      const Instruction in = decode(words, 0);
      // Messages have names in LLVM's text; no kernel here sends one.
      if (in.known() && std::string_view(in.mnemonic).starts_with("s_sendmsg")) continue;
      if (!in.known() || !std::ranges::all_of(in.all_operands(), is_aligned)) continue;
      instructions.push_back(in);
    }
    ASSERT_GT(instructions.size(), 50u) << pattern.name;
    compare_with_objdump(instructions, pattern.name, 0.3);
  }
}

// Valid matrix encodings with every field in use; wholly random ones crash llvm-objdump 22.
TEST(RandomEncodings, MatrixInstructionsReadAsLlvmObjdumpReadsThem) {
  std::mt19937 random(7);
  const auto below = [&](unsigned limit) { return static_cast<std::uint32_t>(random() % limit); };
  std::vector<Instruction> instructions;
  for (const OpcodeRow& row : mai_rows()) {
    if (std::string_view(row.mnemonic).starts_with("v_accvgpr")) continue;
    const bool f8f6f4 = row.number == 45 || row.number == 46, sparse = row.mnemonic[2] == 's';
    const bool f64 = row.number == 110 || row.number == 111;
    for (int i = 0; i < 40; ++i) {
      const std::uint32_t accumulators = below(2);  // LLVM wants C and D in one file, the flag says which
      const std::uint32_t cbsz = f8f6f4 ? below(5) : below(8), blgp = sparse ? 0 : f8f6f4 ? below(5) : below(8);
      const std::uint32_t abid = f8f6f4 ? 0 : below(16);
      const std::uint32_t d = below(112) * 2, a = below(124) * 2, b = below(124) * 2, c = below(112) * 2;
      const bool constant = !sparse && i % 5 == 0;
      const std::uint32_t source2 = constant ? (f64 ? 240 + below(9) : 128 + below(81)) : 256 + (sparse ? d + 1 : c);
      const std::uint32_t matrix[2] = {
          0xd3800000 | std::uint32_t{row.number} << 16 | accumulators << 15 | abid << 11 | cbsz << 8 | d,
          (256 + a) | (256 + b) << 9 | source2 << 18 | below(4) << 27 | blgp << 29};
      instructions.push_back(decode(matrix, 0));
      ASSERT_TRUE(instructions.back().known()) << row.mnemonic << ": " << instructions.back().problem;
      if (!f8f6f4) continue;
      const std::uint32_t scaled[4] = {0xd3ac0000 | below(4) << 11,
                                       (256 + below(256)) | (256 + below(256)) << 9 | below(4) << 27,
                                       matrix[0] | 1u << 11, matrix[1]};
      instructions.push_back(decode(scaled, 0));
      ASSERT_TRUE(instructions.back().known()) << row.mnemonic;
    }
  }
  compare_with_objdump(instructions, "mai", 0.95);
}

TEST(Decoder, SurvivesAMillionRandomWords) {
  std::mt19937_64 random(1);
  std::size_t known = 0, text = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t x = random(), y = random();
    const std::uint32_t words[4] = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32),
                                    static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(y >> 32)};
    const Instruction in = decode(std::span(words).first(1 + static_cast<std::size_t>(i) % 4), random());
    ASSERT_TRUE(in.bytes == 4 || in.bytes == 8 || in.bytes == 16);
    ASSERT_EQ(in.known(), in.problem == nullptr);
    known += in.known() ? 1u : 0u;
    if (i % 4 == 0) text += render(in).size();
  }
  EXPECT_GT(known, 100'000u);
  EXPECT_GT(text, 1'000'000u);
}

TEST(Decoder, SaysWhyWordsAreNoInstruction) {
  const auto problem = [](std::initializer_list<std::uint32_t> words) {
    const std::vector<std::uint32_t> all(words);
    const Instruction in = decode(all, 0);
    return std::string(in.problem == nullptr ? "" : in.problem);
  };
  EXPECT_EQ(problem({}), "code ends here");
  EXPECT_EQ(problem({0xd3d50000}), "code ends inside the instruction");
  EXPECT_EQ(problem({0xd3ac0000, 0}), "code ends inside the instruction");
  EXPECT_EQ(problem({0xd3ac0000, 0x00020100, 0xbf800000, 0}), "load-scale prefix without an f8f6f4 MFMA after it");
  EXPECT_EQ(problem({0x8000ff80}), "code ends inside the instruction");  // a literal that is missing
  EXPECT_EQ(problem({0xd1340000, 0x000000ff}), "this encoding takes no literal constant");
  EXPECT_EQ(problem({0x80007d80}), "reserved scalar register 125");
  EXPECT_EQ(problem({0x8000d280}), "reserved source operand");
  EXPECT_EQ(problem({0xd3d50000, 0x04020080}), "SRC0 and SRC1 of a matrix instruction must be VGPRs");
  EXPECT_EQ(problem({0xe0500000, 0}), "buffer instructions are not modelled");
  EXPECT_EQ(problem({0x7e0002f9, 0}), "SDWA and DPP are not modelled");
  EXPECT_EQ(problem({0xc4000000}), "reserved encoding");
}

// The manual's Table 85 puts VOP1 opcodes at + 0x180 in VOP3, its section 12.8.1 at + 0x140; the latter is right.
TEST(Decoder, Vop1InVop3IsAt0x140) {
  const std::uint32_t words[] = {0xd1410001, 0x00000102};
  EXPECT_EQ(render(decode(words, 0)), "v_mov_b32_e64 v1, v2");
  const std::uint32_t other[] = {0xd1810001, 0x00000102};  // + 0x180 + 1 is v_exp_f16 at + 0x140
  EXPECT_EQ(render(decode(other, 0)), "v_exp_f16_e64 v1, v2");
}

TEST(Decoder, BranchTargetCountsFromTheNextInstruction) {
  const std::uint32_t forward[] = {0xbf820002}, backward[] = {0xbf82ffff};
  EXPECT_EQ(branch_target(decode(forward, 0x100)), 0x10cu);
  EXPECT_EQ(branch_target(decode(backward, 0x100)), 0x100u);
}

TEST(Decoder, EveryOpcodeNumberIsUsedOnce) {
  for (std::size_t i = 0; i < opcodes().size(); ++i) {
    const Opcode& opcode = opcodes()[i];
    EXPECT_EQ(find_opcode(opcode.encoding, opcode.row->number), static_cast<int>(i)) << opcode.row->mnemonic;
  }
}

// The decoder's register counts come from its own table, the matrix unit's from another: they must agree.
TEST(Decoder, MatrixRegistersAgreeWithTheMatrixUnit) {
  unsigned dense = 0;
  for (const OpcodeRow& row : mai_rows()) {
    if (!std::string_view(row.mnemonic).starts_with("v_mfma_")) continue;
    const bool f8f6f4 = row.number == 45 || row.number == 46;
    for (std::uint32_t code = 0; code < (f8f6f4 ? 25u : 1u); ++code) {
      const std::uint32_t cbsz = code % 5, blgp = code / 5;
      const std::uint32_t words[] = {0xd3800000 | std::uint32_t{row.number} << 16 | cbsz << 8,
                                     0x100u | 0x100u << 9 | 0x100u << 18 | blgp << 29};
      const Instruction in = decode(words, 0);
      ASSERT_TRUE(in.known()) << row.mnemonic;
      const MatrixForm form = matrix_form({row.number, static_cast<int>(cbsz), 0, static_cast<int>(blgp)});
      EXPECT_TRUE(form.known) << row.mnemonic;
      EXPECT_EQ(form.c_registers, in.operands[0].registers) << row.mnemonic;
      EXPECT_EQ(form.a_registers, in.operands[1].registers) << row.mnemonic << " cbsz " << cbsz;
      EXPECT_EQ(form.b_registers, in.operands[2].registers) << row.mnemonic << " blgp " << blgp;
      EXPECT_EQ(std::string_view(form.mnemonic), in.mnemonic);
      ++dense;
    }
  }
  EXPECT_EQ(dense, 36u + 2 * 25);
}

}  // namespace
}  // namespace mfma::gfx950::test
