#include "harness/bundles/case_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/bundles/repro_script.h"
#include "harness/bundles/repro_source.h"
#include "harness/compilers/identity.h"
#include "harness/compilers/outcome.h"
#include "harness/conformance/calls/plan.h"
#include "harness/conformance/execution/instruction_check.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"
#include "harness/kernels/kernel.h"
#include "harness/system/process.h"
#include "harness/system/whole_file.h"

namespace mfma::bundles {
namespace {

namespace fs = std::filesystem;
using conformance::Observation;

constexpr std::size_t kDifferencesShown = 64;

// By lane, the registers of D that decide: elements whose bits no lawful model changes, all where the profile's rule is
// confirmed, and those that were seen to fail. Where none would, all do: a program that cannot fail shows nothing.
std::vector<std::uint32_t> deciding(const CaseBundle& bundle, const Observation& seen) {
  const catalogue::Layout& layout = catalogue::shared_layout(bundle.c.instance, catalogue::Operand::kD);
  const bool confirmed =
      conformance::rule_of(bundle.subject->profile, bundle.c.instance)->status == oracles::RuleStatus::kConfirmed;
  std::vector<std::uint32_t> some(catalogue::kLanes, 0), all(catalogue::kLanes, 0);
  bool any = false;
  for (std::size_t element = 0; element < layout.locations().size(); ++element) {
    const catalogue::Location& at = layout.locations()[element];
    std::uint32_t mask = 0;
    for (int bit = at.bit; bit < at.bit + at.width; bit += 32) mask |= 1U << (bit / 32);
    all[static_cast<std::size_t>(at.lane)] |= mask;
    const bool failed =
        std::find(bundle.seen_failing.begin(), bundle.seen_failing.end(), element) != bundle.seen_failing.end();
    if (!confirmed && !failed && seen.expected.exact[element] == 0) continue;
    some[static_cast<std::size_t>(at.lane)] |= mask;
    any = true;
  }
  return any ? some : all;
}

std::string differences(const CaseBundle& bundle, const Observation& seen) {
  if (seen.actual.empty()) {
    return fmt::format("With this compiler at -{} there is no D: {}\n", bundle.level, seen.message);
  }
  if (seen.failing.empty()) {
    return fmt::format("With this compiler at -{} D is as expected.\n", bundle.level);
  }
  std::string out =
      "| element of D | lane | register | expected | actual | the expected bits hold |\n|---|---|---|---|---|---|\n";
  for (std::size_t n = 0; n < std::min(seen.failing.size(), kDifferencesShown); ++n) {
    const std::size_t element = seen.failing[n];
    const auto d = conformance::element_difference(bundle.c.instance, element, seen.expected, seen.actual[element]);
    out += fmt::format("| block {}, row {}, column {} | {} | {} | {:0{}x} | {:0{}x} | {} |\n", d.block, d.row, d.column,
                       d.lane, d.bit / 32, d.expected, d.width / 4, d.actual, d.width / 4,
                       d.exact ? "under every model of the adders" : "under the profile's model");
  }
  if (seen.failing.size() > kDifferencesShown)
    out += fmt::format("\nand {} more\n", seen.failing.size() - kDifferencesShown);
  return out;
}

std::string dashed(const std::vector<std::string>& levels) {
  return levels.empty() ? std::string("none of those tried") : fmt::format("-{}", fmt::join(levels, ", -"));
}

std::string readme(const CaseBundle& bundle, const Observation& seen, const std::string& wrong_instruction,
                   const std::string& code) {
  const conformance::Subject& o = *bundle.subject;
  const compilers::Identity& id = o.compilers.front().identity();
  std::string out = fmt::format(
      "# {}: {}\n\n{}.\n\n- Call: `__builtin_amdgcn_{}`, target {}\n- Compiler: {} ({}), at -{}{}{}\n",
      catalogue::instance_id(bundle.c.instance), bundle.attribution.fails() ? "wrong result" : "no failure seen",
      conformance::sentence_of(bundle.attribution), bundle.c.instance.builtin->name, conformance::kArch, id.version,
      id.path.string(), bundle.level, o.extra_flags.empty() ? "" : " ", fmt::join(o.extra_flags, " "));
  for (std::size_t n = 0; n < o.compilers.size(); ++n) {
    out += fmt::format("- {} ({}): levels with it: {}; levels without it: {}\n", bundle.attribution.compilers[n],
                       o.compilers[n].identity().version, dashed(conformance::levels_with(bundle.attribution, n)),
                       dashed(conformance::levels_without(bundle.attribution, n)));
  }
  out +=
      fmt::format("- Expected bits: profile {} ({}), cbsz below log2(blocks) read {}\n- Device: {}\n", o.profile.name,
                  o.profile_source, o.reading == oracles::BroadcastReading::kPerSet ? "per set" : "over the whole wave",
                  o.device->info().description);
  if (!wrong_instruction.empty()) out += fmt::format("- Wrong instruction: {}\n", wrong_instruction);
  for (const std::string& wait : seen.missing_waits) out += fmt::format("- Missing wait states: {}\n", wait);
  out += "\n## Expected and actual\n\n" + differences(bundle, seen);
  out += fmt::format(
      "\n## Where it happens\n\nK/N: of N runs K gave wrong bits. The forms say whether the instruction came from the "
      "builtin, and\n"
      "in which registers the operands were forced to be.\n\n```\n{}```\n"
      "\n## Machine code at -{}\n\n```\n{}```\n"
      "\n## Files\n\n"
      "- `repro.hip`: the program, with operands and expected bits. It exits 0 where D is as expected, 1 where not, 2\n"
      "  where it could not be run. Dwords that rest on an unconfirmed model of the adders, and were not seen to fail, "
      "are\n"
      "  printed where they differ and do not decide.\n"
      "- `repro.ll`, `repro.s`: of its device side, by the compiler above.\n"
      "- `repro.sh`: the commands; `sh repro.sh` makes these files, builds the program and runs it on a gfx950 with "
      "HIP.\n",
      conformance::table_of(bundle.attribution), bundle.level, code);
  return out;
}

// Runs the object that was made of repro.hip itself: the bundle shows what its own program does.
void run_kernel(const CaseBundle& bundle, const conformance::Kernel& kernel, Observation& seen) {
  if (!kernel.module) {
    seen.status = devices::LaunchStatus::kInconclusive;
    seen.message = kernel.refused;
    return;
  }
  const oracles::DenseResult expected = std::move(seen.expected);
  const devices::LaunchOutcome outcome = kernel.module->run(kernel.name, std::span(&bundle.c, 1));
  seen = conformance::observation_of(outcome);
  seen.expected = expected;
  if (outcome.status != devices::LaunchStatus::kCompleted) return;
  seen.judge(conformance::Judge(*bundle.subject, bundle.c.instance).judge(expected, outcome.d.at(0)));
}

tl::expected<void, std::string> make_text(const compilers::Compiler& compiler, const CaseBundle& bundle, bool llvm_ir,
                                          const std::string& name, const fs::path& folder) {
  const auto program = compilers::find_program(compiler.identity().path);
  if (!program) return tl::make_unexpected(program.error());
  const auto temporary = system::TemporaryDirectory::create();
  if (!temporary) return tl::make_unexpected(temporary.error());
  system::Command command;
  command.arguments = {program->string()};
  for (std::string& word : text_arguments(bundle.level, bundle.subject->extra_flags, llvm_ir, name)) {
    command.arguments.push_back(std::move(word));
  }
  command.directory = folder;
  command.environment = system::compiler_environment(temporary->path());
  const auto finished = system::run_process(command);
  if (!finished) return tl::make_unexpected(finished.error());
  if (finished->exit_status == 0) return {};
  return tl::make_unexpected(fmt::format("{} makes no {} of repro.hip (exit status {}): {}",
                                         compiler.identity().path.string(), name, finished->exit_status,
                                         finished->output.substr(0, finished->output.find('\n'))));
}

}  // namespace

std::string listing(const std::vector<std::byte>& object, const std::string& kernel) {
  const auto loaded = gfx950::load_code_object(object);
  if (!loaded) return fmt::format("the object cannot be read: {}\n", loaded.error());
  const auto code = gfx950::kernel_instructions(**loaded, kernel);
  if (!code) return code.error() + "\n";
  std::string text;
  for (const gfx950::Instruction& i : *code) {
    text += fmt::format("{:8x}  {}{}\n", i.pc, gfx950::render(i),
                        conformance::is_matrix_product(i) ? "    <== the MFMA" : "");
  }
  return text;
}

tl::expected<WrittenBundle, std::string> write_case_bundle(const CaseBundle& bundle, const fs::path& folder) {
  const conformance::Subject& subject = *bundle.subject;
  const compilers::Compiler& compiler = subject.compilers.front();
  WrittenBundle written;
  written.seen.expected = conformance::CaseRunner(subject, compiler).expected(bundle.c);

  Repro repro;
  repro.c = bundle.c;
  repro.compiler = compiler.identity().version;
  repro.level = bundle.level;
  repro.expected = catalogue::RegisterImage(bundle.c.c.registers);
  catalogue::write_elements(catalogue::shared_layout(bundle.c.instance, catalogue::Operand::kD),
                            written.seen.expected.d, repro.expected);
  repro.decides = deciding(bundle, written.seen);
  const std::string source = repro_source(repro);
  written.lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n'));

  conformance::Executor executor(subject);
  const conformance::Kernel kernel =
      executor.build_source(compiler, bundle.level, kernels::kernel_name(bundle.c.instance), source);
  const std::string not_compiled =
      fmt::format("{} makes no object of the case at -{}", compiler.identity().path.string(), bundle.level);
  if (kernel.compiled.outcome != compilers::Outcome::kOk) {
    return tl::make_unexpected(kernel.refusal(not_compiled)->message +
                               "; check-compiler makes bundles of what a compiler rejects");
  }
  run_kernel(bundle, kernel, written.seen);
  const std::string wrong = executor.wrong_instruction(kernel, bundle.c.instance);

  const std::pair<const char*, std::string> files[] = {
      {"repro.hip", source},
      {"repro.sh", repro_script(compiler.identity(), bundle.level, subject.extra_flags)},
      {"README.md", readme(bundle, written.seen, wrong, listing(*kernel.compiled.object, kernel.name))}};
  for (const auto& [name, text] : files) {
    if (const auto saved = system::write_whole_file(folder / name, text); !saved)
      return tl::make_unexpected(saved.error());
  }
  if (const auto made = make_text(compiler, bundle, true, "repro.ll", folder); !made)
    return tl::make_unexpected(made.error());
  if (const auto made = make_text(compiler, bundle, false, "repro.s", folder); !made)
    return tl::make_unexpected(made.error());
  return written;
}

}  // namespace mfma::bundles
