#include "harness/conformance/execution/case_record.h"

#include <fmt/format.h>

#include "harness/conformance/execution/rules.h"
#include "harness/kernels/kernel.h"

namespace mfma::conformance {

cases::CaseFile case_file_of(const Subject& subject, const compilers::Compiler& compiler, const std::string& level,
                             const cases::Case& c) {
  cases::CaseFile file;
  file.c = c;
  file.compiler = compiler.identity().path.string();
  file.compiler_version = compiler.identity().version;
  file.compiler_hash = compiler.identity().hash;
  file.level = level;
  file.flags = subject.extra_flags;
  file.device = subject.device->info().id;
  file.profile = subject.profile.name;
  file.profile_source = subject.profile_source;
  file.profile_digest = model_digest(subject.profile, c.instance);
  if (!subject.device_runs_profile) {
    file.device_profile = subject.device_profile_name;
    file.device_profile_source = subject.device_profile_source;
  }
  file.cbsz_reading = name_of(subject.reading);
  return file;
}

std::string case_file_name(const cases::CaseFile& file) {
  return fmt::format("{}.{}.{}.seed{}-{}", kernels::kernel_name(file.c.instance), file.level,
                     file.compiler_hash.substr(0, 8), file.c.seed, file.c.index);
}

}  // namespace mfma::conformance
