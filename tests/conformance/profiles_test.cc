// The emulated matrix unit and the oracle agree under every profile of the corpus, not under the default alone: each
// is another implementation of every model.
#include <gtest/gtest.h>

#include <filesystem>

#include "reports/terminal/terminal.h"
#include "tests/conformance/small_run.h"

namespace mfma::conformance {
namespace {

TEST(Profiles, BothSidesAgreeUnderEveryProfileOfTheCorpus) {
  std::vector<catalogue::Instance> instances;
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    const auto chosen = default_instances(builtin);
    // Every format pair of the scaled builtins; of the others the plain instance and the last, with all immediates.
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (builtin.modifiers == catalogue::ModifierKind::kScaled || i == 0 || i + 1 == chosen.size()) {
        instances.push_back(chosen[i]);
      }
    }
  }
  std::size_t profiles = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(MFMA_SOURCE_DIR) + "/corpus/profiles")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename());
    const auto profile = oracles::load_profile(entry.path());
    ASSERT_TRUE(profile) << profile.error();
    testing::SmallRun small{.instances = instances};
    small.profile = *profile;
    small.cases = 6;
    small.jobs = 2;
    const reports::RunReport report = small();
    EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
    EXPECT_EQ(report.instances(), instances.size());
    ++profiles;
  }
  EXPECT_GE(profiles, 20u);
}

}  // namespace
}  // namespace mfma::conformance
