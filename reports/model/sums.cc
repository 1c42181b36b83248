#include "reports/model/sums.h"

#include <algorithm>

#include "reports/model/run_fields.h"

namespace mfma::reports {
namespace {

using record::Merge;

template <typename R, typename Rows>
void add_rows(const R& more, const Rows& rows, R& sum);

template <typename R, typename Row>
void add_row(const R&, const Row&, R&) {}
template <typename R, typename T>
requires std::is_arithmetic_v<T>
void add_row(const R& more, const record::Field<R, T>& row, R& sum) {
  if (row.about.merge == Merge::kSum) sum.*row.member += more.*row.member;
}
template <typename R, typename... Rows>
void add_row(const R& more, const record::Group<R, Rows...>& row, R& sum) {
  add_rows(more, row.of.rows, sum);
}
template <typename R, typename T, typename Of>
void add_row(const R& more, const record::List<R, T, Of>& row, R& sum) {
  if (row.about.merge != Merge::kSum) return;
  for (std::size_t i = 0; i < std::min((more.*row.member).size(), (sum.*row.member).size()); ++i)
    add_rows((more.*row.member)[i], row.of.rows, (sum.*row.member)[i]);
}

template <typename R, typename Rows>
void add_rows(const R& more, const Rows& rows, R& sum) {
  record::for_each(rows, [&](const auto& row) { add_row(more, row, sum); });
}

}  // namespace

void add_sums(const RunReport& more, RunReport& sum) { add_rows(more, kRunHead, sum); }

}  // namespace mfma::reports
