// What the HTML report shows of a call besides its verdict: matrices, what they are worth, and where they live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cases/case_file.h"
#include "harness/catalogue/layout.h"
#include "reports/json/json_parts.h"

namespace mfma::reports::html {

using json::Json;

// Every call, layout and value that findings name, each once.
class Calls {
 public:
  // `reading`: RunReport::broadcast_reading.
  explicit Calls(std::string reading) : reading_(std::move(reading)) {}

  // Makes the call known to the page. False where the id is none of this catalogue: the report may be of another
  // version.
  bool add(const std::string& instance_id);
  // Of a result of a call that was added: what its bits are worth.
  void add_result(const std::string& instance_id, std::uint64_t code);
  // The matrices of a case file: {"A": {...}, ..., "actual": {...}}. Its instance is added.
  Json matrices(const cases::CaseFile& file);

  // {instance id: formats, layouts by operand, and for each element of A and of B which stored element the product
  // reads}
  const nlohmann::json& calls() const { return calls_; }
  // {key: {"blocks", "rows", "columns", "registers", "bits", "at": by element, lane * 32 * registers + bit}}
  const nlohmann::json& layouts() const { return layouts_; }
  // {format: {code in hex: decimal}}
  const std::map<std::string, std::map<std::string, std::string>>& values() const { return values_; }
  // {format: {"bits", "exponent", "fraction", "signed", "integer"}}
  Json formats() const;
  // About as many as all of them take as text.
  std::size_t bytes() const { return bytes_; }

 private:
  std::string add_layout(const catalogue::Instance& instance, catalogue::Operand operand, std::string_view format);
  Json matrix(const catalogue::Layout& layout, std::string_view format, const std::vector<std::uint64_t>& codes);
  std::string add_value(std::string_view format, std::uint64_t code);

  std::string reading_;
  std::size_t bytes_ = 0;
  using Texts = std::map<std::string, std::string>;
  nlohmann::json calls_ = nlohmann::json::object(), layouts_ = nlohmann::json::object();  // looked up by name
  std::map<std::string, Texts> values_;
  std::set<std::string, std::less<>> formats_;
};

// "1.5", "-inf", "NaN", "2^-127" of a scale: as many digits as tell it from its neighbours.
std::string decimal(std::string_view format, std::uint64_t code);

}  // namespace mfma::reports::html
