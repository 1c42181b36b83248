#include "harness/gfx950/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "harness/gfx950/hazards/wait_tracker.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/wavefront.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::gfx950 {
namespace {

// What registers hold before anything wrote them: a pattern, so that code which reads one shows.
constexpr std::uint32_t kUnwritten = 0xdead'beef;
constexpr std::size_t kDispatchPacketBytes = 64;  // hsa_kernel_dispatch_packet_t
constexpr std::size_t kQueueBytes = 4096;         // zero; enough for amd_queue_t
constexpr std::uint32_t kLargestPrivate = 1u << 20, kLargestLds = 160 * 1024, kLargestKernarg = 1u << 16;
// Where the code object lies in the device's address space.
constexpr std::uint64_t kCodeBase = Memory::kViews;
constexpr std::uint64_t kArguments = Memory::kViews + (std::uint64_t{1} << 44);
constexpr std::uint64_t kDispatch = kArguments + (std::uint64_t{1} << 32);
constexpr std::uint64_t kQueue = kDispatch + (std::uint64_t{1} << 32);

// What a launch gives the kernel to read.
struct LaunchMemory {
  std::vector<std::byte> arguments;
  std::array<std::byte, kDispatchPacketBytes> dispatch{};
  std::vector<std::byte> queue = std::vector<std::byte>(kQueueBytes);
};

template <class T>
void put(std::span<std::byte> bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// A descriptor that asks for a dynamic stack does not say how much its callees need: LLVM counts 16 KiB for a callee it
// does not know (its option amdgpu-assume-external-call-stack-size).
std::uint32_t private_bytes_of(const KernelDescriptor& d) { return d.private_bytes + (d.dynamic_stack() ? 16384u : 0); }

// Offsets of the HSA dispatch packet: setup 2, workgroup size 4, 6, 8, grid size 12, 16, 20, private and group segment
// sizes 24 and 28, kernel arguments 40.
LaunchMemory launch_memory(const KernelDescriptor& d, std::uint32_t workgroups, std::span<const std::byte> kernarg) {
  LaunchMemory memory;
  memory.arguments.resize(std::max<std::size_t>(d.kernarg_bytes, kernarg.size()));
  if (!kernarg.empty()) std::memcpy(memory.arguments.data(), kernarg.data(), kernarg.size());
  put<std::uint16_t>(memory.dispatch, 2, 1);
  put<std::uint16_t>(memory.dispatch, 4, kLanes);
  put<std::uint16_t>(memory.dispatch, 6, 1);
  put<std::uint16_t>(memory.dispatch, 8, 1);
  put<std::uint32_t>(memory.dispatch, 12, workgroups * kLanes);
  put<std::uint32_t>(memory.dispatch, 16, 1);
  put<std::uint32_t>(memory.dispatch, 20, 1);
  put<std::uint32_t>(memory.dispatch, 24, private_bytes_of(d));
  put<std::uint32_t>(memory.dispatch, 28, d.lds_bytes);
  put<std::uint64_t>(memory.dispatch, 40, kArguments);
  return memory;
}

// User SGPRs in the order of their bits, then workgroup ids (manual table 8; LLVM AMDGPUUsage, "Initial Kernel
// Execution State").
void set_scalar_registers(Wavefront& w, const KernelDescriptor& d, std::uint32_t workgroup) {
  unsigned next = 0;
  const auto put_pair = [&](bool enabled, std::uint64_t value) {
    if (!enabled) return;
    w.set_pair(next, value);
    next += 2;
  };
  if (d.private_segment_buffer()) next += 4;
  put_pair(d.dispatch_pointer(), kDispatch);
  put_pair(d.queue_pointer(), kQueue);
  put_pair(d.kernarg_pointer(), kArguments);
  put_pair(d.dispatch_id(), 0);
  put_pair(d.flat_scratch_init(), 0);
  if (d.private_segment_size()) w.sgpr[next++] = private_bytes_of(d);
  next = d.user_registers();  // preloaded arguments, if any, come before; their kernels also load them themselves
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    if (d.workgroup_id(dimension)) w.sgpr[next++] = dimension == 0 ? workgroup : 0;
  }
  if (d.workgroup_info()) w.sgpr[next++] = 1;
}

void reset(Wavefront& w, const KernelDescriptor& d, std::uint32_t workgroup) {
  for (unsigned i = 0; i < d.vector_registers(); ++i) w.vgpr[i].fill(kUnwritten);
  for (unsigned i = 0; i < d.accumulator_registers(); ++i) w.agpr[i].fill(kUnwritten);
  w.sgpr.fill(kUnwritten);
  for (unsigned code = kFlatScratch; code <= kVcc; code += 2) w.set_pair(code, 0);
  w.set_pair(kExec, kAllLanes);
  w.sgpr[kM0] = 0;
  w.scc = false;
  w.mode = d.initial_mode();
  w.trap_status = 0;
  w.hw_id = hw_id_of(place_of(workgroup));
  w.xcc_id = xcc_id_of(place_of(workgroup));
  for (unsigned lane = 0; lane < kLanes; ++lane) w.vgpr[0][lane] = lane;  // x | y << 10 | z << 20
  set_scalar_registers(w, d, workgroup);
  for (Row& row : w.private_memory) row.fill(kUnwritten);
  std::fill(w.lds.begin(), w.lds.end(), std::byte{0});
}

std::string describe(const Instruction& in, const std::string& why) {
  return fmt::format("pc {:#x}, dword {:#010x} ({}): {}", in.pc, in.dwords[0], render(in), why);
}

std::string why_not_launchable(const KernelDescriptor& d) {
  if (d.private_bytes > kLargestPrivate) return fmt::format("it asks for {} bytes of private memory", d.private_bytes);
  if (d.lds_bytes > kLargestLds)
    return fmt::format("it asks for {} bytes of LDS; there are {}", d.lds_bytes, kLargestLds);
  if (d.kernarg_bytes > kLargestKernarg) return fmt::format("it asks for {} bytes of arguments", d.kernarg_bytes);
  if (d.vector_registers() == 0) return "it has no VGPRs";
  return "";
}

}  // namespace

struct Machine::State {
  State(std::shared_ptr<const MatrixConfig> given, std::shared_ptr<const FaultHook> hook)
      : config(std::move(given)), faults(std::move(hook)) {
    wave->memory = &memory;
    wave->code_base = kCodeBase;
  }

  std::shared_ptr<const MatrixConfig> config;
  std::shared_ptr<const FaultHook> faults;
  std::vector<std::pair<MatrixFault, std::unique_ptr<MatrixUnit>>> units;  // one for each fault that was met
  Memory memory;
  std::unique_ptr<Wavefront> wave = std::make_unique<Wavefront>();
  WaitTracker waits;
  Observer* observer = nullptr;

  const MatrixUnit& unit_at(const Place& place);
  void run_workgroup(const CodeObject& object, const CodeObject::Kernel& kernel, std::uint64_t budget,
                     LaunchResult& result);
};

namespace {

void finish(LaunchResult& result, const Instruction& in, Stop stop, const std::string& why) {
  result.stop = stop;
  result.pc = in.pc;
  result.dword = in.dwords[0];
  result.message = describe(in, why);
}

}  // namespace

const MatrixUnit& Machine::State::unit_at(const Place& place) {
  const MatrixFault fault = faults ? faults->matrix_fault(place) : MatrixFault{};
  for (const auto& [of, unit] : units) {
    if (of == fault) return *unit;
  }
  units.emplace_back(fault, std::make_unique<MatrixUnit>(config, fault));
  return *units.back().second;
}

void Machine::State::run_workgroup(const CodeObject& object, const CodeObject::Kernel& kernel, std::uint64_t budget,
                                   LaunchResult& result) {
  Wavefront& w = *wave;
  const KernelCode* code = &code_of(object, kernel);
  std::map<std::uint64_t, KernelCode> elsewhere;  // code that only a computed jump reaches
  std::uint64_t executed = 0;
  waits.begin();
  std::int32_t at = code->find(kernel.entry);
  const Instruction* last = nullptr;
  while (at >= 0) {
    const Step& step = code->step(at);
    const Instruction& in = step.instruction;
    last = &in;
    waits.issue(in, step.footprint);  // also what is known but not modelled: it would issue
    if (step.verdict != Stop::kCompleted) return finish(result, in, step.verdict, step.reason);
    if (executed >= budget) {
      return finish(result, in, Stop::kBudgetExhausted,
                    fmt::format("{} instructions executed in one workgroup", budget));
    }
    ++executed;
    w.executed = ++result.instructions;
    if (observer != nullptr) observer->executed(in);
    switch (step.handler(w, in)) {
      case Flow::kNext:
        at = step.next;
        break;
      case Flow::kBranch:
        at = step.target;
        break;
      case Flow::kEnd:
        return;
      case Flow::kStop:
        return finish(result, in, w.fault.stop, w.fault.message);
      case Flow::kIndirect:
        at = code->find(w.pc);
        if (at >= 0) break;
        code = &elsewhere.try_emplace(w.pc, object, kernel.descriptor, w.pc).first->second;
        at = code->find(w.pc);
        break;
    }
  }
  finish(result, *last, Stop::kMemoryFault, "control leaves the code object's executable segments");
}

Machine::Machine(std::shared_ptr<const MatrixConfig> config, std::shared_ptr<const FaultHook> faults)
    : state_(std::make_unique<State>(std::move(config), std::move(faults))) {}

Machine::~Machine() = default;

std::uint64_t Machine::allocate(std::size_t bytes) { return state_->memory.allocate(bytes); }

void Machine::release_all() { state_->memory.release_all(); }

bool Machine::write(std::uint64_t address, std::span<const std::byte> data) {
  std::byte* target = state_->memory.find(address, data.size());
  if (target == nullptr) return false;
  if (!data.empty()) std::memcpy(target, data.data(), data.size());
  return true;
}

bool Machine::read(std::uint64_t address, std::span<std::byte> data) const {
  const std::byte* source = state_->memory.find(address, data.size());
  if (source == nullptr) return false;
  if (!data.empty()) std::memcpy(data.data(), source, data.size());
  return true;
}

void Machine::set_faults(std::shared_ptr<const FaultHook> faults) { state_->faults = std::move(faults); }

void Machine::observe(Observer* observer) { state_->observer = observer; }

LaunchResult Machine::launch(const CodeObject& object, std::string_view kernel, std::uint32_t workgroups,
                             std::span<const std::byte> kernarg, std::uint64_t budget_per_workgroup) {
  LaunchResult result;
  const auto found = object.kernels().find(kernel);
  if (found == object.kernels().end()) {
    result.stop = Stop::kNoSuchKernel;
    result.message = fmt::format("no kernel '{}' in the code object", kernel);
    return result;
  }
  const KernelDescriptor& descriptor = found->second.descriptor;
  if (const std::string why = why_not_launchable(descriptor); !why.empty()) {
    result.stop = Stop::kIllegalOperand;
    result.message = fmt::format("kernel '{}' cannot be launched: {}", kernel, why);
    return result;
  }
  const LaunchMemory launch = launch_memory(descriptor, workgroups, kernarg);
  Memory& memory = state_->memory;
  for (const Segment& segment : object.segments()) memory.map_view(kCodeBase + segment.address, segment.bytes);
  memory.map_view(kArguments, launch.arguments);
  memory.map_view(kDispatch, launch.dispatch);
  memory.map_view(kQueue, launch.queue);
  Wavefront& w = *state_->wave;
  w.private_bytes = private_bytes_of(descriptor);
  w.private_memory.resize((w.private_bytes + 3) / 4);
  w.lds.resize(descriptor.lds_bytes);
  for (std::uint32_t workgroup = 0; workgroup < workgroups && result.stop == Stop::kCompleted; ++workgroup) {
    result.workgroup = workgroup;
    reset(w, descriptor, workgroup);
    w.matrix = &state_->unit_at(place_of(workgroup));
    if (state_->observer != nullptr) state_->observer->workgroup_begins(workgroup);
    state_->run_workgroup(object, found->second, budget_per_workgroup, result);
  }
  memory.clear_views();
  HazardList hazards = state_->waits.take();
  result.hazards = std::move(hazards.list);
  result.more_hazards = hazards.more;
  return result;
}

}  // namespace mfma::gfx950
