// Opcode table of the vector compares, made from the families the manual describes: CDNA4 ISA manual, tables 81 and
// 83. A family has 16 comparisons of floats or 8 of integers; the CMPX form, which also writes EXEC, follows it.
#include <deque>
#include <string>
#include <vector>

#include "harness/gfx950/isa/opcodes.h"

namespace mfma::gfx950 {
namespace {

struct Family {
  unsigned base;  // number of the first V_CMP
  unsigned cmpx;  // distance from V_CMP to V_CMPX
  const char* type;
  bool floats;
  Signature signature;
};

constexpr Family kFamilies[] = {
    {0x20, 0x10, "f16", true, "Y64 A16f B16f"}, {0x40, 0x10, "f32", true, "Y64 A32f B32f"},
    {0x60, 0x10, "f64", true, "Y64 A64f B64f"}, {0xa0, 0x10, "i16", false, "Y64 A16 B16"},
    {0xa8, 0x10, "u16", false, "Y64 A16 B16"},  {0xc0, 0x10, "i32", false, "Y64 A32 B32"},
    {0xc8, 0x10, "u32", false, "Y64 A32 B32"},  {0xe0, 0x10, "i64", false, "Y64 A64i B64i"},
    {0xe8, 0x10, "u64", false, "Y64 A64 B64"},
};

constexpr const char* kFloatOps[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                     "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
constexpr const char* kIntegerOps[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};

constexpr OpcodeRow kClass[] = {
    {16, "v_cmp_class_f32", "Y64 A32f B32"}, {17, "v_cmpx_class_f32", "Y64 A32f B32"},
    {18, "v_cmp_class_f64", "Y64 A64f B32"}, {19, "v_cmpx_class_f64", "Y64 A64f B32"},
    {20, "v_cmp_class_f16", "Y64 A16f B16"}, {21, "v_cmpx_class_f16", "Y64 A16f B16"},
};

struct CompareTable {
  std::deque<std::string> names;  // a deque: rows point into it
  std::vector<OpcodeRow> rows{std::begin(kClass), std::end(kClass)};

  CompareTable() {
    for (const Family& family : kFamilies) {
      const std::span<const char* const> ops =
          family.floats ? std::span<const char* const>(kFloatOps) : std::span<const char* const>(kIntegerOps);
      for (unsigned op = 0; op < ops.size(); ++op) {
        add(family.base + op, std::string("v_cmp_") + ops[op] + "_" + family.type, family.signature);
        add(family.base + family.cmpx + op, std::string("v_cmpx_") + ops[op] + "_" + family.type, family.signature);
      }
    }
  }

  void add(unsigned number, std::string name, const Signature& signature) {
    names.push_back(std::move(name));
    rows.push_back({static_cast<std::uint16_t>(number), names.back().c_str(), signature});
  }
};

}  // namespace

std::span<const OpcodeRow> vopc_rows() {
  static const CompareTable table;
  return table.rows;
}

}  // namespace mfma::gfx950
