// Every kernel holds the one instruction it is meant to test, with the fields that its instance asks for: read from
// llvm-objdump's text and, independently of it, from the bits of the encoding (CDNA4 ISA manual, VOP3P-MAI format).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/builtin.h"
#include "harness/kernels/kernel.h"
#include "tests/kernels/disassembly.h"

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using catalogue::ModifierKind;
using catalogue::Modifiers;
using test::MfmaInstruction;

const compilers::Compiler& clang_22() {
  static const compilers::Compiler compiler = [] {
    auto opened = compilers::Compiler::open("clang-22", "gfx950", {});
    if (!opened) throw std::runtime_error(opened.error());
    return *opened;
  }();
  return compiler;
}

unsigned bits(std::uint32_t word, int low, int count) { return word >> low & ((1U << count) - 1U); }

std::string attribute(const MfmaInstruction& i, const std::string& key, const std::string& otherwise) {
  const auto at = i.attributes.find(key);
  return at == i.attributes.end() ? otherwise : at->second;
}

std::string flags3(int a, int b, int c) { return fmt::format("[{},{},{}]", a, b, c); }

int register_count(const std::string& operand) {
  const std::size_t colon = operand.find(':');
  if (colon == std::string::npos) return 1;
  return std::stoi(operand.substr(colon + 1)) - std::stoi(operand.substr(operand.find('[') + 1)) + 1;
}

// The text of the disassembly, as the instance would have it.
void expect_text(const Instance& instance, const MfmaInstruction& got) {
  const Modifiers& m = instance.modifiers;
  std::string mnemonic(instance.builtin->mnemonic);
  const bool scales = has_scales(instance);
  if (instance.builtin->modifiers == ModifierKind::kScaled && !scales)
    mnemonic = "v_mfma_" + mnemonic.substr(std::string("v_mfma_scale_").size());
  EXPECT_EQ(got.mnemonic, mnemonic);
  ASSERT_EQ(got.operands.size(), scales ? 6U : 4U);
  EXPECT_EQ(register_count(got.operands[0]), instance.c_registers());
  EXPECT_EQ(register_count(got.operands[1]), instance.a_registers());
  EXPECT_EQ(register_count(got.operands[2]), instance.b_registers());
  EXPECT_EQ(register_count(got.operands[3]), instance.c_registers());

  const bool negates = instance.builtin->modifiers == ModifierKind::kNegate;
  EXPECT_EQ(attribute(got, "cbsz", "0"), std::to_string(m.cbsz));
  EXPECT_EQ(attribute(got, "abid", "0"), std::to_string(m.abid));
  EXPECT_EQ(attribute(got, "blgp", "0"), std::to_string(negates ? 0 : m.blgp));
  EXPECT_EQ(attribute(got, "neg", "[0,0,0]"), negates ? flags3(m.blgp & 1, m.blgp >> 1 & 1, m.blgp >> 2) : "[0,0,0]");
  // The byte of a scale is 2 * op_sel_hi + op_sel.
  if (scales) {
    EXPECT_EQ(got.operands[4][0], 'v');
    EXPECT_EQ(got.operands[5][0], 'v');
    EXPECT_EQ(attribute(got, "op_sel", "[0,0,0]"), flags3(m.op_sel_a & 1, m.op_sel_b & 1, 0));
    EXPECT_EQ(attribute(got, "op_sel_hi", "[1,1,1]"), flags3(m.op_sel_a >> 1, m.op_sel_b >> 1, 0));
  }
}

// The same from the bits.
void expect_bits(const Instance& instance, const MfmaInstruction& got) {
  const Modifiers& m = instance.modifiers;
  const bool scales = has_scales(instance);
  ASSERT_EQ(got.words.size(), scales ? 4U : 2U);
  const std::uint32_t low = got.words[got.words.size() - 2], high = got.words.back();
  EXPECT_EQ(bits(low, 23, 9), 0b110100111U);
  EXPECT_EQ(bits(low, 16, 7), static_cast<unsigned>(instance.builtin->opcode));
  EXPECT_EQ(bits(low, 8, 3), static_cast<unsigned>(m.cbsz));
  EXPECT_EQ(bits(low, 11, 4), scales ? 1U : static_cast<unsigned>(m.abid));  // ABID[0] turns the scales on
  EXPECT_EQ(bits(high, 29, 3), static_cast<unsigned>(m.blgp));
  if (!scales) return;
  constexpr unsigned kLoadScale = 44;  // v_mfma_ld_scale_b32
  EXPECT_EQ(bits(got.words[0], 16, 7), kLoadScale);
  EXPECT_EQ(bits(got.words[0], 11, 1) + 2 * bits(got.words[1], 27, 1), static_cast<unsigned>(m.op_sel_a));
  EXPECT_EQ(bits(got.words[0], 12, 1) + 2 * bits(got.words[1], 28, 1), static_cast<unsigned>(m.op_sel_b));
  EXPECT_GE(bits(got.words[1], 0, 9), 256U);  // a VGPR: of other sources the hardware does not select a byte
  EXPECT_GE(bits(got.words[1], 9, 9), 256U);
}

// The instruction of the kernel, where it is exactly one.
const MfmaInstruction* only_instruction(const Built& built,
                                        const std::map<std::string, std::vector<MfmaInstruction>>& kernels) {
  const auto at = kernels.find(kernel_name(built.instance));
  if (at == kernels.end() || at->second.size() != 1) {
    ADD_FAILURE() << kernel_name(built.instance) << ": "
                  << (at == kernels.end() ? "not in the object" : "not exactly one MFMA");
    return nullptr;
  }
  return &at->second.front();
}

template <typename Check>
std::size_t for_each_instruction(std::span<const Instance> instances, const std::string& level, RegisterForm form,
                                 Check check) {
  constexpr std::size_t kBatch = 300;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < instances.size(); begin += kBatch) {
    const auto batch = instances.subspan(begin, std::min(kBatch, instances.size() - begin));
    const std::vector<Built> built = build(clang_22(), batch, level, {}, form);
    if (built.front().compiled.object == nullptr) {
      ADD_FAILURE() << built.front().compiled.log;
      continue;
    }
    const auto kernels = test::mfma_instructions(*built.front().compiled.object);
    EXPECT_EQ(kernels.size(), batch.size());
    for (const Built& b : built) {
      EXPECT_EQ(compilers::name_of(b.compiled.outcome), "ok") << b.compiled.log;
      EXPECT_EQ(b.unexplained, nullptr);
      SCOPED_TRACE(fmt::format("{} at -{}", catalogue::instance_id(b.instance), level));
      if (const MfmaInstruction* const instruction = only_instruction(b, kernels)) {
        check(b.instance, *instruction);
        ++count;
      }
      if (testing::Test::HasFailure()) return count;  // one report is enough of 2354
    }
  }
  return count;
}

class EncodingAtLevel : public testing::TestWithParam<const char*> {};

TEST_P(EncodingAtLevel, IsWhatTheInstanceAsksForInAllKernels) {
  const auto instances = catalogue::all_legal_instances();
  EXPECT_EQ(for_each_instruction(instances, GetParam(), RegisterForm::kDefault,
                                 [](const Instance& instance, const MfmaInstruction& got) {
                                   expect_text(instance, got);
                                   expect_bits(instance, got);
                                 }),
            2354U);
}

INSTANTIATE_TEST_SUITE_P(Levels, EncodingAtLevel, testing::Values("O0", "O1", "O2", "O3"),
                         [](const auto& i) { return std::string(i.param); });

// Each builtin without modifiers; of the scaled ones every pair of formats, with and without scales.
std::vector<Instance> representatives() {
  std::vector<Instance> chosen;
  for (const Instance& i : catalogue::all_legal_instances()) {
    const Modifiers& m = i.modifiers;
    const bool plain = m.cbsz == 0 && m.abid == 0 && m.blgp == 0;
    if (i.builtin->modifiers == ModifierKind::kScaled ? m.op_sel_a == m.op_sel_b && m.op_sel_a % 3 == 0 : plain)
      chosen.push_back(i);
  }
  return chosen;
}

class FormAtLevel : public testing::TestWithParam<const char*> {};

TEST_P(FormAtLevel, PutsAllOperandsInTheRegistersAskedFor) {
  const auto instances = representatives();
  ASSERT_EQ(instances.size(), 36U + 2 * 25 * 3);
  for (const RegisterForm form : {RegisterForm::kAgpr, RegisterForm::kVgpr}) {
    // -O0 copies all operands, A and B to VGPRs, C and D to AGPRs, whatever the form.
    const bool copies = std::string(GetParam()) == "O0", agprs = form == RegisterForm::kAgpr;
    const bool accumulates = agprs || copies, reads_agprs = agprs && !copies;
    EXPECT_EQ(for_each_instruction(instances, GetParam(), form,
                                   [&](const Instance& instance, const MfmaInstruction& got) {
                                     expect_text(instance, got);
                                     expect_bits(instance, got);
                                     const std::string expected{accumulates ? 'a' : 'v', reads_agprs ? 'a' : 'v'};
                                     EXPECT_EQ(got.operands[0][0], expected[0]);
                                     EXPECT_EQ(got.operands[1][0], expected[1]);
                                     EXPECT_EQ(got.operands[2][0], expected[1]);
                                     EXPECT_EQ(got.operands[3][0], expected[0]);
                                     const std::uint32_t low = got.words[got.words.size() - 2], high = got.words.back();
                                     EXPECT_EQ(bits(low, 15, 1), accumulates ? 1U : 0U);   // ACC_CD
                                     EXPECT_EQ(bits(high, 27, 2), reads_agprs ? 3U : 0U);  // ACC of A and B
                                   }),
              instances.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, FormAtLevel, testing::Values("O0", "O1", "O2"),
                         [](const auto& i) { return std::string(i.param); });

// The kernel ABI of kernel.h: four or six pointers and an int; the hidden arguments of -O0 come after it.
TEST(KernelAbi, HasTheArgumentsItPromises) {
  const auto instances = representatives();
  const auto built = build(clang_22(), instances, "O2", {});
  ASSERT_NE(built.front().compiled.object, nullptr) << built.front().compiled.log;
  const auto sizes = test::kernarg_sizes(*built.front().compiled.object);
  ASSERT_EQ(sizes.size(), instances.size());
  for (const Instance& i : instances)
    EXPECT_EQ(sizes.at(kernel_name(i)), has_scales(i) ? 6 * 8 + 4 : 4 * 8 + 4) << kernel_name(i);
}

}  // namespace
}  // namespace mfma::kernels
