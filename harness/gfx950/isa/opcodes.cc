#include "harness/gfx950/isa/opcodes.h"

#include <vector>

namespace mfma::gfx950 {
namespace {

constexpr std::size_t kEncodings = static_cast<std::size_t>(Encoding::kDs) + 1;
constexpr std::size_t kNumbers = 1024;  // VOP3 has ten opcode bits, the others fewer

struct Index {
  std::vector<Opcode> all;
  std::vector<std::array<std::int16_t, kNumbers>> by_number;

  Index() : by_number(kEncodings) {
    for (auto& numbers : by_number) numbers.fill(-1);
    add(Encoding::kSop2, sop2_rows());
    add(Encoding::kSop1, sop1_rows());
    add(Encoding::kSopc, sopc_rows());
    add(Encoding::kSopk, sopk_rows());
    add(Encoding::kSopp, sopp_rows());
    add(Encoding::kSmem, smem_rows());
    add(Encoding::kVop1, vop1_rows());
    add(Encoding::kVop2, vop2_rows());
    add(Encoding::kVopc, vopc_rows());
    add(Encoding::kVop3, vop3_rows());
    add(Encoding::kVop3p, vop3p_rows());
    add(Encoding::kMai, mai_rows());
    add(Encoding::kFlat, flat_rows());
    add(Encoding::kGlobal, global_rows());
    add(Encoding::kScratch, scratch_rows());
    add(Encoding::kDs, ds_rows());
  }

  void add(Encoding encoding, std::span<const OpcodeRow> rows) {
    auto& numbers = by_number[static_cast<std::size_t>(encoding)];
    for (const OpcodeRow& row : rows) {
      numbers[row.number] = static_cast<std::int16_t>(all.size());
      all.push_back({encoding, &row});
    }
  }
};

const Index& index() {
  static const Index instance;
  return instance;
}

}  // namespace

std::span<const Opcode> opcodes() { return index().all; }

int find_opcode(Encoding encoding, unsigned number) {
  if (number >= kNumbers) return -1;
  return index().by_number[static_cast<std::size_t>(encoding)][number];
}

}  // namespace mfma::gfx950
