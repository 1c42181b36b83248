// What `replay` and `minimize` share: a case file, and compiler, device and profiles to run it with.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/cases/case_file.h"
#include "harness/conformance/followup/case_runner.h"
#include "reports/model/report.h"

namespace mfma::cli {

struct CaseArguments {
  std::string file;
  std::vector<std::string> compilers;          // empty: the file's; beyond the first only where a command takes several
  std::string level, profile, device_profile;  // empty: as the file says
  std::string device = "auto";
  bool isolate = false;
  double launch_timeout = 60, start_timeout = 60;
  std::uint64_t repeat = 5;
  bool no_cache = false;
  bool several_compilers = false;  // whether the command has a use for more than one
};
void add_case_options(CLI::App* command, CaseArguments& args);

struct CaseSetup {
  cases::CaseFile file;
  std::string level;
  conformance::Subject subject;
  std::unique_ptr<devices::Device> device;
  std::unique_ptr<conformance::CaseRunner> runner;
  bool expects = false;  // the file's expected D is to be what the oracle says
};

struct SetupError {
  reports::ExitCode code;
  std::string message;
};
// The runner is of the first compiler; subject.compilers has them all.
// Says on stderr where it departs from what the file names: another version of the compiler, another model.
tl::expected<std::unique_ptr<CaseSetup>, SetupError> set_up(const CaseArguments& args);

// What is run: case, compiler, device, profile, a line each.
std::string heading(const CaseArguments& args, const CaseSetup& setup);
// "  D[0,1,2] (lane 3, register 1): expected ..., actual ..." for the first elements that fail.
std::string differences_of(const cases::Case& c, const conformance::Observation& seen);
// Empty, or what is wrong with the file's expected D: it is not what the oracle says.
std::string stale_expectation(const CaseSetup& setup, const conformance::Observation& seen);

}  // namespace mfma::cli
