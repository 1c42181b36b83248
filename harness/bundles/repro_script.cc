#include "harness/bundles/repro_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/conformance/calls/plan.h"
#include "harness/system/shell.h"

namespace mfma::bundles {
namespace {

// The flags that every job gets, but the one that says what to make of it.
std::vector<std::string> device_flags(const std::string& level) {
  std::vector<std::string> flags = compilers::base_flags(conformance::kArch, level);
  std::erase(flags, "-c");
  return flags;
}

}  // namespace

std::vector<std::string> text_arguments(const std::string& level, const std::vector<std::string>& flags, bool llvm_ir,
                                        const std::string& output) {
  std::vector<std::string> arguments = device_flags(level);
  arguments.push_back("-S");
  if (llvm_ir) arguments.push_back("-emit-llvm");
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), {"repro.hip", "-o", output});
  return arguments;
}

std::string repro_script(const compilers::Identity& compiler, const std::string& level,
                         const std::vector<std::string>& flags) {
  std::vector<std::string> device = device_flags("$level");
  std::replace(device.begin(), device.end(), std::string("-$level"), std::string("\"-$level\""));
  std::string extra;
  for (const std::string& flag : flags) extra.append(1, ' ').append(system::shell_quoted(flag));
  return fmt::format(
      "#!/bin/sh\n"
      "# Makes repro.ll, repro.s and repro.co of repro.hip's device side, then builds the program and runs it.\n"
      "#   CXX       another compiler than the one that was tested\n"
      "#   LEVEL     another level than {0}\n"
      "#   HIPFLAGS  what the build of the program needs beyond it, such as --rocm-path=/opt/rocm\n"
      "#   RUN       a program to start it with\n"
      "# 'sh repro.sh device' stops before the program, which needs HIP. Exit code: 0 D is as expected, 1 it is not, "
      "2\n"
      "# something could not be built or run.\n"
      "cd \"$(dirname \"$0\")\" || exit 2\n"
      "compiler=${{CXX:-{1}}}\n"
      "level=${{LEVEL:-{0}}}\n"
      "\"$compiler\" --version | head -n 1\n"
      "\"$compiler\" {2} -S -emit-llvm{3} repro.hip -o repro.ll || exit 2\n"
      "\"$compiler\" {2} -S{3} repro.hip -o repro.s || exit 2\n"
      "\"$compiler\" {2} -c{3} repro.hip -o repro.co || exit 2\n"
      "[ \"$1\" = device ] && exit 0\n"
      "\"$compiler\" -x hip --offload-arch={4} --hip-link \"-$level\"{3} $HIPFLAGS repro.hip -o repro -lstdc++ || exit "
      "2\n"
      "$RUN ./repro\n",
      level, system::shell_quoted(compiler.path.string()), fmt::join(device, " "), extra, conformance::kArch);
}

}  // namespace mfma::bundles
