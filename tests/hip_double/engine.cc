// The emulated gfx950 behind the test double: serves one double on standard input, which is a socket, until that is
// gone.
#include "tests/hip_double/engine.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "harness/devices/emulated.h"
#include "harness/gfx950/machine/machine.h"

namespace mfma::hip_double {
namespace {

constexpr int kSocket = STDIN_FILENO;

class Engine {
 public:
  explicit Engine(std::shared_ptr<const gfx950::MatrixConfig> config) : machine_(std::move(config)) {}

  bool serve() {
    const std::optional<Message> request = receive_message(kSocket);
    if (!request) return false;
    Head answer = request->head;
    std::vector<std::byte> bytes;
    switch (request->head.op) {
      case Op::kAllocate:
        answer.a = machine_.allocate(request->head.b);
        break;
      case Op::kReleaseAll:
        machine_.release_all();
        break;
      case Op::kWrite:
        answer.code = machine_.write(request->head.a, request->bytes) ? 0 : 1;
        break;
      case Op::kRead:
        bytes.resize(request->head.b);
        answer.code = machine_.read(request->head.a, bytes) ? 0 : 1;
        break;
      case Op::kLoad:
        load(request->bytes, answer, bytes);
        break;
      case Op::kUnload:
        modules_.erase(request->head.a);
        break;
      case Op::kLaunch:
        launch(*request, answer);
        break;
      case Op::kSpoil:
        machine_.set_faults(gfx950::fault_at(gfx950::place_of(static_cast<std::uint32_t>(request->head.a)),
                                             {gfx950::MatrixFault::Kind::kStuckLane, -1, 5}));
        break;
    }
    return send_message(kSocket, answer, bytes);
  }

 private:
  // Answers with the kernels' names, each with a zero after it.
  void load(std::span<const std::byte> object, Head& answer, std::vector<std::byte>& names) {
    auto loaded = gfx950::load_code_object(object);
    answer.code = loaded ? 0 : 1;
    if (!loaded) return;
    for (const std::string& name : gfx950::kernel_names(**loaded)) {
      const std::span text = std::as_bytes(std::span(name.c_str(), name.size() + 1));
      names.insert(names.end(), text.begin(), text.end());
    }
    answer.a = ++last_;
    modules_[answer.a] = *loaded;
  }

  // The bytes are the kernel's name, a zero, and the arguments.
  void launch(const Message& request, Head& answer) {
    const char* text = reinterpret_cast<const char*>(request.bytes.data());
    const std::string name(text, strnlen(text, request.bytes.size()));
    const std::span arguments = std::span(request.bytes).subspan(name.size() + 1);
    const gfx950::LaunchResult result =
        machine_.launch(*modules_.at(request.head.a), name, static_cast<std::uint32_t>(request.head.b), arguments);
    answer.code = static_cast<std::int32_t>(result.stop);
  }

  gfx950::Machine machine_;
  std::map<std::uint64_t, std::shared_ptr<const gfx950::CodeObject>> modules_;
  std::uint64_t last_ = 0;
};

}  // namespace
}  // namespace mfma::hip_double

int main() {
  std::vector<const mfma::catalogue::Builtin*> all;
  for (const mfma::catalogue::Builtin& b : mfma::catalogue::builtins()) all.push_back(&b);
  const auto config =
      mfma::devices::matrix_config(mfma::oracles::default_profile(), all, mfma::oracles::BroadcastReading::kPerSet);
  if (!config) {
    std::fprintf(stderr, "hip double: %s\n", config.error().c_str());
    return 2;
  }
  mfma::hip_double::Engine engine(*config);
  while (engine.serve()) {
  }
  return 0;
}
