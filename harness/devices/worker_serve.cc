// The worker's side of harness/devices/worker.h.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <map>
#include <thread>

#include "harness/devices/worker.h"

namespace mfma::devices::worker {
namespace {

// No exit handlers: those of a GPU runtime may hang after a fault, and nobody needs them.
[[noreturn]] void leave(int code) { _exit(code); }

// Ends the process when the parent has gone, also while a launch never ends.
void watch_the_parent() {
  std::thread([] {
    while (true) {
      pollfd parent{kChannel, POLLRDHUP, 0};
      if (poll(&parent, 1, -1) < 0 && errno != EINTR) leave(0);
      if (parent.revents != 0) leave(0);
    }
  }).detach();
}

void write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(kChannel, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      leave(0);
    }
  }
}

void read_all(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = read(kChannel, bytes.data(), bytes.size());
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      leave(0);
    }
  }
}

void write_frame(MessageType type, std::uint64_t sequence, std::span<const std::byte> payload) {
  const FrameHeader header = header_of(type, sequence, payload);
  write_all(std::as_bytes(std::span(&header, 1)));
  write_all(payload);
}

void say_hello(const Hello& hello) {
  write_frame(MessageType::kHello, 0, encode(hello));
}

[[noreturn]] void say_farewell(const std::string& error) {
  say_hello({error, {}});
  leave(0);
}

class Server {
 public:
  explicit Server(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  void answer_next() {
    FrameHeader header;
    read_all(std::as_writable_bytes(std::span(&header, 1)));
    if (!wrong_with(header).empty()) leave(kBadRequest);
    std::vector<std::byte> payload(header.length);
    read_all(payload);
    if (digest_of(payload) != header.digest) leave(kBadRequest);
    switch (static_cast<MessageType>(header.type)) {
      case MessageType::kLoad:
        return write_frame(MessageType::kLoaded, header.sequence, load(payload));
      case MessageType::kUnload:
        return write_frame(MessageType::kLoaded, header.sequence, unload(payload));
      case MessageType::kRun:
        return write_frame(MessageType::kOutcome, header.sequence, run(payload));
      case MessageType::kHello:
      case MessageType::kLoaded:
      case MessageType::kOutcome:
        break;
    }
    leave(kBadRequest);
  }

 private:
  static constexpr int kBadRequest = 70;

  std::vector<std::byte> load(std::span<const std::byte> payload) {
    Reader in(payload);
    const auto id = in.value<std::uint64_t>();
    const std::span<const std::byte> object = in.bytes();
    if (!in.at_end()) leave(kBadRequest);
    Writer out;
    // The object must stay: a runtime may read it as long as the module is loaded.
    Loaded& at = modules_[id];
    at.object.assign(object.begin(), object.end());
    auto module = device_->load(at.object);
    out.text(module ? "" : module.error());
    if (module) {
      at.module = *std::move(module);
    } else {
      modules_.erase(id);
    }
    return out.take();
  }

  std::vector<std::byte> unload(std::span<const std::byte> payload) {
    Reader in(payload);
    modules_.erase(in.value<std::uint64_t>());
    Writer out;
    out.text("");
    return out.take();
  }

  std::vector<std::byte> run(std::span<const std::byte> payload) {
    const std::optional<RunRequest> request = decode_run(payload);
    if (!request) leave(kBadRequest);
    const auto at = modules_.find(request->module);
    if (at == modules_.end()) leave(kBadRequest);
    return encode(at->second.module->run(request->kernel, request->cases));
  }

  struct Loaded {
    std::vector<std::byte> object;
    std::unique_ptr<Module> module;
  };
  std::unique_ptr<Device> device_;
  std::map<std::uint64_t, Loaded> modules_;
};

}  // namespace

void serve(const MakeDevice& make) {
  watch_the_parent();
  try {
    auto device = make();
    if (!device) say_farewell(device.error());
    const DeviceInfo info = (*device)->info();
    Server server(*std::move(device));
    say_hello({"", {info}});
    while (true) server.answer_next();
  } catch (const std::exception& error) {
    constexpr int kUncaught = 71;
    const std::string text = std::string("worker: ") + error.what() + "\n";
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
    leave(kUncaught);
  }
}

void serve_list(const std::function<tl::expected<std::vector<DeviceInfo>, std::string>()>& list) {
  watch_the_parent();
  auto devices = list();
  if (!devices) say_farewell(devices.error());
  say_hello({devices->empty() ? "no device" : "", *std::move(devices)});
  leave(0);
}

}  // namespace mfma::devices::worker
