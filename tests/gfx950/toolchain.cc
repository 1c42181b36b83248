#include "tests/gfx950/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace mfma::gfx950::test {
namespace {

std::string tool(const char* variable, const char* fallback) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : fallback;
}

// Output of a shell command, standard error included; throws when it does not exit with 0.
std::string run(const std::string& command) {
  const auto close = [](std::FILE* pipe) { return pclose(pipe); };
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run: " + command);
  std::string output;
  char buffer[65536];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  if (close(pipe) != 0) throw std::runtime_error(fmt::format("failed: {}\n{}", command, output));
  return output;
}

Bytes read_file(const std::filesystem::path& path) {
  Bytes bytes(std::filesystem::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Bytes compile(const std::string& source, const char* extension, const std::string& flags) {
  const TemporaryDirectory directory;
  const auto input = directory.path() / (std::string("in") + extension), output = directory.path() / "out.o";
  write_file(input, source);
  run(fmt::format("{} {} {} -o {}", tool("MFMA_CLANG", MFMA_DEFAULT_CLANG), flags, input.string(), output.string()));
  return read_file(output);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "mfma-gfx950-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Bytes compile_hip(const std::string& source, const std::string& level, const std::string& extra_flags) {
  return compile(source, ".hip",
                 "-x hip --offload-arch=gfx950 --cuda-device-only -nogpulib -nogpuinc --no-gpu-bundle-output -" +
                     level + " -c " + extra_flags);
}

Bytes assemble(const std::string& source) {
  return compile(source, ".s", "-x assembler --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nostdlib");
}

Bytes assemble_only(const std::string& source) {
  return compile(source, ".s", "-x assembler --target=amdgcn-amd-amdhsa -mcpu=gfx950 -c");
}

std::string disassemble(const Bytes& object) {
  const TemporaryDirectory directory;
  const auto input = directory.path() / "in.o";
  write_file(input, std::string(reinterpret_cast<const char*>(object.data()), object.size()));
  return run(fmt::format("{} -d -z {}", tool("MFMA_OBJDUMP", "llvm-objdump-22"), input.string()));
}

std::string assembly_kernel(const std::string& name, const std::string& body, unsigned private_bytes,
                            unsigned lds_bytes) {
  return fmt::format(R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl {0}
.p2align 8
.type {0},@function
{0}:
{1}
  s_endpgm
.Lend_{0}:
.size {0}, .Lend_{0}-{0}
.rodata
.p2align 6
.amdhsa_kernel {0}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 256
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 128
  .amdhsa_kernarg_size 64
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_private_segment_fixed_size {2}
  .amdhsa_group_segment_fixed_size {3}
  .amdhsa_enable_private_segment {4}
.end_amdhsa_kernel
)",
                     name, body, private_bytes, lds_bytes, private_bytes == 0 ? 0 : 1);
}

}  // namespace mfma::gfx950::test
