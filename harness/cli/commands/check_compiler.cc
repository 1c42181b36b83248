// `mfma-conform check-compiler`: what can be judged of a compiler without a device.

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "harness/checks/bundle.h"
#include "harness/checks/check.h"
#include "harness/checks/render.h"
#include "harness/checks/waivers.h"
#include "harness/cli/commands/check_objects.h"
#include "harness/cli/commands/command.h"
#include "harness/cli/commands/data.h"
#include "harness/cli/commands/levels.h"
#include "harness/cli/commands/options.h"
#include "harness/conformance/calls/plan.h"
#include "reports/json/report_file.h"
#include "reports/json/waiver_file.h"

namespace mfma::cli {
namespace {

using reports::ExitCode;

struct CheckArguments {
  std::vector<std::string> compilers = {"clang-22"};
  std::string builtin = "*";
  std::string levels = fmt::to_string(fmt::join(compilers::ordinary_level_names(), ","));
  std::string stages;  // empty: all
  std::string waivers, json, bundles;
  std::vector<std::string> severities;
  std::vector<std::string> objects;  // not empty: these are looked at, and no compiler
  std::uint64_t seed = 1;
  std::uint64_t timeout = 60;  // seconds a job
  int jobs = 0;
  bool no_cache = false;
  bool verbose = false;
  bool quiet = false;
};

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now())); }

using Severities = std::map<checks::Code, checks::Severity>;

tl::expected<Severities, std::string> parse_severities(const std::vector<std::string>& texts) {
  Severities severities;
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto code = checks::code_named(text.substr(0, equals));
    const auto severity = checks::severity_named(equals == text.size() ? "" : text.substr(equals + 1));
    if (!code || !severity) {
      std::string known;
      for (const checks::CodeInfo& info : checks::all_codes()) known += fmt::format(" {}", info.name);
      return tl::make_unexpected(fmt::format(
          "--severity '{}': want CODE=gate, CODE=warn or CODE=ignore, with one of the codes{}", text, known));
    }
    severities[*code] = *severity;
  }
  return severities;
}

// "encodings,execution" to stages; of nothing: all.
tl::expected<std::vector<checks::Stage>, std::string> parse_stages(const std::string& text) {
  std::vector<checks::Stage> stages;
  if (text.empty()) return stages;
  for (const std::string& word : split_at_commas(text)) {
    const auto known = checks::all_stages();
    const auto row =
        std::find_if(known.begin(), known.end(), [&word](const checks::StageInfo& s) { return s.name == word; });
    if (row == known.end()) {
      std::string names;
      for (const checks::StageInfo& s : known) names += fmt::format("{}{}", names.empty() ? "" : ", ", s.name);
      return tl::make_unexpected(fmt::format("--only '{}': '{}' is none of {}", text, word, names));
    }
    stages.push_back(row->stage);
  }
  return stages;
}

int check(const CheckArguments& args, const std::string& command_line) {
  if (!args.objects.empty()) return check_objects(args.objects, args.verbose);
  const auto levels = parse_levels(args.levels);
  if (!levels) return fail(ExitCode::kUsage, levels.error());
  const auto severities = parse_severities(args.severities);
  if (!severities) return fail(ExitCode::kUsage, severities.error());
  const auto stages = parse_stages(args.stages);
  if (!stages) return fail(ExitCode::kUsage, stages.error());
  const auto instances = conformance::select_instances({args.builtin, conformance::ModifierChoice::kAll, {}});
  if (!instances) return fail(ExitCode::kUsage, instances.error());
  std::vector<reports::Waiver> waivers;
  if (!args.waivers.empty()) {
    auto read = reports::read_waivers(data_file("waivers", args.waivers));
    if (!read) return fail(ExitCode::kUsage, read.error());
    waivers = *std::move(read);
  }

  std::optional<compilers::Cache> cache;
  if (!args.no_cache) cache.emplace(compilers::Cache::default_directory());
  std::vector<compilers::Compiler> opened;
  for (const std::string& path : args.compilers) {
    auto compiler = compilers::Compiler::open(path, conformance::kArch, cache);
    if (!compiler) return fail(ExitCode::kNoVerdict, compiler.error());
    opened.push_back(*std::move(compiler));
  }

  ExitCode verdict = ExitCode::kPass;
  std::vector<checks::CheckReport> reports;
  std::string shown;
  for (const compilers::Compiler& compiler : opened) {
    checks::CheckOptions options;
    options.compiler = &compiler;
    options.levels = *levels;
    options.instances = *instances;
    options.stages = *stages;
    options.seed = args.seed;
    options.timeout = std::chrono::seconds(args.timeout);
    options.jobs = args.jobs;
    const bool talks = !args.quiet && isatty(STDERR_FILENO) != 0;
    options.progress = [talks](std::string_view stage) {
      if (talks) fmt::print(stderr, "\r\x1b[K{} ...", stage);
    };
    checks::CheckReport report = checks::check_compiler(options);
    if (talks) fmt::print(stderr, "\r\x1b[K");
    for (checks::Finding& f : report.findings) {
      if (const auto mapped = severities->find(f.code); mapped != severities->end()) f.severity = mapped->second;
    }
    const checks::LeftWaivers left = checks::apply_waivers(waivers, report.compiler.version, today(), report.findings);
    verdict = worse(verdict, checks::exit_code(report));
    shown += checks::to_terminal(report, {args.verbose, left});
    reports.push_back(std::move(report));
  }

  // A report that cannot be shown or written leaves the verdict, but a pass that nobody can read is none.
  const ExitCode unread = verdict == ExitCode::kPass ? ExitCode::kNoVerdict : verdict;
  if (!args.bundles.empty()) {
    std::map<std::string, int> written_before;
    for (const checks::CheckReport& report : reports) {
      for (const checks::Finding& f : report.findings) {
        if (f.severity == checks::Severity::kIgnore) continue;
        const int number = ++written_before[checks::bundle_name(f)];
        if (const auto written = checks::write_bundle(f, report.compiler, args.bundles, number); !written) {
          return fail(unread, written.error());
        }
      }
    }
  }
  if (!args.json.empty()) {
    if (const auto written = reports::write_report_text(checks::to_json(reports, command_line), args.json); !written) {
      return fail(unread, written.error());
    }
  }
  if (!args.quiet && !show(shown)) return fail(unread, kCannotShow);
  return static_cast<int>(verdict);
}

}  // namespace

void add_check_compiler(CLI::App& app, Invocation& invocation) {
  auto args = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check-compiler",
      "What can be judged of a compiler without a device: which builtins it takes for which target, what it makes of\n"
      "immediates out of range and of zero scales, how it encodes every legal instance, which wait states it misses.");
  command->footer(
      "Exit codes: 0 nothing gates; 1 a finding gates; 2 no verdict (no such compiler, no gfx950, a tool failed, code "
      "that\n"
      "could not be seen to its end); 64 usage.");
  command->add_option("--compiler", args->compilers, "Compilers to check, each a path or a name found in PATH")
      ->type_name("PATH...")
      ->capture_default_str();
  command->add_option("--builtin", args->builtin, "Builtins whose encodings are checked: a name or a glob")
      ->type_name("GLOB")
      ->capture_default_str();
  command->add_option("--opt", args->levels, "Some of O0, O1, O2, O3, Os, Oz, with commas between")
      ->type_name("LEVELS")
      ->capture_default_str();
  command
      ->add_option("--only", args->stages,
                   "Some of acceptance, immediates, zero-scales, encodings, wait-states, execution, with commas "
                   "between (default: all)")
      ->type_name("PARTS");
  add_file(command, "--waivers", args->waivers,
           "Findings that are known and do not gate: a file, or the name of one that comes with the program, such as "
           "clang-22");
  command
      ->add_option("--severity", args->severities,
                   "CODE=gate|warn|ignore, for each code that is to be judged otherwise")
      ->type_name("CODE=S...");
  add_file(command, "--json", args->json, "Write everything as JSON");
  command->add_option("--bundles", args->bundles, "Folder for a bundle per finding: source, script, log, README")
      ->type_name("DIR");
  add_number<std::uint64_t>(command, "--seed", args->seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "Seed of the operands with which kernels are executed")
      ->default_str("1");
  add_number<std::uint64_t>(command, "--timeout", args->timeout, 1, 3600, "Seconds that one compilation may take")
      ->default_str("60");
  add_number(command, "--jobs", args->jobs, 1, 1024, "Threads (default: one per core)");
  command->add_flag("--no-cache", args->no_cache, "Compile everything anew; do not touch the cache of code objects");
  command->add_flag("-v,--verbose", args->verbose, "Also what is waived or ignored, one by one");
  command->add_flag("-q,--quiet", args->quiet, "Nothing on the terminal but errors");
  CLI::Option* object =
      command
          ->add_option("--object", args->objects,
                       "In place of a compiler: a code object of gfx950, as clang -c --cuda-device-only\n"
                       "--no-gpu-bundle-output writes it, whose wait states are checked on every path")
          ->type_name("FILE...");
  for (const CLI::Option* other : command->get_options()) {
    const std::string name = other->get_name();
    if (other != object && name != "--help" && name != "--verbose") object->excludes(command->get_option(name));
  }
  command->callback([args, &invocation] {
    invocation.action = [args, &invocation] { return check(*args, invocation.command_line); };
  });
}

}  // namespace mfma::cli
