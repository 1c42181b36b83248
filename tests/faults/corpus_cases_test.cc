// Every file of corpus/cases passes on the healthy emulated device, and fails on one with the fault it is named after.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/conformance/calls/plan.h"
#include "harness/conformance/followup/case_runner.h"
#include "harness/devices/emulated.h"
#include "tests/conformance/small_run.h"
#include "tests/faults/plants.h"

namespace mfma::conformance {
namespace {

namespace fs = std::filesystem;
using testing::Plant;

std::vector<fs::path> case_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(MFMA_SOURCE_DIR) / "corpus/cases")) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CorpusCases : public ::testing::Test {
 protected:
  void SetUp() override {
    auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950",
                                              compilers::Cache(compilers::Cache::default_directory()));
    ASSERT_TRUE(compiler) << compiler.error();
    compilers_ = {*compiler};
  }

  Observation observe(const cases::CaseFile& file, const std::string& level, const gfx950::MatrixFault& fault) {
    const catalogue::Builtin* builtin = file.c.instance.builtin;
    const auto reading =
        file.cbsz_reading == "whole-wave" ? oracles::BroadcastReading::kWholeWave : oracles::BroadcastReading::kPerSet;
    auto device = devices::make_emulated_device(oracles::default_profile(), std::span(&builtin, 1),
                                                {.reading = reading, .faults = gfx950::fault_everywhere(fault)});
    EXPECT_TRUE(device);
    Subject subject;
    subject.device = device->get();
    subject.profile = oracles::default_profile();
    subject.device_runs_profile = true;
    subject.reading = reading;
    CaseRunner runner(subject, compilers_.at(0));
    return runner.observe(level, std::span(&file.c, 1)).at(0);
  }

  std::vector<compilers::Compiler> compilers_;
};

TEST_F(CorpusCases, PassOnTheHealthyUnitAndSayWhatTheyAreFor) {
  const std::vector<fs::path> files = case_files();
  EXPECT_GE(files.size(), 20u);
  for (const fs::path& path : files) {
    const auto file = cases::load_case_file(path);
    ASSERT_TRUE(file) << file.error();
    EXPECT_FALSE(file->comments.empty()) << path << " does not say what it is for";
    ASSERT_TRUE(file->expected) << path << " says nothing on what it expects";
    ASSERT_EQ(file->profile_digest, model_digest(oracles::default_profile(), file->c.instance))
        << path << ": the default profile has another model of this builtin now; see corpus/cases/README.md";
    for (const char* level : {"O0", "O2"}) {
      const Observation seen = observe(*file, level, {});
      ASSERT_EQ(seen.status, devices::LaunchStatus::kCompleted) << path << ": " << seen.message;
      EXPECT_EQ(seen.expected.d, *file->expected) << path << ": the oracle says otherwise";
      EXPECT_EQ(seen.actual, *file->expected) << path << " at -" << level;
    }
  }
}

TEST_F(CorpusCases, FailOnTheUnitWithTheirFault) {
  std::size_t tried = 0;
  for (const Plant& plant : testing::plants()) {
    const fs::path path = fs::path(MFMA_SOURCE_DIR) / fmt::format("corpus/cases/{}.case", gfx950::name_of(plant.kind));
    const auto file = cases::load_case_file(path);
    ASSERT_TRUE(file) << file.error();
    const Observation seen = observe(*file, "O2", {plant.kind, plant.opcode, plant.value});
    EXPECT_TRUE(seen.fails()) << path;
    ++tried;
  }
  EXPECT_EQ(tried + testing::mode_plants().size(), gfx950::all_fault_kinds().size());
}

}  // namespace
}  // namespace mfma::conformance
