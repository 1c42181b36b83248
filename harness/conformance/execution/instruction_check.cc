#include "harness/conformance/execution/instruction_check.h"

#include <fmt/format.h>

#include <string_view>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::conformance {

bool is_matrix_product(const gfx950::Instruction& i) {
  if (i.encoding == gfx950::Encoding::kScaledMai) return true;
  if (i.encoding != gfx950::Encoding::kMai || !i.mnemonic) return false;
  const std::string_view mnemonic = i.mnemonic;
  return mnemonic.rfind("v_mfma", 0) == 0 || mnemonic.rfind("v_smfmac", 0) == 0;
}

tl::expected<std::vector<gfx950::Instruction>, std::string> matrix_products(const gfx950::CodeObject& object,
                                                                            const std::string& kernel) {
  auto code = gfx950::kernel_instructions(object, kernel);
  if (!code) return tl::make_unexpected(std::move(code.error()));
  std::erase_if(*code, [](const gfx950::Instruction& i) { return !is_matrix_product(i); });
  return *std::move(code);
}

int scale_byte(const gfx950::Instruction& scaled, int source) {
  return ((scaled.bits.select_high >> source) & 1) * 2 + ((scaled.bits.select >> source) & 1);
}

std::string wrong_immediate(const gfx950::Instruction& found, const catalogue::Instance& instance) {
  const catalogue::Modifiers& want = instance.modifiers;
  const auto differs = [](std::string_view name, int is, int should) {
    return is == should ? std::string() : fmt::format("{} is {}, not {}", name, is, should);
  };
  if (std::string wrong = differs("cbsz", found.bits.cbsz, want.cbsz); !wrong.empty()) return wrong;
  if (std::string wrong = differs("blgp", found.bits.blgp, want.blgp); !wrong.empty()) return wrong;
  if (instance.builtin->modifiers != catalogue::ModifierKind::kScaled)
    return differs("abid", found.bits.abid, want.abid);
  const bool scaled = found.encoding == gfx950::Encoding::kScaledMai;
  if (scaled != want.scaled) return scaled ? "it has a scale source, and should have none" : "it has no scale source";
  // Manual 7.1.5: ABID[0] tells whether the scales are used.
  if (std::string wrong = differs("abid", found.bits.abid, want.scaled ? 1 : 0); !wrong.empty()) return wrong;
  if (!scaled) return {};
  if (std::string wrong = differs("scale byte of A", scale_byte(found, 0), want.op_sel_a); !wrong.empty()) return wrong;
  return differs("scale byte of B", scale_byte(found, 1), want.op_sel_b);
}

InstructionCheck::InstructionCheck(const std::vector<std::byte>& object) {
  auto parsed = gfx950::load_code_object(object);
  if (parsed) {
    object_ = *std::move(parsed);
  } else {
    unreadable_ = parsed.error();
  }
}

std::string InstructionCheck::check(const std::string& kernel, const catalogue::Instance& instance, int opcode) const {
  if (!object_) return fmt::format("the code object cannot be read: {}", unreadable_);
  const auto products = matrix_products(*object_, kernel);
  if (!products) return {};  // no such kernel: the device says so, and the case is inconclusive
  if (products->empty()) {
    return fmt::format("the object holds no MFMA; expected opcode {} ({})", opcode, instance.builtin->mnemonic);
  }
  const gfx950::Instruction& found = products->front();
  if (products->size() > 1) {
    return fmt::format("the object holds more than one MFMA for one call: at {:#x} and {:#x}", found.pc,
                       (*products)[1].pc);
  }
  if (found.opcode != opcode) {
    return fmt::format("opcode {} ({}) at {:#x}, expected opcode {} ({})", found.opcode, found.mnemonic, found.pc,
                       opcode, instance.builtin->mnemonic);
  }
  const std::string wrong = wrong_immediate(found, instance);
  if (!wrong.empty()) return fmt::format("{} at {:#x}: {}", gfx950::render(found), found.pc, wrong);
  return {};
}

std::string InstructionCheck::check_opcodes(const std::string& kernel, const std::set<int>& opcodes) const {
  if (!object_) return fmt::format("the code object cannot be read: {}", unreadable_);
  const auto products = matrix_products(*object_, kernel);
  if (!products) return {};  // as above
  std::set<int> found;
  for (const gfx950::Instruction& i : *products) {
    if (!opcodes.count(i.opcode))
      return fmt::format("{} at {:#x}, which the program does not call", gfx950::render(i), i.pc);
    found.insert(i.opcode);
  }
  for (const int opcode : opcodes) {
    if (!found.count(opcode)) return fmt::format("no MFMA of opcode {} in the object, which the program calls", opcode);
  }
  return {};
}

}  // namespace mfma::conformance
