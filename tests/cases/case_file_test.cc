// Case files: what is written is read back the same, and what is not a case file is refused with its place.
#include "harness/cases/case_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/operands/operands.h"

namespace mfma::cases {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

const std::vector<catalogue::Instance>& instances() {
  static const std::vector<catalogue::Instance> all = catalogue::all_legal_instances();
  return all;
}

// A fixed seed for RapidCheck, whatever the environment says.
const int kSeeded = setenv("RC_PARAMS", "seed=20260101 max_success=150", 1);

rc::Gen<std::string> text() { return rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::arbitrary<char>())); }

rc::Gen<std::vector<std::uint64_t>> codes_of_d(const catalogue::Instance& instance) {
  const catalogue::Layout& layout = catalogue::shared_layout(instance, catalogue::Operand::kD);
  const std::uint64_t mask =
      layout.element_bits() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << layout.element_bits()) - 1;
  return rc::gen::container<std::vector<std::uint64_t>>(
      layout.locations().size(),
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [mask](std::uint64_t bits) { return bits & mask; }));
}

CaseFile drawn() {
  CaseFile file;
  const catalogue::Instance& instance = instances()[*rc::gen::inRange<std::size_t>(0, instances().size())];
  file.c = operands::make_case(instance, *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>());
  if (*rc::gen::arbitrary<bool>()) {
    file.comments = {*text(), ""};
    file.compiler = *text();
    file.compiler_version = *text();
    file.compiler_hash = "0123456789abcdef";
    file.level = *rc::gen::element<std::string>("O0", "O1", "O2", "O3", "Os", "Oz");
    file.flags = {*text(), *text()};
    file.device = *text();
    file.profile = *text();
    file.profile_source = *text();
    file.profile_digest = *text();
    file.device_profile = *text();
    file.device_profile_source = *text();
    file.cbsz_reading = *rc::gen::element<std::string>("per-set", "whole-wave");
    file.label = ReplayLabel{*rc::gen::inRange<std::uint64_t>(0, 6), 5};
    if (file.label->failed > 5) file.label->failed = 5;
    file.expected = *codes_of_d(instance);
    file.actual = *codes_of_d(instance);
  }
  return file;
}

TEST(CaseFile, WhatIsWrittenIsReadBackTheSame) {
  ASSERT_EQ(kSeeded, 0);
  EXPECT_TRUE(rc::check([] {
    const CaseFile file = drawn();
    const std::string written = to_text(file);
    const auto read = parse_case_file(written, "F");
    if (!read) RC_FAIL(read.error());
    RC_ASSERT(*read == file);
    RC_ASSERT(to_text(*read) == written);
    RC_ASSERT(written.size() < kLargestCaseFile / 10);
  }));
}

// Every layout, unread bits included: f8f6f4 has registers that narrow formats leave alone.
TEST(CaseFile, EveryBuiltinGoesThrough) {
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    const auto legal = catalogue::legal_instances(builtin);
    for (const std::size_t rank : {std::size_t{0}, legal.size() / 2, legal.size() - 1}) {
      for (std::uint64_t index = 0; index < 3; ++index) {
        CaseFile file;
        file.c = operands::make_case(legal[rank], 7, index);
        const auto read = parse_case_file(to_text(file), "F");
        ASSERT_TRUE(read) << read.error();
        EXPECT_EQ(*read, file) << catalogue::instance_id(legal[rank]);
      }
    }
  }
}

// One byte changed, or the rest cut away: refused in one line with its place, or still a case that goes through.
TEST(CaseFile, DamagedFilesAreRefusedInOneLine) {
  std::size_t refused = 0;
  EXPECT_TRUE(rc::check([&refused] {
    std::string written = to_text(drawn());
    const auto at = *rc::gen::inRange<std::size_t>(0, written.size());
    if (*rc::gen::arbitrary<bool>()) {
      written.resize(at);
    } else {
      written[at] = *rc::gen::arbitrary<char>();
    }
    const auto read = parse_case_file(written, "F");
    if (read) {
      const auto again = parse_case_file(to_text(*read), "F");
      RC_ASSERT(again.has_value());
      RC_ASSERT(*again == *read);
    } else {
      ++refused;
      RC_ASSERT(read.error().starts_with("F:"));
      RC_ASSERT(read.error().find('\n') == std::string::npos);
    }
  }));
  EXPECT_GT(refused, 50u);
}

const std::string kSmall = R"(mfma-conform case 1
# what it is for
instance: mfma_f32_4x4x1f32
seed: 1
index: 2
level: O2
failed: 3 of 5

A: 16 blocks of 4x1 f32
0,1: 3f800000

B: 16 blocks of 1x4 f32
0,0: 3f800000*2 0*2

C: 16 blocks of 4x4 f32

expected-D: 16 blocks of 4x4 f32
0,1: 3f800000*2 0*2

end
)";

TEST(CaseFile, APersonCanWriteOne) {
  const auto read = parse_case_file(kSmall, "F");
  ASSERT_TRUE(read) << read.error();
  EXPECT_THAT(read->comments, ::testing::ElementsAre("what it is for"));
  EXPECT_EQ(read->c.a.at(1, 0), 0x3f800000u);
  EXPECT_EQ(read->c.a.at(0, 0), 0u);
  EXPECT_EQ(read->c.b.at(1, 0), 0x3f800000u);
  EXPECT_EQ(read->c.b.at(2, 0), 0u);
  EXPECT_EQ(word_of(*read->label), "intermittent");
  EXPECT_EQ(read->expected->at(5), 0x3f800000u);
  EXPECT_FALSE(read->actual);
  // Line ends of another system, and blanks, do not matter.
  std::string other;
  for (const char c : kSmall) other += c == '\n' ? std::string(" \r\n") : std::string(1, c);
  const auto same = parse_case_file(other, "F");
  ASSERT_TRUE(same) << same.error();
  EXPECT_EQ(*same, *read);
}

TEST(CaseFile, ScalesLeftOutAreOne) {
  const auto read = parse_case_file(
      "mfma-conform case 1\ninstance: mfma_scale_f32_16x16x128_f8f6f4:a=fp4,b=fp4,op_sel=1/2\n"
      "A: 16x128 fp4_e2m1\nB: 128x16 fp4_e2m1\nC: 16x16 f32\nscale-A: 16x4 e8m0\nscale-B: 4x16 e8m0\n3: 80*16\n"
      "unread A: 8 registers\n0: 0 0 0 0 0 0 0 dead\nend\n",
      "F");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->c.scale_a.at(5, 0), 0x7f00u);
  EXPECT_EQ(read->c.scale_b.at(48, 0), 0x800000u);
  EXPECT_EQ(read->c.a.at(0, 7), 0xdeadu);
}

struct Edit {
  const char* from;
  const char* to;
  const char* error;  // a regular expression
};

class Edited : public ::testing::TestWithParam<Edit> {};

TEST_P(Edited, IsRefusedWithItsPlace) {
  std::string edited = kSmall;
  const std::size_t at = edited.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << GetParam().from;
  edited.replace(at, std::string(GetParam().from).size(), GetParam().to);
  const auto read = parse_case_file(edited, "dir/x.case");
  ASSERT_FALSE(read) << GetParam().to;
  EXPECT_THAT(read.error(), MatchesRegex(std::string("dir/x.case:") + GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Nonsense, Edited,
    ::testing::Values(Edit{"case 1", "case 2", "1: version 2 is not known; this program reads version 1: .*"},
                      Edit{"mfma-conform case 1", "PK",
                           "1: not a case file: the first line must be 'mfma-conform case 1'"},
                      Edit{"4x4x1f32", "5x5x5f32", "3: .*mfma_f32_5x5x5f32.*"},
                      Edit{"instance: mfma_f32_4x4x1f32", "instance: mfma_f32_4x4x1f32:cbsz=9", "3: .*cbsz.*"},
                      Edit{"instance: mfma_f32_4x4x1f32", "instance: mfma_f32_32x32x1f32",
                           "9: A of .* is '2 blocks of 32x1 f32', not .*"},
                      Edit{"instance: mfma_f32_4x4x1f32\n", "", "8: A stands before the instance.*"},
                      Edit{"seed: 1", "seed: -1", "4: seed '-1' is not a number from 0 to 2.64 - 1"},
                      Edit{"seed: 1", "seed: 18446744073709551616", "4: seed .*"},
                      Edit{"index: 2", "seed: 2", "5: 'seed' is there twice.*"},
                      Edit{"index: 2", "colour: red", "5: the key 'colour' is not known.*"},
                      Edit{"level: O2", "level: O7", "6: level 'O7' is not one of .*"},
                      Edit{"level: O2", "level:", "6: level is empty.*"},
                      Edit{"level: O2", "cbsz-reading: both", "6: cbsz-reading 'both' is neither .*"},
                      Edit{"level: O2", "compiler: a\\q", "6: compiler: a .*"},
                      Edit{"3 of 5", "6 of 5", "7: failed '6 of 5' is not of the form .*"},
                      Edit{"3 of 5", "0 of 0", "7: failed .*"},
                      Edit{"0,1: 3f800000", "0,4: 3f800000",
                           "10: '0,4' is not a row of A: want BLOCK,ROW with blocks from 0 to 15 and rows from 0 to 3"},
                      Edit{"0,1: 3f800000", "99999999999999999999,1: 0", "10: .* is not a row of A.*"},
                      Edit{"0,1: 3f800000", "1: 3f800000", "10: '1' is not a row of A.*"},
                      Edit{"0,1: 3f800000", "0,1: 3f8000001", "10: '3f8000001' is not a code of 32 bits in hex"},
                      Edit{"0,1: 3f800000", "0,1: one", "10: 'one' is not a code of 32 bits in hex"},
                      Edit{"0,1: 3f800000", "0,1: 1 2", "10: row 0,1 of A has too many codes, want 1"},
                      Edit{"0,1: 3f800000", "0,1: 1\n0,1: 1", "11: row 0,1 of A is there twice.*"},
                      Edit{" 0*2", " 0", "13: row 0,0 of B has 3 codes, want 4"},
                      Edit{" 0*2", " 0*99999999999", "13: '0.99999999999': want CODE.N with N from 1 to 4"},
                      Edit{" 0*2", " 0*0", "13: '0.0'.*"},
                      Edit{"C: 16 blocks of 4x4 f32", "C: 4x4 f32",
                           "15: C of mfma_f32_4x4x1f32 is '16 blocks of 4x4 f32', not '4x4 f32'.*"},
                      Edit{"C: 16 blocks of 4x4 f32\n", "", "19: there is no 'C:', .*"},
                      Edit{"expected-D", "scale-A", "17: mfma_f32_4x4x1f32 has no scales.*"},
                      Edit{"expected-D: 16 blocks of 4x4 f32", "unread A: 1 registers", "18: '0,1' is not a lane.*"},
                      Edit{"end\n", "", "19: the file stops without the line 'end': it was cut short"},
                      Edit{"end\n", "end\nlevel: O2\n", "21: 'level: O2' stands after the end.*"},
                      Edit{"level: O2", "just words", "6: 'just words' is not of the form .*"},
                      Edit{"level: O2", "7: 0", "6: row '7' belongs to no matrix.*"}));

TEST(CaseFile, UnreadBitsCannotReachElements) {
  const auto read = parse_case_file(
      "mfma-conform case 1\ninstance: mfma_f32_4x4x1f32\nA: 16 blocks of 4x1 f32\nB: 16 blocks of 1x4 f32\n"
      "C: 16 blocks of 4x4 f32\nunread A: 1 registers\n5: 1\nend\n",
      "F");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "F:7: bits 00000001 of register 0 are of elements: set them in A");
}

TEST(CaseFile, SizesAreBounded) {
  const auto large = parse_case_file(std::string(kLargestCaseFile + 1, '\n'), "F");
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error(), HasSubstr("larger than"));
  std::string flags = kSmall;
  for (int i = 0; i < 101; ++i) flags.insert(flags.find("level:"), "flag: -x\n");
  EXPECT_FALSE(parse_case_file(flags, "F"));
}

TEST(CaseFile, TheExampleOfTheDocumentationIsOne) {
  std::ifstream in(std::filesystem::path(MFMA_SOURCE_DIR) / "docs/case-file.md");
  std::string example;
  bool ended = false;
  for (std::string line; !ended && std::getline(in, line);) {
    const bool begins = line == "    mfma-conform case 1";
    if (example.empty() && !begins) continue;
    example += (line.empty() ? line : line.substr(4)) + "\n";
    ended = line == "    end";
  }
  const auto read = parse_case_file(example, "docs/case-file.md");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(word_of(*read->label), "deterministic");
  EXPECT_TRUE(read->expected);
}

TEST(CaseFile, FilesAreWrittenWholeAndReadBack) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mfma_case_file_{}", getpid());
  CaseFile file;
  file.c = operands::make_case(instances()[0], 1, 1);
  ASSERT_TRUE(save_case_file(file, folder / "below" / "x.case"));
  const auto read = load_case_file(folder / "below" / "x.case");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, file);
  EXPECT_FALSE(load_case_file(folder));
  const auto none = load_case_file(folder / "none.case");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), Not(HasSubstr("\n")));
  std::ofstream(folder / "zeros") << std::string(2'000'000, '\0');
  EXPECT_FALSE(load_case_file(folder / "zeros"));
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(save_case_file(file, "/proc/no/such/x.case"));
}

}  // namespace
}  // namespace mfma::cases
