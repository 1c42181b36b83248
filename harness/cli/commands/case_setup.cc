#include "harness/cli/commands/case_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/cli/commands/command.h"
#include "harness/cli/commands/devices.h"
#include "harness/cli/commands/options.h"
#include "harness/cli/commands/profiles.h"
#include "harness/compilers/levels.h"
#include "harness/conformance/calls/plan.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

constexpr std::size_t kDifferencesShown = 16;
constexpr std::string_view kBuiltIn = "built in";

tl::unexpected<SetupError> refuse(ExitCode code, std::string message) {
  return tl::unexpected(SetupError{code, std::move(message)});
}

// The profile of an option, else of the file's source.
tl::expected<NamedProfile, SetupError> profile_of(const char* option, const std::string& given,
                                                  const std::string& source, const std::string& case_file) {
  const bool built_in = given.empty() && (source.empty() || source == kBuiltIn);
  auto profile = profile_or_default(built_in ? "" : given.empty() ? source : given);
  if (profile) return *std::move(profile);
  if (!given.empty()) return refuse(ExitCode::kUsage, profile.error());
  return refuse(ExitCode::kNoVerdict,
                fmt::format("{} was made with the profile {}, which is refused: {}; name one with {}", case_file,
                            source, profile.error(), option));
}

tl::expected<void, SetupError> set_profiles(const CaseArguments& args, CaseSetup& setup, NamedProfile& device_profile) {
  const cases::CaseFile& file = setup.file;
  auto profile = profile_of("--profile", args.profile, file.profile_source, args.file);
  if (!profile) return tl::unexpected(profile.error());
  // Without a word on the device's it is the oracle's.
  const bool same = args.device_profile.empty() && file.device_profile_source.empty();
  auto other =
      same ? profile : profile_of("--device-profile", args.device_profile, file.device_profile_source, args.file);
  if (!other) return tl::unexpected(other.error());
  for (const NamedProfile* p : {&*profile, &*other}) {
    if (const std::string why = conformance::unusable_profile(p->profile, {file.c.instance}); !why.empty()) {
      return refuse(ExitCode::kUsage, why);
    }
  }
  setup.subject.profile = profile->profile;
  setup.subject.profile_source = profile->source;
  setup.subject.device_runs_profile = same;
  setup.subject.device_profile_name = other->profile.name;
  setup.subject.device_profile_source = other->source;
  device_profile = *std::move(other);

  const std::string digest = conformance::model_digest(setup.subject.profile, file.c.instance);
  const bool same_model = file.profile_digest.empty() || file.profile_digest == digest;
  if (!same_model) {
    say(fmt::format("{} was made with another model of this builtin ({} of profile {}): what it expects is set aside",
                    args.file, file.profile_digest, file.profile.empty() ? "?" : file.profile));
  }
  setup.expects = same_model && file.expected.has_value();
  return {};
}

}  // namespace

void add_case_options(CLI::App* command, CaseArguments& args) {
  command->add_option("FILE", args.file, "A case file, as run --artifacts leaves them (docs/case-file.md)")->required();
  add_number<std::uint64_t>(command, "--repeat", args.repeat, 1, 10'000, "Runs of the case")->default_str("5");
  command->add_option("--compiler", args.compilers, "Compiler (default: the file's, or clang-22)")
      ->type_name("PATH")
      ->allow_extra_args(false);  // else it would take the file that follows
  command->add_option("--opt,--level", args.level, "One of O0, O1, O2, O3, Os, Oz (default: the file's)")
      ->type_name("LEVEL");
  command
      ->add_option(
          "--device", args.device,
          "auto (emulated where the file was seen there; else a gfx950 if there is one), emulated, hip or hip:N")
      ->type_name("DEVICE")
      ->capture_default_str();
  command->add_flag("--isolate", args.isolate, "The emulated device in a worker process, as GPUs always are");
  command
      ->add_option("--start-timeout", args.start_timeout, "Seconds within which a worker process must have its device")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--launch-timeout", args.launch_timeout,
                   "Seconds after which a launch in a worker process is a hang, and the worker killed")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  add_file(command, "--profile", args.profile, "Arithmetic profile of the oracle (default: the file's)");
  add_file(command, "--device-profile", args.device_profile,
           "Profile that the emulated device computes by (default: the file's, or the oracle's)");
  command->add_flag("--no-cache", args.no_cache, "Compile everything anew; do not touch the cache of code objects");
}

tl::expected<std::unique_ptr<CaseSetup>, SetupError> set_up(const CaseArguments& args) {
  if (!wrong_device_name(args.device).empty() || args.device == "all") {
    return refuse(ExitCode::kUsage, fmt::format("--device '{}': want auto, emulated, hip or hip:N", args.device));
  }
  auto setup = std::make_unique<CaseSetup>();
  auto file = cases::load_case_file(args.file);
  if (!file) return refuse(ExitCode::kUsage, file.error());
  setup->file = *std::move(file);
  setup->level = args.level.empty() ? setup->file.level : args.level;
  if (!compilers::is_level(setup->level)) {
    return refuse(ExitCode::kUsage,
                  setup->level.empty()
                      ? fmt::format("{} names no level: choose one with --opt", args.file)
                      : fmt::format("--opt '{}': want one of {}", setup->level, compilers::levels_in_words()));
  }
  NamedProfile device_profile;
  if (auto set = set_profiles(args, *setup, device_profile); !set) return tl::unexpected(set.error());

  std::vector<std::string> named = args.compilers;
  if (named.empty()) named = {setup->file.compiler.empty() ? "clang-22" : setup->file.compiler};
  std::optional<compilers::Cache> cache;
  if (!args.no_cache) cache.emplace(compilers::Cache::default_directory());
  if (named.size() > 1 && !args.several_compilers) {
    return refuse(ExitCode::kUsage, "--compiler: one is enough here; several are for export and replay --attribute");
  }
  for (const std::string& name : named) {
    if (std::count(named.begin(), named.end(), name) > 1) {
      return refuse(ExitCode::kUsage, fmt::format("--compiler '{}' is there twice", name));
    }
    auto opened = compilers::Compiler::open(name, "gfx950", cache);
    if (!opened) {
      return refuse(ExitCode::kNoVerdict,
                    args.compilers.empty()
                        ? fmt::format("{} (as {} says; --compiler names another)", opened.error(), args.file)
                        : opened.error());
    }
    setup->subject.compilers.push_back(*std::move(opened));
  }
  const compilers::Compiler& compiler = setup->subject.compilers.front();
  if (!setup->file.compiler_version.empty() && setup->file.compiler_version != compiler.identity().version) {
    say(fmt::format("{} was seen with '{}'; this is '{}'", args.file, setup->file.compiler_version,
                    compiler.identity().version));
  }
  const auto reading = setup->file.cbsz_reading == "whole-wave" ? oracles::BroadcastReading::kWholeWave
                                                                : oracles::BroadcastReading::kPerSet;
  // What was seen on the emulated device is seen there again, as the file's compiler and profile are taken again.
  const bool there = args.device == "auto" && setup->file.device == "emulated";
  // One launch at a time: what happens is that launch's doing.
  auto opened = open_devices({there ? "emulated" : args.device,
                              device_profile,
                              reading,
                              args.isolate,
                              args.launch_timeout,
                              args.start_timeout,
                              {},
                              false,
                              1});
  if (!opened) return refuse(opened.error().code, opened.error().message);
  setup->device = std::move(opened->front());
  const bool emulated = setup->device->info().is_emulated;
  setup->subject.device_runs_profile = setup->subject.device_runs_profile && emulated;
  if (!emulated) setup->subject.device_profile_name = setup->subject.device_profile_source = "";
  if (emulated && !setup->file.device.empty() && setup->file.device != "emulated") {
    say(fmt::format("{} was seen on {}: the emulated device stands in, which says nothing about that one", args.file,
                    setup->file.device));
  }
  setup->subject.extra_flags = setup->file.flags;
  setup->subject.device = setup->device.get();
  setup->subject.reading = reading;
  setup->runner = std::make_unique<conformance::CaseRunner>(setup->subject, setup->subject.compilers[0]);
  return setup;
}

std::string heading(const CaseArguments& args, const CaseSetup& setup) {
  const cases::CaseFile& file = setup.file;
  std::string out = fmt::format(
      "case      {}: {}, operands {} of seed {}, index {}\n", args.file, catalogue::instance_id(file.c.instance),
      file.c.operand_class.empty() ? "unnamed" : file.c.operand_class, file.c.seed, file.c.index);
  const compilers::Identity& id = setup.runner->compiler().identity();
  out += fmt::format("compiler  {} ({}, {}) at -{}", id.version, id.path.string(), id.hash, setup.level);
  for (const std::string& flag : file.flags) out += " " + flag;
  out += fmt::format("\ndevice    {}\nprofile   {} ({})", setup.device->info().description, setup.subject.profile.name,
                     setup.subject.profile_source);
  if (!setup.subject.device_runs_profile && setup.device->info().is_emulated) {
    out += fmt::format("; device computes by {} ({})", setup.subject.device_profile_name,
                       setup.subject.device_profile_source);
  }
  return out + "\n";
}

std::string differences_of(const cases::Case& c, const conformance::Observation& seen) {
  std::string out;
  for (std::size_t n = 0; n < std::min(seen.failing.size(), kDifferencesShown); ++n) {
    const std::size_t element = seen.failing[n];
    const auto d = conformance::element_difference(c.instance, element, seen.expected, seen.actual[element]);
    out += fmt::format("  D[{},{},{}] (lane {}, register {}): expected {:0{}x}, actual {:0{}x}{}\n", d.block, d.row,
                       d.column, d.lane, d.bit / 32, d.expected, d.width / 4, d.actual, d.width / 4,
                       d.exact ? ", exact under every model" : ", by the profile's model");
  }
  if (seen.failing.size() > kDifferencesShown) {
    out += fmt::format("  and {} more\n", seen.failing.size() - kDifferencesShown);
  }
  return out;
}

std::string stale_expectation(const CaseSetup& setup, const conformance::Observation& seen) {
  if (!setup.expects || seen.expected.d.empty()) return {};
  const std::vector<std::uint64_t>& said = *setup.file.expected;
  const auto [ours, theirs] = std::mismatch(seen.expected.d.begin(), seen.expected.d.end(), said.begin());
  if (ours == seen.expected.d.end()) return {};
  const auto element = static_cast<std::size_t>(ours - seen.expected.d.begin());
  const auto d = conformance::element_difference(setup.file.c.instance, element, seen.expected, *theirs);
  return fmt::format(
      "the file expects {:0{}x} in D[{},{},{}], the oracle says {:0{}x}: where the operands were edited, remove "
      "expected-D and actual-D from the file",
      d.actual, d.width / 4, d.block, d.row, d.column, d.expected, d.width / 4);
}

}  // namespace mfma::cli
