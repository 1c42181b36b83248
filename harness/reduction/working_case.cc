#include "harness/reduction/working_case.h"

#include "harness/cases/codes.h"
#include "harness/catalogue/register_image.h"
#include "harness/reduction/simpler.h"

namespace mfma::reduction::detail {
namespace {

using catalogue::Operand;
using catalogue::RegisterImage;

constexpr std::array<Operand, kSlots> kOperands{Operand::kA, Operand::kB, Operand::kC, Operand::kScaleA,
                                                Operand::kScaleB};
constexpr std::array<RegisterImage cases::Case::*, kSlots> kImages{&cases::Case::a, &cases::Case::b, &cases::Case::c,
                                                                   &cases::Case::scale_a, &cases::Case::scale_b};

bool is_there(const cases::Case& c, Slot slot) { return slot < kSlotScaleA || c.has_scales; }

// The image with nothing in it but the elements.
RegisterImage elements_only(const catalogue::Layout& layout, std::span<const std::uint64_t> codes, int registers) {
  RegisterImage image(registers);
  catalogue::write_elements(layout, codes, image);
  return image;
}

}  // namespace

WorkingCase::WorkingCase(const cases::Case& c) : case_(c) {
  for (std::size_t s = 0; s < kSlots; ++s) {
    const auto slot = static_cast<Slot>(s);
    if (is_there(case_, slot)) codes_[s] = catalogue::read_elements(layout(slot), case_.*kImages[s]);
  }
}

const catalogue::Layout& WorkingCase::layout(Slot slot) const {
  return catalogue::shared_layout(case_.instance, kOperands[slot]);
}

catalogue::ElementFormat WorkingCase::format(Slot slot) const {
  if (slot == kSlotA) return case_.instance.a_format();
  return slot == kSlotB ? case_.instance.b_format() : case_.instance.builtin->acc_format;
}

std::uint64_t WorkingCase::default_code(Slot slot) const { return slot < kSlotScaleA ? 0 : cases::kNeutralScale; }

cases::Case WorkingCase::with(std::span<const Change> changes) const {
  cases::Case made = case_;
  std::array<std::vector<std::uint64_t>, kSlots> changed;
  for (const Change& change : changes) {
    std::vector<std::uint64_t>& codes = changed[change.at.slot];
    if (codes.empty()) codes = codes_[change.at.slot];
    codes[change.at.index] = change.code;
  }
  for (std::size_t s = 0; s < kSlots; ++s) {
    if (!changed[s].empty()) catalogue::write_elements(layout(static_cast<Slot>(s)), changed[s], made.*kImages[s]);
  }
  return made;
}

cases::Case WorkingCase::under(const catalogue::Instance& instance) const {
  cases::Case made = case_;
  made.instance = instance;
  made.has_scales = instance.modifiers.scaled;
  for (const Slot slot : {kSlotScaleA, kSlotScaleB}) {
    RegisterImage& image = made.*kImages[slot];
    if (!case_.has_scales) continue;
    image = made.has_scales ? elements_only(catalogue::shared_layout(instance, kOperands[slot]), codes_[slot], 1)
                            : RegisterImage();
  }
  return made;
}

std::uint64_t WorkingCase::unread_dwords() const {
  std::uint64_t count = 0;
  for (std::size_t s = 0; s < kSlots; ++s) {
    if (!is_there(case_, static_cast<Slot>(s))) continue;
    const RegisterImage& image = case_.*kImages[s];
    const RegisterImage clean = elements_only(layout(static_cast<Slot>(s)), codes_[s], image.registers);
    for (std::size_t i = 0; i < image.dwords.size(); ++i) {
      if (image.dwords[i] != clean.dwords[i]) ++count;
    }
  }
  return count;
}

cases::Case WorkingCase::without_unread(std::span<const Slot> slots) const {
  cases::Case made = case_;
  for (const Slot slot : slots) {
    if (!is_there(case_, slot)) continue;
    RegisterImage& image = made.*kImages[slot];
    image = elements_only(layout(slot), codes_[slot], image.registers);
  }
  return made;
}

std::uint64_t complexity_at(const WorkingCase& c, Place at) {
  const std::uint64_t code = c.codes(at.slot)[at.index];
  return at.slot < kSlotScaleA ? complexity(c.format(at.slot), code) : scale_complexity(code);
}

std::vector<std::uint64_t> simpler_at(const WorkingCase& c, Place at) {
  const std::uint64_t code = c.codes(at.slot)[at.index];
  return at.slot < kSlotScaleA ? simpler_codes(c.format(at.slot), code) : simpler_scales(code);
}

}  // namespace mfma::reduction::detail
