#include "harness/conformance/execution/executor.h"

#include <fmt/format.h>

#include <utility>

#include "harness/conformance/execution/rules.h"

namespace mfma::conformance {

using reports::Finding;
using reports::FindingKind;

std::optional<Refusal> Kernel::refusal(std::string_view not_compiled) const {
  if (compiled.outcome != compilers::Outcome::kOk) {
    return Refusal{FindingKind::kCompileRejected,
                   fmt::format("{}: {} (exit status {})", not_compiled, compilers::name_of(compiled.outcome),
                               compiled.exit_status),
                   compiled.log};
  }
  if (!module) {
    return Refusal{FindingKind::kObjectRefused, fmt::format("the device refused the code object: {}", refused), {}};
  }
  return std::nullopt;
}

FindingKind kind_of(devices::LaunchStatus status) {
  switch (status) {
    case devices::LaunchStatus::kHang:
      return FindingKind::kHang;
    case devices::LaunchStatus::kFault:
      return FindingKind::kDeviceFault;
    case devices::LaunchStatus::kLost:
      return FindingKind::kDeviceLost;
    case devices::LaunchStatus::kCompleted:
    case devices::LaunchStatus::kInconclusive:
      break;
  }
  return FindingKind::kUnsupportedInstruction;
}

Finding finding_of(const Subject& subject, const compilers::Compiler& compiler, const std::string& level,
                   FindingKind kind, std::string message) {
  Finding f;
  f.kind = kind;
  f.compiler = compiler.identity().path.string();
  f.level = level;
  f.device = subject.device->info().id;
  f.message = std::move(message);
  return f;
}

Finding finding_of_call(const Subject& subject, const Kernel& kernel, const catalogue::Instance& instance,
                        FindingKind kind, std::string message) {
  Finding f = finding_of(subject, *kernel.compiler, kernel.level, kind, std::move(message));
  f.builtin = instance.builtin->name;
  f.instance = catalogue::instance_id(instance);
  return f;
}

compilers::Job Executor::job_at(const std::string& level) const {
  compilers::Job job;
  job.arch = kArch;
  job.level = level;
  job.extra_flags = subject_.extra_flags;
  return job;
}

Kernel Executor::kernel_of(const compilers::Compiler& compiler, const std::string& level, std::string name,
                           compilers::Compiled compiled) {
  Kernel kernel;
  kernel.compiler = &compiler;
  kernel.level = level;
  kernel.name = std::move(name);
  kernel.compiled = std::move(compiled);
  if (kernel.compiled.outcome != compilers::Outcome::kOk) return kernel;
  const Loaded& loaded = load(kernel.compiled.object);
  kernel.module = loaded.module;
  kernel.refused = loaded.refused;
  return kernel;
}

std::vector<Kernel> Executor::build(const compilers::Compiler& compiler, const std::string& level,
                                    std::span<const kernels::Piece> pieces) {
  std::vector<kernels::BuiltPiece> built = kernels::build_pieces(compiler, pieces, job_at(level));
  std::vector<Kernel> made;
  made.reserve(built.size());
  for (std::size_t i = 0; i < built.size(); ++i) {
    made.push_back(kernel_of(compiler, level, pieces[i].name, std::move(built[i].compiled)));
    made.back().unexplained = std::move(built[i].unexplained);
  }
  return made;
}

Kernel Executor::build_source(const compilers::Compiler& compiler, const std::string& level, std::string name,
                              std::string source) {
  compilers::Job job = job_at(level);
  job.source = std::move(source);
  return kernel_of(compiler, level, std::move(name), compiler.compile(job));
}

Executor::Loaded& Executor::load(const std::shared_ptr<const std::vector<std::byte>>& object) {
  const auto [at, is_new] = objects_.try_emplace(object->data());
  Loaded& loaded = at->second;
  if (!is_new) return loaded;
  loaded.object = object;
  auto module = subject_.device->load(*object);
  if (module) {
    loaded.module = *std::move(module);
  } else {
    loaded.refused = module.error();
  }
  return loaded;
}

// Null where there is no object.
const InstructionCheck* Executor::check_of(const Kernel& kernel) {
  if (kernel.compiled.outcome != compilers::Outcome::kOk) return nullptr;
  Loaded& loaded = load(kernel.compiled.object);
  if (!loaded.check) loaded.check = std::make_unique<InstructionCheck>(*loaded.object);
  return loaded.check.get();
}

std::string Executor::wrong_instruction(const Kernel& kernel, const catalogue::Instance& instance) {
  const InstructionCheck* check = check_of(kernel);
  return check ? check->check(kernel.name, instance, opcode_of(subject_, instance)) : std::string();
}

std::string Executor::wrong_opcodes(const Kernel& kernel, const std::set<int>& opcodes) {
  const InstructionCheck* check = check_of(kernel);
  return check ? check->check_opcodes(kernel.name, opcodes) : std::string();
}

}  // namespace mfma::conformance
