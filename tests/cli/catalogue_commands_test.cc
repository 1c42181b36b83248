#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "harness/catalogue/instance.h"
#include "harness/operands/operands.h"
#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using ::testing::HasSubstr;
using testing::program;
using testing::Ran;

TEST(List, HasEveryBuiltinAndTheSum) {
  const Ran ran = program("list");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  for (const catalogue::Builtin& b : catalogue::builtins()) EXPECT_THAT(ran.out, HasSubstr(std::string(b.name) + " "));
  EXPECT_THAT(ran.out, HasSubstr("38 builtins, 2354 legal instances"));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 40) << "a heading, 38 builtins, the sum";
}

TEST(List, OperandClassesHaveALineEach) {
  const Ran ran = program("list --operands");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  for (const operands::OperandClass c : operands::all_operand_classes()) {
    EXPECT_THAT(ran.out, HasSubstr(std::string(operands::name_of(c)) + " "));
    EXPECT_THAT(ran.out, HasSubstr(std::string(operands::describe(c)) + "\n"));
  }
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), operands::kOperandClasses);
}

TEST(List, InstancesAreUniqueAndReadBack) {
  const Ran ran = program("list --instances");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  std::istringstream in(ran.out);
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    const auto parsed = catalogue::parse_instance(line);
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(catalogue::instance_id(*parsed), line);
    seen.insert(line);
  }
  EXPECT_EQ(seen.size(), 2354u);
}

TEST(List, PropertiesHaveStatementScopeAndSource) {
  const Ran ran = program("list --properties");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("permute-rows\n    permuting the rows of A and C permutes the rows of D\n"
                                 "    applies to: all builtins (38 builtins, 2354 instances)\n    source: manual 7.1"));
  EXPECT_THAT(ran.out, HasSubstr("26 properties; "));
  EXPECT_THAT(program("list --properties --builtin mfma_f64_4x4x4f64").out,
              HasSubstr("f64 with blgp (1 builtins, 7 instances)"));
  EXPECT_EQ(program("list --properties --instances").exit_code, 64);
}

TEST(Describe, TellsSignatureLayoutPassesAndArithmeticOfEveryBuiltin) {
  for (const catalogue::Builtin& b : catalogue::builtins()) {
    SCOPED_TRACE(b.name);
    const Ran ran = program("describe " + std::string(b.name));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("__builtin_amdgcn_" + std::string(b.name)));
    EXPECT_THAT(ran.out, HasSubstr(std::string(b.mnemonic)));
    EXPECT_THAT(ran.out, HasSubstr("arithmetic by profile 'gfx950-candidate'"));
    EXPECT_THAT(ran.out, HasSubstr("status candidate: "));
    EXPECT_THAT(ran.out, HasSubstr("lane"));
    EXPECT_THAT(ran.out, HasSubstr("pass"));
    std::istringstream in(ran.out);
    for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST(Help, IsCompleteAtEachLevel) {
  const Ran top = program("--help");
  EXPECT_EQ(top.exit_code, 0);
  for (const char* command : {"run", "list", "describe", "eval", "check-compiler"}) {
    EXPECT_THAT(top.out, HasSubstr(command));
    const Ran sub = program(std::string(command) + " --help");
    EXPECT_EQ(sub.exit_code, 0);
    EXPECT_THAT(sub.out, HasSubstr("--help"));
  }
  EXPECT_THAT(top.out, HasSubstr("Exit codes"));
  EXPECT_THAT(program("--version").out, HasSubstr("mfma-conform 0."));
}

}  // namespace
}  // namespace mfma::cli
