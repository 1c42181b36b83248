// Every fault that can be planted in the emulated matrix unit makes a run fail, and the reduced case is small.
//
// Each run has the cases of `run --tier quick` (seed 1, cases_per_instance(kQuick)) on the instances named. A case is a
// function of seed, instance and index, so the whole quick tier, which has these cases among its own, fails as well.
// docs/faults.md has the table that this prints. MFMA_FAULT_CASES=DIR keeps the reduced cases there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/conformance/followup/case_runner.h"
#include "reports/terminal/terminal.h"
#include "tests/conformance/small_run.h"
#include "tests/faults/plants.h"

namespace mfma::conformance {
namespace {

using testing::instances_of;
using testing::Kind;
using testing::mode_plants;
using testing::Plant;
using testing::plants;

// Faults that the quick tier does not find, and why. A name here whose fault is found fails the test: take it off.
const std::map<std::string, std::string> kNotFound = {};

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    auto compiler = compilers::Compiler::open(testing::compiler_under_test(), "gfx950",
                                              compilers::Cache(compilers::Cache::default_directory()));
    ASSERT_TRUE(compiler) << compiler.error();
    compilers_ = {*compiler};
  }

  reports::RunReport run_with(const Plant& plant, const PropertyPlan& properties = {}) {
    const std::vector<catalogue::Instance> instances = instances_of(plant.instances);
    std::vector<const catalogue::Builtin*> used;
    for (const catalogue::Instance& i : instances) used.push_back(i.builtin);
    auto device =
        devices::make_emulated_device(oracles::default_profile(), used,
                                      {.reading = oracles::BroadcastReading::kPerSet,
                                       .faults = gfx950::fault_everywhere({plant.kind, plant.opcode, plant.value})});
    EXPECT_TRUE(device);
    RunDescription options;
    options.plan.instances = instances;
    options.subject.compilers = compilers_;
    options.subject.levels = {"O2"};
    options.subject.device = device->get();
    options.subject.profile = oracles::default_profile();
    options.subject.profile_source = "built in";
    options.subject.device_runs_profile = true;
    options.plan.seed = 1;
    options.plan.cases_per_instance = cases_per_instance(Tier::kQuick);
    options.plan.properties = properties;
    options.control.jobs = 2;
    options.plan.reduce = true;
    if (const char* folder = std::getenv("MFMA_FAULT_CASES")) {
      options.control.keep_case = [&, folder](const std::string& name, const cases::CaseFile& file) {
        if (!name.ends_with(".reduced")) return std::string();
        const std::string path = fmt::format("{}/{}.{}.case", folder, gfx950::name_of(plant.kind), name);
        const auto saved = cases::save_case_file(file, path);
        EXPECT_TRUE(saved) << saved.error();
        return path;
      };
    }
    return run(options);
  }

  Observation observe_without_fault(const cases::CaseFile& file) {
    const catalogue::Builtin* builtin = file.c.instance.builtin;
    auto device = devices::make_emulated_device(oracles::default_profile(), std::span(&builtin, 1));
    EXPECT_TRUE(device);
    Subject subject;
    subject.device = device->get();
    subject.profile = oracles::default_profile();
    subject.device_runs_profile = true;
    CaseRunner runner(subject, compilers_.at(0));
    return runner.observe(file.level, std::span(&file.c, 1)).at(0);
  }

  std::vector<compilers::Compiler> compilers_;
};

TEST_F(Faults, EachMakesTheQuickTierFailAndLeavesASmallCase) {
  std::set<Kind> planted;
  std::size_t found = 0, small = 0;
  std::string table = fmt::format("{:<24} {:>9} {:>10}  {}\n", "fault", "elements", "products", "reduced case");
  for (const Plant& plant : plants()) {
    planted.insert(plant.kind);
    const std::string name(gfx950::name_of(plant.kind));
    const reports::RunReport report = run_with(plant);
    const bool fails = report.exit_code() == reports::ExitCode::kFailure;
    const auto excused = kNotFound.find(name);
    EXPECT_NE(fails, excused != kNotFound.end())
        << name << (fails ? " is found: take it off kNotFound" : " is not found by the quick tier");
    if (!fails) {
      table += fmt::format("{:<24} {:>9} {:>10}  not found\n", name, 0, "-");
      continue;
    }
    ++found;
    const auto smallest =
        std::min_element(report.findings.begin(), report.findings.end(), [](const auto& x, const auto& y) {
          const auto rank = [](const reports::Finding& f) {
            return f.reduced ? f.reduced->nonzero_products : ~std::uint64_t{0};
          };
          return rank(x) < rank(y);
        });
    ASSERT_TRUE(smallest != report.findings.end() && smallest->reduced) << name << " has no reduced case";
    const reports::ReducedFailure& reduced = *smallest->reduced;
    EXPECT_EQ(smallest->replays_failed, smallest->replays) << name;
    EXPECT_NE(reduced.difference.expected, reduced.difference.actual);
    if (reduced.nonzero_products <= 2) ++small;
    table +=
        fmt::format("{:<24} {:>9} {:>10}  {}, {} candidates{}\n", name, report.totals().differing,
                    reduced.nonzero_products, reduced.instance, reduced.candidates, reduced.exhausted ? ", bound" : "");
    // The reduced case is read back as a case file and passes where nothing is planted: its expected D is right.
    const auto file = cases::parse_case_file(reduced.text, name);
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->label, (cases::ReplayLabel{5, 5})) << name;
    const Observation healthy = observe_without_fault(*file);
    EXPECT_EQ(healthy.status, devices::LaunchStatus::kCompleted) << healthy.message;
    EXPECT_TRUE(healthy.failing.empty()) << name;
    EXPECT_EQ(healthy.actual, *file->expected) << name;
  }
  fmt::print("{}", table);
  for (const Plant& plant : mode_plants()) planted.insert(plant.kind);  // the test below has them
  for (const Kind kind : gfx950::all_fault_kinds()) EXPECT_TRUE(planted.contains(kind)) << gfx950::name_of(kind);
  fmt::print("{} of {} faults found, {} with at most 2 products\n", found, plants().size(), small);
  EXPECT_GE(found, 20u);
  EXPECT_GT(small * 2, plants().size());
}

TEST_F(Faults, OfModeMakeTheQuickTierFailByItsProperties) {
  for (const Plant& plant : mode_plants()) {
    const reports::RunReport report = run_with(plant, property_plan(Tier::kQuick));
    EXPECT_EQ(report.exit_code(), reports::ExitCode::kFailure) << gfx950::name_of(plant.kind);
    for (const reports::Finding& f : report.findings)
      EXPECT_EQ(f.kind, reports::FindingKind::kPropertyBroken) << f.message;
  }
}

// The same runs without a fault pass.
TEST_F(Faults, WithoutOneTheSameRunPasses) {
  std::set<std::string> ids;
  for (const Plant& plant : plants()) ids.insert(plant.instances.begin(), plant.instances.end());
  const reports::RunReport report = run_with({Kind::kNone, -1, 0, {ids.begin(), ids.end()}});
  EXPECT_EQ(report.exit_code(), reports::ExitCode::kPass) << reports::to_terminal(report, {});
  EXPECT_TRUE(report.findings.empty());
}

}  // namespace
}  // namespace mfma::conformance
