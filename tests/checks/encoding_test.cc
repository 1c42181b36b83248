// One instruction against its instance: what differs is said with its code.
#include "harness/checks/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/gfx950/isa/decoder.h"

namespace mfma::checks {
namespace {

// v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]; fields as in CDNA4 ISA 13.3.6.1.
struct Fields {
  std::uint32_t d = 0, cbsz = 0, abid = 0, acc_cd = 0, opcode = 77, a = 256 + 4, b = 256 + 6, c = 256, acc = 0,
                blgp = 0;
};

gfx950::Instruction product(const Fields& f) {
  const std::vector<std::uint32_t> words = {
      0b110100111U << 23 | f.opcode << 16 | f.acc_cd << 15 | f.abid << 11 | f.cbsz << 8 | f.d,
      f.blgp << 29 | f.acc << 27 | f.c << 18 | f.b << 9 | f.a};
  return gfx950::decode(words, 0);
}

std::vector<Code> codes(const Fields& f, const std::string& instance = "mfma_f32_16x16x16f16") {
  std::vector<Code> found;
  for (const Violation& v : encoding_violations(product(f), *catalogue::parse_instance(instance)))
    found.push_back(v.code);
  return found;
}

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Encoding, TheRightOneIsAccepted) {
  EXPECT_THAT(codes({}), IsEmpty());
  EXPECT_THAT(codes({.blgp = 5}, "mfma_f32_16x16x16f16:blgp=5"), IsEmpty());
  EXPECT_THAT(codes({.acc_cd = 1, .acc = 3}), IsEmpty()) << "all operands in accumulators";
  EXPECT_THAT(codes({.c = 128}), IsEmpty()) << "an inline constant as C";
}

TEST(Encoding, EachDifferenceHasItsCode) {
  EXPECT_THAT(codes({.opcode = 97}), ElementsAre(Code::kEncodingOpcode));
  EXPECT_THAT(codes({.cbsz = 1}), ElementsAre(Code::kEncodingImmediate));
  EXPECT_THAT(codes({.abid = 1}), ElementsAre(Code::kEncodingImmediate));
  EXPECT_THAT(codes({.blgp = 1}), ElementsAre(Code::kEncodingImmediate));
  EXPECT_THAT(codes({.a = 256 + 5}), ElementsAre(Code::kEncodingRegisterAlignment));
  EXPECT_THAT(codes({.d = 3}), ElementsAre(Code::kEncodingRegisterAlignment));
  EXPECT_THAT(codes({.c = 256 + 254}), ElementsAre(Code::kEncodingRegisterWidth));
}

TEST(Encoding, TheScaledFormIsToldFromTheUnscaled) {
  EXPECT_THAT(codes({.opcode = 45}, "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp8,op_sel=0/0"),
              Contains(Code::kEncodingScaleForm));
  EXPECT_THAT(
      codes({.opcode = 45, .a = 256 + 8, .b = 256 + 16}, "mfma_scale_f32_16x16x128_f8f6f4:a=fp8,b=fp8,unscaled"),
      IsEmpty());
}

}  // namespace
}  // namespace mfma::checks
