// Every member of a record has its row among the fields, so that none is written by nobody.
#include <gtest/gtest.h>

#include <utility>

#include "reports/json/event_fields.h"
#include "reports/model/compare_fields.h"
#include "reports/model/run_fields.h"

namespace mfma::reports {
namespace {

// Becomes whatever a member is initialised from.
struct Anything {
  template <typename T>
  operator T() const;  // never called
};

template <typename R, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { R{(static_cast<void>(I), Anything())...}; };
}
template <typename R, std::size_t N = 0>
constexpr std::size_t members() {
  if constexpr (takes<R>(std::make_index_sequence<N + 1>())) {
    return members<R, N + 1>();
  } else {
    return N;
  }
}

// Rows of the record's own members; `R` is the record, whose groups are looked into.
template <typename R, typename Rows>
std::size_t rows_of_members(const Rows& rows) {
  std::size_t n = 0;
  record::for_each(rows, [&](const auto& row) {
    if constexpr (requires { row.present; }) {
      n += rows_of_members<R>(row.of.rows);
    } else if constexpr (requires { row.member; }) {
      ++n;
    } else if constexpr (requires {
                           row.all;
                           row.set;
                         }) {
      n += row.set != nullptr && !requires { row.key; }
      ? 1 : 0;  // counts; the numbers of a tally have members each
    }
  });
  return n;
}

struct Three {
  int a = 0;
  std::string b;
  std::vector<int> c;
};

TEST(Fields, TheCountOfMembersIsRight) {
  EXPECT_EQ(members<Three>(), 3u);
  EXPECT_EQ(members<OpenPoint>(), 4u);
  EXPECT_EQ(rows_of_members<Three>(std::tuple(record::field(&Three::a, {.key = "a"}))), 1u);
}

TEST(Fields, EveryMemberHasItsRow) {
  EXPECT_EQ(rows_of_members<OpenPoint>(kOpenPointFields.rows), members<OpenPoint>());
  EXPECT_EQ(rows_of_members<ElementDifference>(kDifferenceFields.rows), members<ElementDifference>());
  EXPECT_EQ(rows_of_members<ReducedFailure>(kReducedFields.rows), members<ReducedFailure>());
  EXPECT_EQ(rows_of_members<Location>(kLocationFields.rows), members<Location>());
  EXPECT_EQ(rows_of_members<Location::Unit>(kLocatedUnitFields.rows), members<Location::Unit>());
  EXPECT_EQ(rows_of_members<AcrossDevices>(kAcrossFields.rows), members<AcrossDevices>());
  EXPECT_EQ(rows_of_members<Finding>(kFindingFields.rows), members<Finding>());
  EXPECT_EQ(rows_of_members<CompilerReport>(kCompilerFields.rows), members<CompilerReport>());
  EXPECT_EQ(kCounts.size(), members<Counts>());
  // One member is written as two maps.
  EXPECT_EQ(rows_of_members<UnitReport>(kInstanceFields.rows), members<UnitReport>() + 1);
  EXPECT_EQ(rows_of_members<UnitReport>(kProgramFields.rows), members<UnitReport>() + 1);
  // Of each verdict a number, whose rows are one tally.
  EXPECT_EQ(rows_of_members<BuiltinReport>(kBuiltinFields.rows) + kVerdicts.size(), members<BuiltinReport>());
  EXPECT_EQ(rows_of_members<BuiltinReport>(kShapeFields.rows) + kVerdicts.size(), members<BuiltinReport>());
  // The name is the key.
  EXPECT_EQ(rows_of_members<ErrorCounter>(kErrorCounterFields.rows) + 1, members<ErrorCounter>());
  // Digests are kept where devices are compared, and not written.
  EXPECT_EQ(rows_of_members<RunReport>(kRunFields) + 1, members<RunReport>());
  // The waiver inside is written in two parts.
  EXPECT_EQ(rows_of_members<JudgedWaiver>(kWaiverFields.rows), members<JudgedWaiver>() + 1);
  EXPECT_EQ(std::tuple_size_v<decltype(kWaiverTexts)> + 3, members<Waiver>()) << "texts, file, number and may_pass";
  // The name of each report is a file, and same_failures is worked out.
  EXPECT_EQ(rows_of_members<Comparison>(kComparisonFields.rows), members<Comparison>());
  EXPECT_EQ(rows_of_members<ChangedFinding>(kChangedFindingFields.rows), members<ChangedFinding>());
  EXPECT_EQ(rows_of_members<ChangedVerdict>(kChangedVerdictFields.rows), members<ChangedVerdict>());
  EXPECT_EQ(rows_of_members<ChangedFact>(kChangedFactFields.rows), members<ChangedFact>());
  EXPECT_EQ(rows_of_members<LaunchEvent>(kLaunchFields.rows), members<LaunchEvent>());
  EXPECT_EQ(rows_of_members<LaunchedEvent>(kLaunchedFields.rows), members<LaunchedEvent>());
  EXPECT_EQ(rows_of_members<ResultEvent>(kResultFields.rows), members<ResultEvent>());
  EXPECT_EQ(rows_of_members<ExaminedEvent>(kExaminedFields.rows), members<ExaminedEvent>());
}

}  // namespace
}  // namespace mfma::reports
