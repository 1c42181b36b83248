// The parent's side of one worker process: what is under way there, and what follows when it fails (worker.h).
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/devices/worker.h"

namespace mfma::devices::worker {

struct Started {
  std::unique_ptr<Process> process;
  Hello hello;
};
tl::expected<Started, std::string> start(const WorkerOptions& options);

// The file that names what is in flight. What goes wrong with it is said once and stops no launch.
class Record {
 public:
  explicit Record(std::filesystem::path file) : file_(std::move(file)) {}
  // Empty, or what went wrong.
  std::string write(const std::string& text);
  void clear();

 private:
  std::filesystem::path file_;
  bool broken_ = false;
};

// A code object as the parent keeps it, to load it again in a fresh worker.
struct Object {
  std::uint64_t id = 0;
  std::vector<std::byte> bytes;
  std::uint64_t generation = 0;  // of the worker that has it; 0: none. The supervisor's mutex guards it
};

// A launch from its submission to its outcome. The supervisor's mutex guards all of it.
struct Pending {
  enum class State { kUnsent, kSent, kDone };
  State state = State::kUnsent;
  Object* object = nullptr;            // not of a dropped one
  std::span<const cases::Case> cases;  // the same
  std::string kernel, what;            // for messages: kernel and cases
  std::size_t count = 0;
  int registers = 0;
  std::uint64_t request = 0;
  bool dropped = false;
  LaunchOutcome outcome;
};

// Everything behind one mutex. One that waits for a result holds it; so that the device has work meanwhile, callers
// submit the next launch before they collect one.
class Supervisor {
 public:
  Supervisor(WorkerOptions options, Started started);
  ~Supervisor() { record_.clear(); }

  const DeviceInfo& info() const { return info_; }
  ErrorCounts error_counts() const;

  struct Loaded {
    std::string refused;                   // by the device
    std::optional<LaunchOutcome> stopped;  // the worker did not survive it
  };
  Loaded load(Object& object);
  void unload(const Object& object);

  // Sends the launch, where needed after taking the results of older ones.
  void submit(const std::shared_ptr<Pending>& launch);
  LaunchOutcome collect(const std::shared_ptr<Pending>& launch);
  void drop(const std::shared_ptr<Pending>& launch);
  LaunchOutcome run_program(Object& object, const std::string& kernel, const ProgramLaunch& launch);

 private:
  LaunchOutcome not_run() const;
  LaunchOutcome failed(const Answer& answer, const std::string& what);
  void finish(LaunchOutcome& outcome);
  template <class Attempt>
  LaunchOutcome settle(LaunchOutcome outcome, const std::string& what, const Attempt& attempt);
  void judge(LaunchOutcome& outcome, const std::string& what);
  std::optional<LaunchOutcome> make_loaded(Object& object);

  Loaded load_locked(Object& object);
  void send(const std::shared_ptr<Pending>& launch);
  void receive_oldest();
  void receive_all();
  void oldest_failed(const Answer& answer);
  void put_back_the_rest();
  LaunchOutcome alone(const std::shared_ptr<Pending>& launch);
  LaunchOutcome attempt_program(Object& object, const std::string& what, const std::string& kernel,
                                const ProgramLaunch& launch);
  void write_record(const std::string& what);

  void note(const std::string& line) const;
  std::string pci() const;
  std::string recover(const std::string& why);
  std::string bring_up();
  std::string run_probe();

  const WorkerOptions options_;
  std::mutex mutex_;
  Record record_;
  std::unique_ptr<Process> process_;  // null once the device is lost
  const DeviceInfo told_;             // by the first worker
  DeviceInfo info_;                   // and what the machine says of it
  std::deque<std::shared_ptr<Pending>> in_flight_;
  std::uint64_t generation_ = 1;  // of the worker process
  int failures_ = 0;              // since the last completed launch
  std::string lost_;              // why; empty: it is not
};

}  // namespace mfma::devices::worker
