#include "reports/model/same_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

#include "reports/model/row_text.h"
#include "reports/model/run_fields.h"

namespace mfma::reports {
namespace {

std::string text_of_all(const std::vector<CompilerReport>& compilers) {
  std::vector<std::string> all;
  for (const CompilerReport& c : compilers)
    all.push_back(fmt::format("{} (hash {}, flags {})", c.version, c.hash, fmt::join(c.flags, " ")));
  return fmt::to_string(fmt::join(all, "; "));
}

std::string text_of_all(const std::vector<JudgedWaiver>& waivers) {
  std::vector<std::string> all;
  for (const JudgedWaiver& w : waivers)
    all.push_back(fmt::format("{}, {}, {}", describe(w.waiver), w.waiver.reason, w.waiver.link));
  return all.empty() ? "none named" : text_of(all);
}

// Puts the first difference into `first`.
class Differences {
 public:
  Differences(const RunReport& x, const RunReport& y, std::string& first) : x_(x), y_(y), first_(first) {}

  template <typename Row>
  void operator()(const Row& row) const {
    if constexpr (requires { text_of(x_, row); }) {
      compare(row.about, text_of(x_, row), text_of(y_, row));
    } else if constexpr (requires { text_of_all(x_.*row.member); }) {
      compare(row.about, text_of_all(x_.*row.member), text_of_all(y_.*row.member));
    } else if constexpr (requires { row.about; }) {
      if (row.about.same_run) throw std::logic_error(std::string("no text for the field ") + row.about.key);
    }
    if constexpr (requires { row.present; }) record::for_each(row.of.rows, *this);
  }

 private:
  void compare(const record::About& about, const std::string& x, const std::string& y) const {
    if (!about.same_run || x == y || !first_.empty()) return;
    const auto shown = [&](const std::string& text) { return text.empty() && about.if_none ? about.if_none : text; };
    first_ = fmt::format("{}: {} and {}", about.same_run, shown(x), shown(y));
  }

  const RunReport& x_;
  const RunReport& y_;
  std::string& first_;
};

}  // namespace

std::string difference_of_runs(const RunReport& x, const RunReport& y) {
  std::string first;
  record::for_each(kRunFields, Differences(x, y, first));
  return first;
}

}  // namespace mfma::reports
