// Opcode tables: FLAT, GLOBAL, SCRATCH and DS. CDNA4 ISA manual, tables 96 and 101 to 104.
#include <deque>
#include <string>
#include <vector>

#include "harness/gfx950/isa/opcodes.h"

namespace mfma::gfx950 {
namespace {

// The three FLAT segments share numbers and names but for the prefix. Atomics and transfers to LDS are left out.
struct FlatRow {
  std::uint16_t number;
  const char* name;
  Signature signature;
};

constexpr FlatRow kFlat[] = {
    {16, "load_ubyte", "D32 P64 S64"},     {17, "load_sbyte", "D32 P64 S64"},
    {18, "load_ushort", "D32 P64 S64"},    {19, "load_sshort", "D32 P64 S64"},
    {20, "load_dword", "D32 P64 S64"},     {21, "load_dwordx2", "D64 P64 S64"},
    {22, "load_dwordx3", "D96 P64 S64"},   {23, "load_dwordx4", "D128 P64 S64"},
    {24, "store_byte", "P64 E32 S64"},     {25, "store_byte_d16_hi", "P64 E32 S64"},
    {26, "store_short", "P64 E32 S64"},    {27, "store_short_d16_hi", "P64 E32 S64"},
    {28, "store_dword", "P64 E32 S64"},    {29, "store_dwordx2", "P64 E64 S64"},
    {30, "store_dwordx3", "P64 E96 S64"},  {31, "store_dwordx4", "P64 E128 S64"},
    {32, "load_ubyte_d16", "D32 P64 S64"}, {33, "load_ubyte_d16_hi", "D32 P64 S64"},
    {34, "load_sbyte_d16", "D32 P64 S64"}, {35, "load_sbyte_d16_hi", "D32 P64 S64"},
    {36, "load_short_d16", "D32 P64 S64"}, {37, "load_short_d16_hi", "D32 P64 S64"},
};

constexpr OpcodeRow kDs[] = {
    {13, "ds_write_b32", "P32 E32"},
    {14, "ds_write2_b32", "P32 E32 F32"},
    {15, "ds_write2st64_b32", "P32 E32 F32"},
    {20, "ds_nop", ""},
    {30, "ds_write_b8", "P32 E32"},
    {31, "ds_write_b16", "P32 E32"},
    {54, "ds_read_b32", "D32 P32"},
    {55, "ds_read2_b32", "D64 P32"},
    {56, "ds_read2st64_b32", "D64 P32"},
    {57, "ds_read_i8", "D32 P32"},
    {58, "ds_read_u8", "D32 P32"},
    {59, "ds_read_i16", "D32 P32"},
    {60, "ds_read_u16", "D32 P32"},
    {62, "ds_permute_b32", "D32 P32 E32"},
    {63, "ds_bpermute_b32", "D32 P32 E32"},
    {77, "ds_write_b64", "P32 E64"},
    {78, "ds_write2_b64", "P32 E64 F64"},
    {79, "ds_write2st64_b64", "P32 E64 F64"},
    {84, "ds_write_b8_d16_hi", "P32 E32"},
    {85, "ds_write_b16_d16_hi", "P32 E32"},
    {86, "ds_read_u8_d16", "D32 P32"},
    {87, "ds_read_u8_d16_hi", "D32 P32"},
    {88, "ds_read_i8_d16", "D32 P32"},
    {89, "ds_read_i8_d16_hi", "D32 P32"},
    {90, "ds_read_u16_d16", "D32 P32"},
    {91, "ds_read_u16_d16_hi", "D32 P32"},
    {118, "ds_read_b64", "D64 P32"},
    {119, "ds_read2_b64", "D128 P32"},
    {120, "ds_read2st64_b64", "D128 P32"},
    {222, "ds_write_b96", "P32 E96"},
    {223, "ds_write_b128", "P32 E128"},
    {254, "ds_read_b96", "D96 P32"},
    {255, "ds_read_b128", "D128 P32"},
};

struct SegmentTable {
  std::deque<std::string> names;  // a deque: rows point into it
  std::vector<OpcodeRow> rows;

  explicit SegmentTable(const std::string& prefix) {
    for (const FlatRow& row : kFlat) {
      names.push_back(prefix + row.name);
      rows.push_back({row.number, names.back().c_str(), row.signature});
    }
  }
};

}  // namespace

std::span<const OpcodeRow> flat_rows() {
  static const SegmentTable table("flat_");
  return table.rows;
}

std::span<const OpcodeRow> global_rows() {
  static const SegmentTable table("global_");
  return table.rows;
}

std::span<const OpcodeRow> scratch_rows() {
  static const SegmentTable table("scratch_");
  return table.rows;
}

std::span<const OpcodeRow> ds_rows() { return kDs; }

}  // namespace mfma::gfx950
