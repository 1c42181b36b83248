#include <utility>

#include "harness/devices/device.h"

namespace mfma::devices {
namespace {

class LazyLaunch : public Launch {
 public:
  LazyLaunch(Module& module, std::string kernel, std::span<const cases::Case> cases)
      : module_(module), kernel_(std::move(kernel)), cases_(cases) {}
  LaunchOutcome collect() override { return module_.run(kernel_, cases_); }

 private:
  Module& module_;
  std::string kernel_;
  std::span<const cases::Case> cases_;
};

}  // namespace

std::unique_ptr<Launch> Module::submit(const std::string& kernel, std::span<const cases::Case> cases) {
  return std::make_unique<LazyLaunch>(*this, kernel, cases);
}

}  // namespace mfma::devices
