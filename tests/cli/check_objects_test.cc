// `check-compiler --object`: exit codes and lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/program.h"

namespace mfma::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// An assembled and linked kernel `k` around `body`; the name of the file.
std::string object_with(const std::string& name, const std::string& body) {
  const std::filesystem::path source = scratch() / (name + ".s"), object = scratch() / (name + ".o");
  std::ofstream(source) << ".amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"\n.text\n.globl k\n.p2align 8\n"
                           ".type k,@function\nk:\n"
                        << body
                        << "  s_endpgm\n.Lend:\n.size k, .Lend-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n"
                           "  .amdhsa_next_free_vgpr 128\n  .amdhsa_next_free_sgpr 96\n"
                           "  .amdhsa_accum_offset 128\n.end_amdhsa_kernel\n";
  const char* chosen = std::getenv("MFMA_CLANG");
  const std::string command = std::string(chosen != nullptr ? chosen : "clang-22") +
                              " -x assembler --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nostdlib " + source.string() +
                              " -o " + object.string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return object.string();
}

const std::string kProduct = "  v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[72:73], v[0:3]\n";

TEST(CheckObjects, CleanObject) {
  const Ran ran =
      program("check-compiler --object " + object_with("clean", kProduct + "  s_nop 7\n  v_mov_b32 v9, v0\n"));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("1 kernel, 0 functions, 4 instructions: 0 errors, 0 warnings, 0 places not seen\n"),
                    HasSubstr("PASS (exit 0)"), Not(HasSubstr("kernel k"))));
  EXPECT_THAT(ran.err, IsEmpty());
  const Ran verbose = program("check-compiler -v --object " + (scratch() / "clean.o").string());
  EXPECT_THAT(verbose.out, HasSubstr("kernel k at 0x"));
}

TEST(CheckObjects, MissingWaitState) {
  const std::string file = object_with("short", kProduct + "  s_nop 6\n  v_mov_b32 v9, v0\n");
  const Ran ran = program("check-compiler --object " + file);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("1 error, 0 warnings"), HasSubstr("error W-XDL-VALU-READ-4"),
                             HasSubstr("comes 7 wait states after"), HasSubstr("FAIL (exit 1)")));
}

TEST(CheckObjects, AWarningIsNamedAndDoesNotFail) {
  const std::string file =
      object_with("warning", "  v_cmp_eq_u32_e32 vcc, v0, v1\n  v_cndmask_b32_e32 v2, v3, v4, vcc\n");
  const Ran ran = program("check-compiler --object " + file);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("0 errors, 1 warning"), HasSubstr("warning W-SGPR-MASK"),
                             HasSubstr("Table 11 asks for 0")));
}

TEST(CheckObjects, WhatIsNotSeenIsNotClean) {
  const std::string file = object_with("call", "  s_setpc_b64 s[4:5]\n");
  const Ran ran = program("check-compiler --object " + file);
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("not seen beyond 0x"), HasSubstr("s_setpc_b64 s[4:5]: an indirect jump or return"),
                    HasSubstr("NO VERDICT (exit 2)")));
  // An error wins.
  const std::string wrong = object_with("wrong", kProduct + "  v_mov_b32 v9, v0\n");
  EXPECT_EQ(program("check-compiler --object " + file + " --object " + wrong).exit_code, 1);
}

TEST(CheckObjects, BadInput) {
  EXPECT_EQ(program("check-compiler --object x --json y").exit_code, 64) << "--json is of the other check";
  EXPECT_EQ(program("check-compiler --no-such-option").exit_code, 64);
  const Ran missing = program("check-compiler --object /no/such/file");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--object /no/such/file: cannot be read"));
  const Ran directory = program("check-compiler --object /");
  EXPECT_EQ(directory.exit_code, 2);
  std::ofstream(scratch() / "text.o") << "not an object";
  const Ran text = program("check-compiler --object " + (scratch() / "text.o").string());
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, HasSubstr("text.o: code object:"));
  EXPECT_THAT(program("check-compiler --help").out, AllOf(HasSubstr("--object"), HasSubstr("Exit codes")));
}

}  // namespace
}  // namespace mfma::cli::testing
