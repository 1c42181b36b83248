#include "reports/json/json.h"

#include <fmt/format.h>

#include <type_traits>

#include "reports/json/json_parts.h"
#include "reports/json/record_json.h"
#include "reports/json/report_file.h"
#include "reports/model/run_fields.h"

namespace mfma::reports {
namespace {

using json::Json;

// So that a report with very many findings can still be opened: in full as many and as long as this, then short, then
// bare.
constexpr std::size_t kFindingsInFull = 2000, kBytesInFull = 8'000'000, kBytesInShort = 14'000'000;

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

Detail detail_of(std::size_t findings, std::size_t bytes) {
  return findings < kFindingsInFull && bytes < kBytesInFull ? Detail::kFull
         : bytes < kBytesInShort                            ? Detail::kShort
                                                            : Detail::kBare;
}

// "key": [ an element to a line ]
template <typename T, typename Row>
void add_list(const std::vector<T>& list, const Row& row, std::string& out) {
  const std::size_t begin = out.size();
  out += fmt::format(",\n  \"{}\": [", row.about.key);
  const char* before = "\n    ";
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Detail detail = std::is_same_v<T, Finding> ? detail_of(i, out.size() - begin) : Detail::kFull;
    out += before + dump(json::to_json(list[i], row.of, detail), -1);
    before = ",\n    ";
  }
  out += list.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string to_json(const RunReport& r) {
  Json head = json::header(r);
  json::write_rows(r, kRunTotals, Detail::kFull, head);
  std::string out = dump(head, 2);
  out.resize(out.rfind('\n'));  // its closing brace comes last
  record::for_each(kRunLists, [&](const auto& row) { add_list(r.*row.member, row, out); });
  return out + "\n}\n";
}

tl::expected<void, std::string> write_json(const RunReport& report, const std::filesystem::path& file) {
  return write_report_text(to_json(report), file);
}

}  // namespace mfma::reports
