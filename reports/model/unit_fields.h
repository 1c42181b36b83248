// The fields of units, of what is counted of them, and of the rows of builtins and shapes.
#pragma once

#include "reports/model/record.h"
#include "reports/model/report.h"
#include "reports/model/words.h"

namespace mfma::reports {

namespace record {

template <>
struct Words<Verdict> {
  static constexpr const char* kWhat = "is no verdict";
  static constexpr const char* kDef = "verdict";
  static constexpr const char* kDoc =
      "pass; waived: all that is wrong is waived; not-run: the run ended before; inconclusive: it could not be judged; "
      "hang; fail.";
  static std::string_view name(Verdict v) { return name_of(v); }
  static std::optional<Verdict> named(std::string_view name) { return verdict_named(name); }
  static std::vector<Verdict> all() { return {kVerdicts.begin(), kVerdicts.end()}; }
};

}  // namespace record

inline constexpr std::array<record::Count<Counts>, 12> kCounts = {{
    {"executions", &Counts::executions, "Kernels that ran: instance or program x compiler x level."},
    {"cases", &Counts::cases, "Cases that ran: case x compiler x level."},
    {"cases_not_run", &Counts::not_run,
     "Cases that gave no result, in the same unit: rejected, refused, hung or lost."},
    {"cases_left", &Counts::left, "Cases that were planned and not reached, in the same unit: the run ended before."},
    {"elements_compared", &Counts::elements,
     "Output elements of which all bits were compared; of programs, output dwords."},
    {"elements_exact", &Counts::exact, "Of them: those to which any lawful model gives these bits."},
    {"elements_model_dependent", &Counts::model_dependent, "Of them: those that the profile's model decides."},
    {"elements_differing", &Counts::differing, "Elements that differ and gate."},
    {"elements_unconfirmed", &Counts::unconfirmed,
     "Elements that differ and do not gate: the profile's rule is not confirmed."},
    {"property_checks", &Counts::property_checks, "Trials of properties that were judged."},
    {"properties_broken", &Counts::properties_broken, "Of them: those that did not hold."},
    {"cases_on_unsettled_reading", &Counts::unsettled_cases,
     "Cases that rest on a reading of cbsz or blgp on which sources differ."},
}};
static_assert(sizeof(Counts) == kCounts.size() * sizeof(std::uint64_t), "a count without a row");

inline constexpr auto kOpenPointFields = record::record(
    "open_point", "What the device did where sources differ: no failure.",
    record::field(&OpenPoint::property, {.key = "property", .doc = "The property that tells."}),
    record::field(&OpenPoint::builtin, {.key = "builtin", .doc = "On this builtin."}),
    record::field(&OpenPoint::reading, {.key = "reading", .doc = "The reading that held."}),
    record::field(&OpenPoint::checks, {.key = "checks", .doc = "Trials in which it held and another did not."}));

struct UnitWords {
  const char *doc, *group, *group_doc, *id, *id_doc;
};

constexpr auto unit_fields(UnitWords w) {
  using namespace record;
  return record::record(
      "", w.doc, field(&UnitReport::number, {.key = "number", .doc = "Its place in the run of all shards."}),
      field(&UnitReport::group, {.key = w.group, .doc = w.group_doc}),
      field(&UnitReport::id, {.key = w.id, .doc = w.id_doc}),
      field(&UnitReport::verdict, {.key = "verdict", .doc = "What it came to."}),
      field(&UnitReport::smoke, {.key = "smoke", .doc = "Run in every shard.", .optional = true}),
      field(&UnitReport::untouched,
            {.key = "untouched", .doc = "Not even its first cases and trials were all run.", .optional = true}),
      Counted<UnitReport, Counts, kCounts.size()>{[](const UnitReport& u) { return u.counts; },
                                                  [](UnitReport& u, const Counts& c) { u.counts = c; },
                                                  &kCounts,
                                                  true,
                                                  {.key = "counts", .doc = "Of it alone."}},
      number_by_name(&UnitReport::properties, &PropertyCount::property, &PropertyCount::checks, true,
                     [](std::vector<PropertyCount>& all, const std::string& name, std::uint64_t n) {
                       add_to(all, {name, n, 0});
                     },
                     {.key = "properties",
                      .doc = "By name of a property: trials of it that were judged.",
                      .item = "Trials.",
                      .optional = true}),
      number_by_name(&UnitReport::properties, &PropertyCount::property, &PropertyCount::broken, false,
                     [](std::vector<PropertyCount>& all, const std::string& name, std::uint64_t n) {
                       add_to(all, {name, 0, n});
                     },
                     {.key = "properties_broken",
                      .doc = "By name of a property: trials of it that did not hold.",
                      .item = "Trials.",
                      .optional = true}),
      list(&UnitReport::open,
           {.key = "open", .doc = "Points that the sources leave open, as met here.", .optional = true},
           kOpenPointFields));
}
inline constexpr auto kInstanceFields =
    unit_fields({"An instance.", "builtin", "Its builtin.", "instance", "Its name."});
inline constexpr auto kProgramFields = unit_fields({"A program.", "shape", "Its shape.", "program", "Its name."});

struct RowWords {
  const char *doc, *name, *name_doc, *verdict_doc, *units, *units_doc, *tally_doc;
};

constexpr auto row_fields(RowWords w) {
  using namespace record;
  return record::record(
      "", w.doc, field(&BuiltinReport::builtin, {.key = w.name, .doc = w.name_doc}),
      computed<BuiltinReport, Verdict>([](const BuiltinReport& b) { return b.verdict(); },
                                       {.key = "verdict", .doc = w.verdict_doc}),
      field(&BuiltinReport::instances, {.key = w.units, .doc = w.units_doc}),
      Tally<BuiltinReport, Verdict, kVerdicts.size()>{
          &kVerdicts, count_name_of, name_of, [](const BuiltinReport& b, Verdict v) { return b.with(v); },
          [](BuiltinReport& b, Verdict v, std::uint64_t n) { b.with(v) = n; }, w.tally_doc},
      joined(&BuiltinReport::rule_statuses,
             {.key = "rule_status",
              .doc = "Statuses of the profile's rules that it falls under, joined by '+': candidate, confirmed."}),
      field(&BuiltinReport::rule_sources,
            {.key = "rule_sources", .doc = "Where these rules come from.", .item = "A source."}),
      field(&BuiltinReport::unlawful, {.key = "properties_left_out",
                                       .doc = "No properties were checked: the profile's model is not lawful here."}),
      Counted<BuiltinReport, Counts, kCounts.size()>{[](const BuiltinReport& b) { return b.counts; },
                                                     [](BuiltinReport& b, const Counts& c) { b.counts = c; },
                                                     &kCounts,
                                                     false,
                                                     {.key = "counts", .doc = "Over all of it."}});
}
inline constexpr auto kBuiltinFields =
    row_fields({"One of the builtins, counted.", "builtin", "Name of the builtin.", "The worst of its instances.",
                "instances", "Number of instances that were planned.", "Instances with the verdict "});
inline constexpr auto kShapeFields =
    row_fields({"One of the shapes, counted.", "shape", "Name of the shape.", "The worst of its programs.", "programs",
                "Number of programs that were planned.", "Programs with the verdict "});

}  // namespace mfma::reports
