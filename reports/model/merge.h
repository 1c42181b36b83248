// Shards of one run as the report of the whole.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "reports/model/report.h"

namespace mfma::reports {

struct NamedReport {
  std::string name;  // of its file
  RunReport report;
};

// All shards of one run, in any order. The result is the report of the run without shards but for times, the command
// and what was examined more closely (each shard reduces a few of its failures, not of all). The smoke set, which every
// shard ran, counts once: by its worst. One line where they do not belong together: another seed, compiler, number of
// shards (same_run.h has the list), a shard that is there twice or missing.
tl::expected<RunReport, std::string> merge(std::vector<NamedReport> shards);

}  // namespace mfma::reports
