// Vector memory and LDS instructions, one at a time. CDNA4 ISA manual, chapters 10, 11, 12.12 and 12.15.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/gfx950/semantics_support.h"

namespace mfma::gfx950::test {
namespace {

using U = std::uint32_t;

// s[4:5] points at the inputs, 32 bytes per lane: v1 is lane * 32, v4..v11 are the lane's dwords.
constexpr const char* kFlatAddress =
    "v_lshl_add_u64 v[2:3], s[4:5], 0, 0\nv_add_co_u32 v2, vcc, v2, v1\n"
    "v_addc_co_u32 v3, vcc, 0, v3, vcc\n";
constexpr const char* kWait = "\ns_waitcnt vmcnt(0) lgkmcnt(0)";

std::uint8_t byte_of(const Inputs& in, unsigned offset) {
  return static_cast<std::uint8_t>(in.v[offset / 4] >> (offset % 4 * 8));
}
U sign8(std::uint8_t value) { return static_cast<U>(static_cast<std::int8_t>(value)); }
std::uint16_t short_of(const Inputs& in, unsigned offset) {
  return static_cast<std::uint16_t>(byte_of(in, offset) | byte_of(in, offset + 1) << 8);
}

TEST(VectorMemory, Loads) {
  std::vector<Case> cases;
  // Each through SGPR base and VGPR offset, through a VGPR address, and as FLAT.
  const auto add = [&](const char* name, const char* destination, unsigned offset,
                       void (*op)(const Inputs&, Outputs&)) {
    const std::string at = " offset:" + std::to_string(offset);
    cases.push_back(
        vector_case(std::string("global_load_") + name + " " + destination + ", v1, s[4:5]" + at + kWait, op));
    cases.push_back(vector_case(
        kFlatAddress + std::string("global_load_") + name + " " + destination + ", v[2:3], off" + at + kWait, op));
    cases.push_back(
        vector_case(kFlatAddress + std::string("flat_load_") + name + " " + destination + ", v[2:3]" + at + kWait, op));
  };
  add("dword", "v12", 4, [](const Inputs& in, Outputs& out) { out.v[0] = in.v[1]; });
  add("dwordx2", "v[12:13]", 8, [](const Inputs& in, Outputs& out) { out.v = {in.v[2], in.v[3], 0, 0}; });
  add("dwordx3", "v[12:14]", 4, [](const Inputs& in, Outputs& out) { out.v = {in.v[1], in.v[2], in.v[3], 0}; });
  add("dwordx4", "v[12:15]", 16, [](const Inputs& in, Outputs& out) { out.v = {in.v[4], in.v[5], in.v[6], in.v[7]}; });
  add("ubyte", "v12", 7, [](const Inputs& in, Outputs& out) { out.v[0] = byte_of(in, 7); });
  add("sbyte", "v12", 7, [](const Inputs& in, Outputs& out) { out.v[0] = sign8(byte_of(in, 7)); });
  add("ushort", "v12", 5, [](const Inputs& in, Outputs& out) { out.v[0] = short_of(in, 5); });
  add("sshort", "v12", 6,
      [](const Inputs& in, Outputs& out) { out.v[0] = static_cast<U>(static_cast<std::int16_t>(short_of(in, 6))); });
  // D16 forms keep the other half of the register.
  for (const char* half : {"ubyte_d16", "sbyte_d16_hi", "short_d16", "short_d16_hi"}) {
    const std::string name = half;
    cases.push_back(vector_case("v_mov_b32 v12, v5\nglobal_load_" + name + " v12, v1, s[4:5] offset:3" + kWait,
                                [name](const Inputs& in, Outputs& out) {
                                  const U small = name.starts_with("ubyte")   ? byte_of(in, 3)
                                                  : name.starts_with("sbyte") ? sign8(byte_of(in, 3)) & 0xffff
                                                                              : short_of(in, 3);
                                  out.v[0] = name.ends_with("hi") ? (in.v[1] & 0xffff) | small << 16
                                                                  : (in.v[1] & 0xffff0000) | small;
                                }));
  }
  // Negative offsets, AccVGPR data, and an address register that the result overwrites.
  cases.push_back(vector_case("v_add_u32 v2, 32, v1\nglobal_load_dword v12, v2, s[4:5] offset:-28" + std::string(kWait),
                              [](const Inputs& in, Outputs& out) { out.v[0] = in.v[1]; }));
  cases.push_back(
      vector_case("global_load_dwordx2 a[6:7], v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_accvgpr_read_b32 v12, a6\n"
                  "v_accvgpr_read_b32 v13, a7",
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[1], 0, 0};
                  }));
  cases.push_back(
      vector_case(kFlatAddress + std::string("flat_load_dwordx2 v[2:3], v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                             "v_mov_b32 v12, v2\nv_mov_b32 v13, v3"),
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[1], 0, 0};
                  }));
  check_cases(cases);
}

TEST(VectorMemory, Stores) {
  std::vector<Case> cases;
  // Into the lane's own inputs and back: what else is there must stay.
  const auto add = [&](const char* name, const char* source, unsigned offset,
                       std::vector<std::uint8_t> (*bytes)(const Inputs&)) {
    for (const char* form : {"global_store_", "flat_store_"}) {
      const bool flat = form[0] == 'f';
      const std::string address = std::string(" v[2:3], ") + source + (flat ? "" : ", off");
      cases.push_back(vector_case(kFlatAddress + std::string(form) + name + address +
                                      " offset:" + std::to_string(offset) + kWait +
                                      "\nglobal_load_dwordx4 v[12:15], v[2:3], off" + kWait,
                                  [offset, bytes](const Inputs& in, Outputs& out) {
                                    std::array<std::uint8_t, 16> memory;
                                    std::memcpy(memory.data(), in.v.data(), memory.size());
                                    const auto data = bytes(in);
                                    std::copy(data.begin(), data.end(), memory.begin() + offset);
                                    std::memcpy(out.v.data(), memory.data(), memory.size());
                                  }));
    }
  };
  const auto dwords = [](const Inputs& in, unsigned first, unsigned count) {
    std::vector<std::uint8_t> bytes(count * 4);
    std::memcpy(bytes.data(), &in.v[first], bytes.size());
    return bytes;
  };
  static const auto get = dwords;
  add("byte", "v8", 5, [](const Inputs& in) { return std::vector{byte_of(in, 16)}; });
  add("byte_d16_hi", "v8", 5, [](const Inputs& in) { return std::vector{byte_of(in, 18)}; });
  add("short", "v8", 3, [](const Inputs& in) { return std::vector{byte_of(in, 16), byte_of(in, 17)}; });
  add("short_d16_hi", "v8", 2, [](const Inputs& in) { return std::vector{byte_of(in, 18), byte_of(in, 19)}; });
  add("dword", "v8", 4, [](const Inputs& in) { return get(in, 4, 1); });
  add("dwordx2", "v[8:9]", 8, [](const Inputs& in) { return get(in, 4, 2); });
  add("dwordx3", "v[8:10]", 0, [](const Inputs& in) { return get(in, 4, 3); });
  add("dwordx4", "v[8:11]", 0, [](const Inputs& in) { return get(in, 4, 4); });
  check_cases(cases);
}

// Private memory: by scratch_* with each way to make an address, by FLAT through the aperture, uniform and per lane.
TEST(VectorMemory, Scratch) {
  constexpr const char* kAperture = "s_mov_b64 s[10:11], src_private_base\nv_mov_b32 v3, s11\n";
  const auto echo = [](const Inputs& in, Outputs& out) { out.v = {in.v[0], in.v[1], in.v[2], in.v[3]}; };
  check_cases({
      vector_case("scratch_store_dwordx4 off, v[4:7], off offset:32\ns_mov_b32 s10, 16\n"
                  "scratch_load_dwordx4 v[12:15], off, s10 offset:16" +
                      std::string(kWait),
                  echo),
      vector_case(
          "v_mov_b32 v2, 40\nscratch_store_dwordx3 v2, v[4:6], off offset:8\ns_mov_b32 s10, 24\nv_mov_b32 v3, 28\n"
          "scratch_load_dwordx3 v[12:14], v3, s10 offset:-4" +
              std::string(kWait),
          [](const Inputs& in, Outputs& out) {
            out.v = {in.v[0], in.v[1], in.v[2], 0};
          }),
      vector_case(std::string(kAperture) +
                      "v_mov_b32 v2, 64\nflat_store_dwordx4 v[2:3], v[4:7]\n"
                      "scratch_load_dwordx4 v[12:15], off, off offset:64" +
                      kWait,
                  echo),
      // Another offset in each lane.
      vector_case(std::string(kAperture) +
                      "v_and_b32 v2, 15, v0\nv_lshlrev_b32 v2, 2, v2\nflat_store_dwordx2 v[2:3], v[4:5]\n"
                      "flat_load_dwordx2 v[12:13], v[2:3]" +
                      kWait,
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[1], 0, 0};
                  }),
      // Bytes at odd offsets land in the dwords that hold them.
      vector_case("scratch_store_dwordx2 off, v[4:5], off\nscratch_store_short off, v6, off offset:3\n"
                  "scratch_load_dwordx2 v[12:13], off, off\nscratch_load_sbyte v14, off, off offset:4" +
                      std::string(kWait),
                  [](const Inputs& in, Outputs& out) {
                    out.v[0] = (in.v[0] & 0x00ffffff) | in.v[2] << 24;
                    out.v[1] = (in.v[1] & 0xffffff00) | (in.v[2] >> 8 & 0xff);
                    out.v[2] = sign8(static_cast<std::uint8_t>(in.v[2] >> 8));
                  }),
      vector_case("v_accvgpr_write_b32 a5, v4\nscratch_store_dword off, a5, off offset:4\nscratch_load_dword a6, off, "
                  "off offset:4" +
                      std::string(kWait) + "\nv_accvgpr_read_b32 v12, a6",
                  [](const Inputs& in, Outputs& out) { out.v[0] = in.v[0]; }),
  });
}

TEST(Lds, ReadsAndWrites) {
  // v2 = lane * 16, each lane's own place in LDS.
  constexpr const char* kPlace = "v_lshlrev_b32 v2, 4, v0\n";
  const auto echo = [](const Inputs& in, Outputs& out) { out.v = {in.v[0], in.v[1], in.v[2], in.v[3]}; };
  check_cases({
      vector_case(std::string(kPlace) + "ds_write_b128 v2, v[4:7]\nds_read_b128 v[12:15], v2" + kWait, echo),
      vector_case(std::string(kPlace) + "ds_write_b96 v2, v[4:6] offset:4\nds_read_b96 v[12:14], v2 offset:4" + kWait,
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[1], in.v[2], 0};
                  }),
      vector_case(
          std::string(kPlace) +
              "ds_write_b64 v2, v[4:5]\nds_write_b32 v2, v6 offset:8\nds_read2_b32 v[12:13], v2 offset0:2 offset1:1" +
              kWait,
          [](const Inputs& in, Outputs& out) {
            out.v = {in.v[2], in.v[1], 0, 0};
          }),
      vector_case(std::string(kPlace) +
                      "ds_write2_b64 v2, v[4:5], v[6:7] offset0:1 offset1:0\nds_read_b128 v[12:15], v2" + kWait,
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[2], in.v[3], in.v[0], in.v[1]};
                  }),
      // The next lane's data: LDS is shared by the lanes.
      Case{"v_lshlrev_b32 v2, 2, v0\nds_write_b32 v2, v4\nv_add_u32 v3, 4, v2\nv_and_b32 v3, 0xff, v3\nds_read_b32 "
           "v12, v3" +
               std::string(kWait),
           [](const Lanes& in, std::array<Outputs, 64>& out) {
             for (unsigned lane = 0; lane < 64; ++lane) out[lane].v[0] = in[(lane + 1) % 64].v[0];
           }},
      vector_case(
          "v_lshlrev_b32 v2, 2, v0\nds_write2st64_b32 v2, v4, v5 offset0:0 offset1:2\nds_read_b32 v12, v2 offset:512\n"
          "ds_read2st64_b32 v[14:15], v2 offset0:2 offset1:0" +
              std::string(kWait),
          [](const Inputs& in, Outputs& out) {
            out.v = {in.v[1], 0, in.v[1], in.v[0]};
          }),
      vector_case(
          std::string(kPlace) +
              "ds_write_b32 v2, v4\nds_write_b8 v2, v5 offset:1\nds_write_b16 v2, v6 offset:2\nds_read_b32 v12, v2\n"
              "ds_read_i8 v13, v2 offset:1\nds_read_u16 v14, v2 offset:2" +
              kWait,
          [](const Inputs& in, Outputs& out) {
            out.v[0] = (in.v[0] & 0xff) | (in.v[1] & 0xff) << 8 | in.v[2] << 16;
            out.v[1] = sign8(static_cast<std::uint8_t>(in.v[1]));
            out.v[2] = in.v[2] & 0xffff;
          }),
      vector_case(std::string("s_mov_b64 s[10:11], src_shared_base\nv_mov_b32 v3, s11\n") + kPlace +
                      "ds_write_b64 v2, v[4:5]\nflat_load_dwordx2 v[12:13], v[2:3]" + kWait,
                  [](const Inputs& in, Outputs& out) {
                    out.v = {in.v[0], in.v[1], 0, 0};
                  }),
  });
}

}  // namespace
}  // namespace mfma::gfx950::test
