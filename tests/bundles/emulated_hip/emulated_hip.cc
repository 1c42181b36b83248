// Runs a HIP program that was linked as a shared object on the emulated device: emulated_hip PROGRAM.
//
// The program's own start-up code registers its code object and kernels here, its main() is called, its exit code is
// ours. MFMA_EMULATED_FAULT plants a fault by name (harness/gfx950/matrix/faults.h).
#include <dlfcn.h>
#include <elf.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "harness/catalogue/builtin.h"
#include "harness/devices/emulated.h"
#include "harness/gfx950/machine/machine.h"
#include "harness/gfx950/matrix/faults.h"
#include "oracles/arithmetic/profile.h"
#include "tests/bundles/emulated_hip/hip/hip_runtime.h"

namespace {

using namespace mfma;

struct Hip {
  std::shared_ptr<const gfx950::CodeObject> object;
  std::map<const void*, std::string> kernels;  // by the address that the host knows one by
  std::unique_ptr<gfx950::Machine> machine;
  std::string error;
} hip;

hipError_t failed(const std::string& why) {
  if (hip.error.empty()) hip.error = why;
  return 1;
}

std::unique_ptr<gfx950::Machine> make_machine() {
  auto config = std::make_shared<gfx950::MatrixConfig>();
  for (const catalogue::Builtin& b : catalogue::builtins()) {
    const int bits = catalogue::bits_of(b.acc_format);
    auto& slots = config->rules[static_cast<std::size_t>(b.opcode)];
    const oracles::Profile& profile = oracles::default_profile();
    slots[0] = devices::adder_rules(
        profile.rule_for(b.name, catalogue::bits_of(b.a_format), catalogue::bits_of(b.b_format))->model, bits);
    if (b.modifiers == catalogue::ModifierKind::kScaled)
      slots[1] = devices::adder_rules(profile.rule_for(b.name, 4, 4)->model, bits);
  }
  gfx950::MatrixFault fault;
  fault.opcode = -1;
  if (const char* name = std::getenv("MFMA_EMULATED_FAULT")) {
    const auto kind = gfx950::fault_kind_named(name);
    if (!kind) {
      std::fprintf(stderr, "emulated_hip: no fault '%s'\n", name);
      std::exit(64);
    }
    fault.kind = *kind;
  }
  return std::make_unique<gfx950::Machine>(std::move(config), gfx950::fault_everywhere(fault));
}

}  // namespace

// What clang's start-up code of a HIP program calls. The wrapper is {magic, version, binary, unused}; the binary is the
// code object itself, whose section headers end the file.
extern "C" {
struct FatBinaryWrapper {
  unsigned magic, version;
  const std::byte* binary;
  void* unused;
};
void** __hipRegisterFatBinary(const void* data);
void __hipRegisterFunction(void**, const void* host, char*, const char* name, unsigned, void*, void*, void*, void*,
                           int*);
void __hipUnregisterFatBinary(void**);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);

void** __hipRegisterFatBinary(const void* data) {
  static void* handle = nullptr;
  FatBinaryWrapper wrapper;
  std::memcpy(&wrapper, data, sizeof wrapper);
  Elf64_Ehdr header;
  std::memcpy(&header, wrapper.binary, sizeof header);
  const std::size_t bytes = header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
  auto object = gfx950::load_code_object(std::span(wrapper.binary, bytes));
  if (object) {
    hip.object = *std::move(object);
  } else {
    failed(object.error());
  }
  return &handle;
}

void __hipRegisterFunction(void**, const void* host, char*, const char* name, unsigned, void*, void*, void*, void*,
                           int*) {
  hip.kernels[host] = name;
}
void __hipUnregisterFatBinary(void**) {}
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*) {
  return failed("a launch by <<<>>> is not known here");
}
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t) {
  return failed("hipLaunchKernel is not known here");
}

hipError_t hipMalloc(void** pointer, size_t bytes) {
  if (!hip.machine) hip.machine = make_machine();
  const std::uint64_t address = hip.machine->allocate(bytes);
  std::memcpy(pointer, &address, sizeof address);
  return hipSuccess;
}

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  std::uint64_t address = 0;
  if (kind == hipMemcpyHostToDevice) {
    std::memcpy(&address, &to, sizeof address);
    if (hip.machine->write(address, std::span(static_cast<const std::byte*>(from), bytes))) return hipSuccess;
  } else {
    std::memcpy(&address, &from, sizeof address);
    if (hip.machine->read(address, std::span(static_cast<std::byte*>(to), bytes))) return hipSuccess;
  }
  return failed("copy outside an allocation");
}

void emulated_hip_launch(const void* kernel, unsigned workgroups, unsigned lanes, const void* arguments, size_t bytes) {
  const auto known = hip.kernels.find(kernel);
  if (!hip.object || known == hip.kernels.end() || lanes != 64) {
    failed("no such kernel, or not 64 lanes");
    return;
  }
  const gfx950::LaunchResult result = hip.machine->launch(*hip.object, known->second, workgroups,
                                                          std::span(static_cast<const std::byte*>(arguments), bytes));
  if (result.stop != gfx950::Stop::kCompleted) failed(result.message);
}

hipError_t hipDeviceSynchronize() { return hip.error.empty() ? hipSuccess : 1; }
hipError_t hipGetLastError() { return hip.error.empty() ? hipSuccess : 1; }
const char* hipGetErrorString(hipError_t error) { return error == hipSuccess ? "no error" : hip.error.c_str(); }
}

int main(int argc, char** argv) {
  void* program = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* entry = program ? dlsym(program, "main") : nullptr;
  if (!entry) {
    std::fprintf(stderr, "emulated_hip: %s\n", argc == 2 ? dlerror() : "want one program");
    return 64;
  }
  int (*start)() = nullptr;
  std::memcpy(&start, &entry, sizeof start);
  return start();
}
