#include "tests/html/planted.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/small_run.h"
#include "tests/faults/plants.h"
#include "tests/html/samples.h"

namespace mfma::reports::testing {
namespace {

namespace run_testing = mfma::conformance::testing;

RunReport run_with(const run_testing::Plant& plant, const compilers::Compiler& compiler) {
  const std::vector<catalogue::Instance> instances = run_testing::instances_of(plant.instances);
  std::vector<const catalogue::Builtin*> used;
  for (const catalogue::Instance& i : instances) used.push_back(i.builtin);
  auto device =
      devices::make_emulated_device(oracles::default_profile(), used,
                                    {.reading = oracles::BroadcastReading::kPerSet,
                                     .faults = gfx950::fault_everywhere({plant.kind, plant.opcode, plant.value})});
  EXPECT_TRUE(device) << device.error();
  if (!device) return {};
  conformance::RunDescription options;
  options.plan.instances = instances;
  options.subject.compilers = {compiler};
  options.subject.levels = {"O2"};
  options.subject.device = device->get();
  options.subject.profile = oracles::default_profile();
  options.subject.profile_source = "built in";
  options.subject.device_runs_profile = true;
  options.plan.seed = 1;
  options.plan.cases_per_instance = conformance::cases_per_instance(conformance::Tier::kQuick);
  options.control.jobs = 1;
  options.plan.reduce = true;
  return conformance::run(options);
}

// One report of the runs: a unit to an instance, whichever runs it was in.
class Joined {
 public:
  explicit Joined(RunReport& whole) : whole_(whole) {
    for (const catalogue::Instance& i : catalogue::all_legal_instances()) {
      const std::string id = catalogue::instance_id(i);
      units_[id] = add_unit(whole_, std::string(i.builtin->name), id, Verdict::kPass);
    }
  }

  void add(RunReport part, const std::string& fault) {
    for (const UnitReport& u : part.units) {
      UnitReport& mine = whole_.units[units_.at(u.id)];
      mine.verdict = worse(mine.verdict, u.verdict);
      mine.counts += u.counts;
    }
    for (Finding& f : part.findings) {
      f.unit = units_.at(f.instance);
      f.attribution = "planted: " + fault;
      whole_.findings.push_back(std::move(f));
    }
    for (const CompilerReport& c : part.compilers) {
      if (whole_.compilers.empty()) whole_.compilers.push_back(c);
    }
  }

  // A finding on a unit that no plant has touched yet.
  void add(Finding f, std::size_t unit) {
    f.unit = unit;
    f.builtin = whole_.units[unit].group;
    f.instance = whole_.units[unit].id;
    whole_.units[unit].verdict = worse(whole_.units[unit].verdict, verdict_of(f));
    f.reduced.reset();
    whole_.findings.push_back(std::move(f));
  }

 private:
  RunReport& whole_;
  std::map<std::string, std::size_t> units_;
};

}  // namespace

RunReport planted_report() {
  RunReport whole = empty_report();
  whole.levels = {"O2"};
  auto compiler = compilers::Compiler::open(run_testing::compiler_under_test(), "gfx950",
                                            compilers::Cache(compilers::Cache::default_directory()));
  EXPECT_TRUE(compiler) << compiler.error();
  if (!compiler) return whole;
  Joined joined(whole);
  for (const run_testing::Plant& plant : run_testing::plants()) {
    joined.add(run_with(plant, *compiler), std::string(gfx950::name_of(plant.kind)));
  }
  std::size_t unit = 3;
  for (const FindingKind kind : all_kinds()) {
    if (is_of_waiver(kind)) {
      whole.findings.push_back(sample_finding(kind, 0));
    } else {
      joined.add(sample_finding(kind, 0), unit += 151);
    }
  }
  Finding waived = sample_finding(FindingKind::kWrongBits, 0);
  waived.waived = "known of this driver, until it is fixed";
  joined.add(waived, unit + 7);
  whole.units[5].verdict = Verdict::kNotRun;
  add_unit(whole, "k-loop", "k-loop of mfma_f32_16x16x4f32, 2 turns", Verdict::kPass, true);
  whole.findings.push_back(
      sample_program_finding(add_unit(whole, "k-loop", "k-loop of mfma_f32_4x4x4f16, 3 turns", Verdict::kFail, true)));
  summarize(whole);
  for (BuiltinReport& b : whole.builtins) b.add_rule("candidate", "a source");
  return whole;
}

}  // namespace mfma::reports::testing
