// Faults that the environment asks the test double for.
//
// MFMA_HIP_DOUBLE_FAULTS: KIND[=VALUE][@N[+]][/EVERY][#DEVICE] with commas between.
//   @N     only the N-th time (from 1) that the place is passed where the fault can strike; @N+ from then on;
//   /EVERY each EVERY-th time; neither: always;
//   #D     only on device D, as counted before any is hidden.
// MFMA_HIP_DOUBLE_STATE: a folder where the counters are kept, so that they go on over processes. Without it they begin
// again in each.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mfma::hip_double {

struct Fault {
  std::string kind, value;
  std::uint64_t at = 0;  // 0: not by number
  bool onward = false;
  std::uint64_t every = 0;  // 0: not
  int device = -1;          // -1: any
};

// A word that is no fault of this form: std::invalid_argument.
std::vector<Fault> parse_faults(const std::string& text);

class Faults {
 public:
  static Faults& instance();

  // Passes the place of this kind; the fault's value when it strikes.
  std::optional<std::string> strikes(const std::string& kind, int device);
  // Something that once it is so stays so, over processes where there is a state folder.
  void set(const std::string& flag);
  bool is_set(const std::string& flag);

 private:
  Faults();
  std::uint64_t count(const std::string& name);

  std::mutex mutex_;
  std::vector<Fault> faults_;
  std::string folder_;
  std::vector<std::pair<std::string, std::uint64_t>> counters_;
};

}  // namespace mfma::hip_double
