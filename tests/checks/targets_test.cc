#include "harness/checks/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/catalogue/builtin.h"

namespace mfma::checks {
namespace {

int count_on(std::string_view arch) {
  const auto names = all_names();
  return static_cast<int>(
      std::count_if(names.begin(), names.end(), [arch](std::string_view n) { return has_builtin(arch, n); }));
}

TEST(Targets, Gfx950HasExactlyTheCatalogue) {
  for (const catalogue::Builtin& b : catalogue::builtins()) EXPECT_TRUE(has_builtin("gfx950", b.name)) << b.name;
  for (const catalogue::RejectedBuiltin& r : catalogue::rejected_builtins())
    EXPECT_FALSE(has_builtin("gfx950", r.name)) << r.name;
}

// The numbers of dense MFMA opcodes in the manuals' tables.
TEST(Targets, EachGenerationHasAsManyAsItsManual) {
  EXPECT_EQ(count_on("gfx908"), 20);
  EXPECT_EQ(count_on("gfx90a"), 27);
  EXPECT_EQ(count_on("gfx942"), 32);
  EXPECT_EQ(count_on("gfx950"), 38);
  EXPECT_EQ(count_on("gfx1100"), 0);
}

TEST(Targets, EveryNameIsOnSomeTarget) {
  const auto names = all_names();
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), 47u);
  for (const std::string_view name : names) {
    EXPECT_TRUE(std::any_of(targets().begin(), targets().end(), [name](const Target& t) {
      return has_builtin(t.arch, name);
    })) << name;
  }
}

}  // namespace
}  // namespace mfma::checks
