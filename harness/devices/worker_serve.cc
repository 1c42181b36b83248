// The worker's side of harness/devices/worker.h.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
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

void say_hello(const Hello& hello) { write_frame(MessageType::kHello, 0, encode(hello)); }

[[noreturn]] void say_farewell(const std::string& error) {
  say_hello({error, {}});
  leave(0);
}

[[noreturn]] void die_of(const std::exception& error) {
  constexpr int kUncaught = 71;
  const std::string text = std::string("worker: ") + error.what() + "\n";
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  leave(kUncaught);
}

// A launch under way, with what it needs until it is collected.
struct UnderWay {
  std::uint64_t sequence = 0;
  RunRequest request;
  std::unique_ptr<Launch> launch;
};

// Launches that wait for their results, oldest first. One thread adds, the other collects and answers.
class Collector {
 public:
  Collector() {
    std::thread([this] { collect_for_ever(); }).detach();
  }

  // Waits for a place.
  void wait_for_a_place() { wait_until(kMostInFlight - 1); }
  void wait_for_all() { wait_until(0); }

  void add(std::unique_ptr<UnderWay> launch) {
    const std::lock_guard lock(mutex_);
    launches_.push_back(std::move(launch));
    changed_.notify_all();
  }

 private:
  void wait_until(std::size_t at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return launches_.size() <= at_most; });
  }

  void collect_for_ever() {
    while (true) {
      UnderWay* oldest = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !launches_.empty(); });
        oldest = launches_.front().get();
      }
      std::vector<std::byte> outcome;
      try {
        outcome = encode(oldest->launch->collect());
      } catch (const std::exception& error) {
        die_of(error);
      }
      write_frame(MessageType::kOutcome, oldest->sequence, outcome);
      // Only now is its place free: answers do not mix with those of the other thread, which waits for all to be gone.
      const std::lock_guard lock(mutex_);
      launches_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<UnderWay>> launches_;
};

class Server {
 public:
  explicit Server(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  void take_next() {
    FrameHeader header;
    read_all(std::as_writable_bytes(std::span(&header, 1)));
    if (!wrong_with(header).empty()) leave(kBadRequest);
    std::vector<std::byte> payload(header.length);
    read_all(payload);
    if (digest_of(payload) != header.digest) leave(kBadRequest);
    const auto type = static_cast<MessageType>(header.type);
    if (type == MessageType::kRun) return submit(header.sequence, payload);
    collector_.wait_for_all();
    switch (type) {
      case MessageType::kLoad:
        return write_frame(MessageType::kLoaded, header.sequence, load(payload));
      case MessageType::kUnload:
        return write_frame(MessageType::kLoaded, header.sequence, unload(payload));
      case MessageType::kRunProgram:
        return write_frame(MessageType::kOutcome, header.sequence, run_program(payload));
      case MessageType::kRun:
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

  Module& module_of(std::uint64_t id) {
    const auto at = modules_.find(id);
    if (at == modules_.end()) leave(kBadRequest);
    return *at->second.module;
  }

  void submit(std::uint64_t sequence, std::span<const std::byte> payload) {
    auto under_way = std::make_unique<UnderWay>();
    under_way->sequence = sequence;
    std::optional<RunRequest> request = decode_run(payload);
    if (!request || request->cases.empty()) leave(kBadRequest);
    under_way->request = *std::move(request);
    Module& module = module_of(under_way->request.module);
    collector_.wait_for_a_place();
    under_way->launch = module.submit(under_way->request.kernel, under_way->request.cases);
    collector_.add(std::move(under_way));
  }

  std::vector<std::byte> run_program(std::span<const std::byte> payload) {
    const std::optional<ProgramRequest> request = decode_run_program(payload);
    if (!request) leave(kBadRequest);
    return encode(module_of(request->module).run_program(request->kernel, request->launch));
  }

  struct Loaded {
    std::vector<std::byte> object;
    std::unique_ptr<Module> module;
  };
  std::unique_ptr<Device> device_;
  std::map<std::uint64_t, Loaded> modules_;
  Collector collector_;
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
    while (true) server.take_next();
  } catch (const std::exception& error) {
    die_of(error);
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
