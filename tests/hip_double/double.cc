// libamdhip64.so.7 for tests: the part of the HIP runtime that the program uses, over the emulated gfx950, with faults
// (faults.h). It shares our reading of HIP with the program, which the header check and the lane with Debian's library
// hold against the real thing.
//
// Kinds of faults, by the place where they strike:
//   hipInit        no-device, init-crash, init-hang, init-slow=MS
//   devices        devices=N (2 and more GPUs), arch=NAME, version=N
//   hipMalloc      out-of-memory
//   hipModuleLoadData  load-error, load-hang, load-crash
//   launches       launch-error, illegal-address, ecc (from the next synchronize on, and for the rest of the process),
//                  hang, slow=MS, crash, abort, exit, garbage, closed, noise, gone (nothing runs, all succeeds),
//                  lost (every call fails from here on, in every process),
//                  bad-unit=N (from here on the SIMD that runs workgroup N computes with a lane of A stuck at zero),
//                  ras (a corrected memory error is counted in the file that MFMA_HIP_DOUBLE_RAS names)
//   copies to the host  flip=DWORD.BIT, short-copy
//
// What is given to a stream is done when that is waited for, not before: whoever reads a result or changes an operand
// too early sees it.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/devices/hip_api.h"
#include "tests/hip_double/engine.h"
#include "tests/hip_double/faults.h"

namespace mfma::hip_double {
namespace {

using namespace devices::hip;

constexpr int kChannel = 3;  // of a worker process: where a runtime gone mad could write
constexpr int kVersion = 70051831;
constexpr int kInvalidValue = 1;  // hipErrorInvalidValue

[[noreturn]] void sleep_for_ever() {
  while (true) pause();
}

// As in a program that no sanitizer watches: theirs would end the process in another way.
void crash() {
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

void sleep_ms(const std::string& ms) { usleep(static_cast<useconds_t>(std::stoul(ms) * 1000)); }

std::vector<int> numbers(const char* name, const std::vector<int>& all) {
  const char* text = std::getenv(name);
  if (!text || !*text) return all;
  std::vector<int> chosen;
  for (const char* at = text; *at;) {
    char* end = nullptr;
    const long n = std::strtol(at, &end, 10);
    if (end == at || n < 0 || static_cast<std::size_t>(n) >= all.size()) break;  // as HIP does: the rest is not seen
    chosen.push_back(all[static_cast<std::size_t>(n)]);
    at = *end == ',' ? end + 1 : end;
  }
  return chosen;
}

struct LoadedModule {
  std::uint64_t id = 0;  // in the engine
  std::vector<std::string> kernels;
  std::map<std::string, std::pair<LoadedModule*, std::string>> functions;
};

class Engine {
 public:
  static Engine& instance() {
    static Engine engine;
    return engine;
  }

  std::mutex mutex;
  std::vector<int> visible;                    // physical numbers
  static inline thread_local int current = 0;  // among the visible; each thread has its own, as in HIP
  std::atomic<int> sticky = kSuccess;
  bool hung = false;
  std::map<std::uint64_t, std::size_t> live;  // allocations
  std::map<void*, std::unique_ptr<LoadedModule>> modules;

  // Asks the engine. Without one the process is of no more use to a test.
  Message ask(Op op, std::uint64_t a = 0, std::uint64_t b = 0, std::span<const std::byte> bytes = {}) {
    if (socket_ < 0) start();
    Head head;
    head.op = op;
    head.a = a;
    head.b = b;
    std::optional<Message> answer;
    if (send_message(socket_, head, bytes)) answer = receive_message(socket_);
    if (!answer) {
      std::fputs("hip double: its engine is gone\n", stderr);
      std::abort();
    }
    return *std::move(answer);
  }

  int physical() const { return visible.empty() ? 0 : visible.at(static_cast<std::size_t>(current)); }
  std::optional<std::string> strikes(const char* kind) { return Faults::instance().strikes(kind, physical()); }
  int state() const { return Faults::instance().is_set("lost") ? static_cast<int>(kNoDevice) : sticky.load(); }

 private:
  void start() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    std::string program = HIP_DOUBLE_ENGINE;
    std::array<char*, 2> arguments{program.data(), nullptr};
    pid_t pid = -1;
    if (posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ) != 0) {
      std::fprintf(stderr, "hip double: cannot start %s\n", program.c_str());
      std::abort();
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    socket_ = ends[0];
  }
  int socket_ = -1;
};

// Emulated stops, as the engine gives them back.
constexpr std::int32_t kCompleted = 0, kMemoryFault = 3, kBudgetExhausted = 4;

// The size of an object that comes without it.
std::size_t size_of_elf(const std::byte* image) {
  std::uint64_t sections = 0;
  std::uint16_t size = 0, count = 0;
  std::memcpy(&sections, image + 0x28, sizeof sections);
  std::memcpy(&size, image + 0x3a, sizeof size);
  std::memcpy(&count, image + 0x3c, sizeof count);
  return sections + std::size_t{size} * count;
}

[[maybe_unused]] void strike_process() {
  Engine& e = Engine::instance();
  if (e.strikes("crash")) crash();
  if (e.strikes("abort")) {
    std::fputs("Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x2000. Reason: Page not present.\n",
               stderr);
    std::abort();
  }
  if (e.strikes("exit")) _exit(0);
  if (e.strikes("ras")) {
    std::ofstream(std::getenv("MFMA_HIP_DOUBLE_RAS"), std::ios::trunc) << "ue: 0\nce: 7\n";
  }
  if (e.strikes("closed")) {
    syscall(SYS_close, kChannel);  // behind ThreadSanitizer's back: that another thread reads from it is the point
    sleep_for_ever();
  }
  if (e.strikes("garbage")) {
    const std::vector<char> junk(300, '\xa5');
    static_cast<void>(!send(kChannel, junk.data(), junk.size(), MSG_NOSIGNAL));
  }
  if (e.strikes("noise")) {
    for (int i = 0; i < 20'000; ++i) std::puts("amdgpu: a runtime that talks too much");
    std::fflush(stdout);
  }
}

struct Stream {
  std::vector<std::function<int()>> work;  // each gives a code
};

struct LaunchWork {
  std::uint64_t module = 0;
  unsigned groups = 0;
  std::vector<std::byte> bytes;  // as the engine takes them
  int error = kSuccess;
  bool hangs = false, gone = false;
  std::string slow;
};

[[maybe_unused]] int do_launch(Engine& e, const LaunchWork& work) {
  if (!work.slow.empty()) sleep_ms(work.slow);
  e.hung = e.hung || work.hangs;
  if (work.error != kSuccess || work.gone || e.hung) return work.error;
  const std::int32_t stop = e.ask(Op::kLaunch, work.module, work.groups, work.bytes).head.code;
  e.hung = stop == kBudgetExhausted;
  if (stop == kMemoryFault) return kIllegalAddress;
  return stop == kCompleted || stop == kBudgetExhausted ? static_cast<int>(kSuccess) : static_cast<int>(kLaunchFailure);
}

int copy_to_device(Engine& e, void* to, const void* from, std::size_t bytes) {
  const std::span data(static_cast<const std::byte*>(from), bytes);
  return e.ask(Op::kWrite, reinterpret_cast<std::uint64_t>(to), 0, data).head.code == 0 ? static_cast<int>(kSuccess)
                                                                                        : kInvalidValue;
}

int copy_to_host(Engine& e, void* to, const void* from, std::size_t bytes) {
  Message answer = e.ask(Op::kRead, reinterpret_cast<std::uint64_t>(from), bytes);
  if (answer.head.code != 0) return kInvalidValue;
  std::vector<std::byte>& data = answer.bytes;
  if (const auto place = e.strikes("flip")) {
    const std::size_t dword = std::stoul(*place);
    const unsigned bit = static_cast<unsigned>(std::stoul(place->substr(place->find('.') + 1)));
    data.at(dword * 4 + bit / 8) ^= std::byte{1} << (bit % 8);
  }
  std::memcpy(to, data.data(), e.strikes("short-copy") ? bytes / 2 : bytes);
  return kSuccess;
}

}  // namespace
}  // namespace mfma::hip_double

using namespace mfma::hip_double;
namespace hip = mfma::devices::hip;
#define EXPORT extern "C" __attribute__((visibility("default")))

// A signature that is not the program's does not compile.
#define MFMA_DECLARE(name, result, parameters) EXPORT result name parameters;
MFMA_HIP_FUNCTIONS(MFMA_DECLARE)
#undef MFMA_DECLARE

EXPORT int hipInit(unsigned) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  Faults& faults = Faults::instance();
  if (faults.strikes("init-crash", -1)) crash();
  if (faults.strikes("init-hang", -1)) sleep_for_ever();
  if (const auto ms = faults.strikes("init-slow", -1)) sleep_ms(*ms);
  if (faults.strikes("no-device", -1)) return hip::kInvalidDevice;  // as Debian's 5.2.3 says where there is no GPU
  std::vector<int> all = {0};
  if (const auto count = faults.strikes("devices", -1)) {
    all.resize(std::stoul(*count));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  }
  e.visible = numbers("HIP_VISIBLE_DEVICES", numbers("ROCR_VISIBLE_DEVICES", all));
  return e.state();
}

EXPORT int hipGetDeviceCount(int* count) {
  Engine& e = Engine::instance();
  *count = static_cast<int>(e.visible.size());
  return e.visible.empty() ? static_cast<int>(hip::kNoDevice) : e.state();
}

EXPORT int hipSetDevice(int device) {
  Engine& e = Engine::instance();
  if (device < 0 || static_cast<std::size_t>(device) >= e.visible.size()) return hip::kInvalidDevice;
  e.current = device;
  return e.state();
}

#ifndef HIP_DOUBLE_OLD_ABI
EXPORT int hipGetDevicePropertiesR0600(void* properties, int device) {
  Engine& e = Engine::instance();
  if (device < 0 || static_cast<std::size_t>(device) >= e.visible.size()) return hip::kInvalidDevice;
  std::array<char, 1472> bytes{};
  const int physical = e.visible[static_cast<std::size_t>(device)];
  std::strncpy(bytes.data() + hip::kNameOffset, "TEST DOUBLE of an MI350X", hip::kNameBytes - 1);
  const std::string arch = Faults::instance().strikes("arch", physical).value_or("gfx950:sramecc+:xnack-");
  std::strncpy(bytes.data() + hip::kArchOffset, arch.c_str(), hip::kArchBytes - 1);
  const int warp = 64;
  std::memcpy(bytes.data() + 308, &warp, sizeof warp);
  std::memcpy(properties, bytes.data(), bytes.size());
  return e.state();
}
#endif

EXPORT int hipDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == hip::kAttributeMultiprocessors ? 256 : attribute == hip::kAttributeWarpSize ? 64 : 0;
  return Engine::instance().state();
}

EXPORT int hipDeviceGetPCIBusId(char* id, int size, int device) {
  Engine& e = Engine::instance();
  if (device < 0 || static_cast<std::size_t>(device) >= e.visible.size()) return hip::kInvalidDevice;
  std::snprintf(id, static_cast<std::size_t>(size), "0000:%02x:00.0",
                0xc1 + e.visible[static_cast<std::size_t>(device)]);
  return e.state();
}

EXPORT int hipRuntimeGetVersion(int* version) {
  const auto told = Faults::instance().strikes("version", -1);
  *version = told ? std::stoi(*told) : kVersion;
  return hip::kSuccess;
}

EXPORT int hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }

EXPORT const char* hipGetErrorName(int error) {
  switch (error) {
    case hip::kSuccess:
      return "hipSuccess";
    case hip::kOutOfMemory:
      return "hipErrorOutOfMemory";
    case hip::kNoDevice:
      return "hipErrorNoDevice";
    case hip::kInvalidDevice:
      return "hipErrorInvalidDevice";
    case hip::kNoBinaryForGpu:
      return "hipErrorNoBinaryForGpu";
    case hip::kEccNotCorrectable:
      return "hipErrorECCNotCorrectable";
    case hip::kIllegalAddress:
      return "hipErrorIllegalAddress";
    case hip::kLaunchFailure:
      return "hipErrorLaunchFailure";
    default:
      return "hipErrorUnknown";
  }
}

EXPORT const char* hipGetErrorString(int) { return "an error of the test double"; }

EXPORT int hipMalloc(void** pointer, std::size_t bytes) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  if (e.strikes("out-of-memory")) return hip::kOutOfMemory;
  const std::uint64_t address = e.ask(Op::kAllocate, 0, bytes).head.a;
  e.live[address] = bytes;
  *pointer = reinterpret_cast<void*>(address);
  return hip::kSuccess;
}

EXPORT int hipFree(void* pointer) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  e.live.erase(reinterpret_cast<std::uint64_t>(pointer));
  if (e.live.empty()) static_cast<void>(e.ask(Op::kReleaseAll));
  return e.state();
}

EXPORT int hipHostMalloc(void** pointer, std::size_t bytes, unsigned) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  *pointer = std::malloc(bytes);
  return *pointer ? static_cast<int>(hip::kSuccess) : static_cast<int>(hip::kOutOfMemory);
}

EXPORT int hipHostFree(void* pointer) {
  std::free(pointer);
  return Engine::instance().state();
}

EXPORT int hipStreamCreateWithFlags(void** stream, unsigned) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  *stream = new Stream;
  return hip::kSuccess;
}

EXPORT int hipStreamDestroy(void* stream) {
  delete static_cast<Stream*>(stream);
  return Engine::instance().state();
}

EXPORT int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  if (!stream) return kInvalidValue;  // not what the program does
  static_cast<Stream*>(stream)->work.emplace_back([=, &e] {
    return kind == hip::kHostToDevice ? copy_to_device(e, to, from, bytes) : copy_to_host(e, to, from, bytes);
  });
  return hip::kSuccess;
}

EXPORT int hipModuleLoadData(void** module, const void* image) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  if (e.strikes("load-crash")) crash();
  if (e.strikes("load-hang")) sleep_for_ever();
  if (e.strikes("load-error")) return hip::kNoBinaryForGpu;
  const auto* bytes = static_cast<const std::byte*>(image);
  const Message answer = e.ask(Op::kLoad, 0, 0, {bytes, size_of_elf(bytes)});
  if (answer.head.code != 0) return hip::kNoBinaryForGpu;
  auto loaded = std::make_unique<LoadedModule>();
  loaded->id = answer.head.a;
  const char* names = reinterpret_cast<const char*>(answer.bytes.data());
  for (std::size_t at = 0; at < answer.bytes.size(); at += loaded->kernels.back().size() + 1)
    loaded->kernels.emplace_back(names + at);
  *module = loaded.get();
  e.modules[loaded.get()] = std::move(loaded);
  return hip::kSuccess;
}

EXPORT int hipModuleUnload(void* module) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const auto at = e.modules.find(module); at != e.modules.end()) {
    static_cast<void>(e.ask(Op::kUnload, at->second->id));
    e.modules.erase(at);
  }
  return e.state();
}

EXPORT int hipModuleGetFunction(void** function, void* module, const char* name) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  constexpr int kNotFound = 500;
  LoadedModule& loaded = *e.modules.at(module);
  if (std::find(loaded.kernels.begin(), loaded.kernels.end(), name) == loaded.kernels.end()) return kNotFound;
  auto& entry = loaded.functions[name];
  entry = {&loaded, name};
  *function = &entry;
  return hip::kSuccess;
}

#ifndef HIP_DOUBLE_NO_LAUNCH
EXPORT int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned, void* stream, void**, void** extra) {
  Engine& e = Engine::instance();
  const std::lock_guard lock(e.mutex);
  if (const int error = e.state()) return error;
  if (!stream || grid_y != 1 || grid_z != 1 || block_x != 64 || block_y != 1 || block_z != 1) return kInvalidValue;
  if (!extra || extra[0] != hip::kArgumentBuffer || extra[2] != hip::kArgumentSize || extra[4] != hip::kArgumentEnd)
    return kInvalidValue;
  strike_process();
  if (e.strikes("lost")) {
    Faults::instance().set("lost");
    return e.state();
  }
  if (const auto unit = e.strikes("bad-unit")) static_cast<void>(e.ask(Op::kSpoil, std::stoul(*unit)));
  LaunchWork work;
  if (e.strikes("launch-error")) work.error = hip::kLaunchFailure;
  if (e.strikes("illegal-address")) work.error = hip::kIllegalAddress;
  if (e.strikes("ecc")) work.error = hip::kEccNotCorrectable;
  work.hangs = e.strikes("hang").has_value();
  work.slow = e.strikes("slow").value_or("");
  work.gone = e.strikes("gone").has_value();
  const auto& [module, name] = *static_cast<std::pair<LoadedModule*, std::string>*>(function);
  const std::span arguments(static_cast<const std::byte*>(extra[1]), *static_cast<const std::size_t*>(extra[3]));
  work.module = module->id;
  work.groups = grid_x;
  work.bytes.resize(name.size() + 1 + arguments.size());
  std::memcpy(work.bytes.data(), name.c_str(), name.size() + 1);
  std::memcpy(work.bytes.data() + name.size() + 1, arguments.data(), arguments.size());
  static_cast<Stream*>(stream)->work.emplace_back([work, &e] { return do_launch(e, work); });
  return hip::kSuccess;
}
#endif

EXPORT int hipStreamSynchronize(void* stream) {
  Engine& e = Engine::instance();
  std::unique_lock lock(e.mutex);
  std::vector<std::function<int()>> work;
  work.swap(static_cast<Stream*>(stream)->work);
  for (const std::function<int()>& step : work) {
    if (e.state() != hip::kSuccess || e.hung) break;
    if (const int error = step(); error != hip::kSuccess) e.sticky = error;
  }
  if (e.hung) {
    lock.unlock();
    sleep_for_ever();
  }
  return e.state();
}
