#include "fuzz/targets/subject.h"

#include <fmt/format.h>

#include "harness/catalogue/register_image.h"

namespace mfma::fuzz {

int compare(const conformance::OracleView& view, const cases::Case& c, const catalogue::RegisterImage& d,
            const std::string& subject) {
  const oracles::DenseResult expected = view.expected(c);
  const std::vector<std::uint64_t> actual = catalogue::read_elements(view.d_layout(), d);
  const conformance::Comparison comparison = view.compare(expected, actual);
  if (comparison.differing.empty()) return 0;
  const std::size_t first = comparison.differing.front();
  fmt::print(stderr, "{}: {} of {} elements differ; the first, number {}: expected {:x}, got {:x}{}\n", subject,
             comparison.differing.size(), comparison.elements, first, expected.d[first], actual[first],
             expected.exact[first] ? " (exact)" : "");
  return 1;
}

}  // namespace mfma::fuzz
