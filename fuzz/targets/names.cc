// Any text as the name of an instance, a case, a builtin, an operand class: refused with one line, or the name that is
// made of what was read means the same again.
#include <fmt/format.h>

#include "fuzz/targets/target.h"
#include "harness/cases/case.h"
#include "harness/catalogue/instance.h"
#include "harness/operands/operands.h"

namespace mfma::fuzz {
namespace {

int wrong(const char* what, const std::string& text) {
  fmt::print(stderr, "{}: '{}'\n", what, text);
  return 1;
}

template <typename Expected>
bool refused_in_one_line(const Expected& parsed) {
  return !parsed && !parsed.error().empty() && parsed.error().find('\n') == std::string::npos;
}

int check_instance(const std::string& text) {
  const auto parsed = catalogue::parse_instance(text);
  if (!parsed) return refused_in_one_line(parsed) ? 0 : wrong("instance refused, but not in one line", text);
  if (!catalogue::why_illegal(*parsed->builtin, parsed->modifiers).empty()) return wrong("an illegal instance", text);
  const auto again = catalogue::parse_instance(catalogue::instance_id(*parsed));
  return again && *again == *parsed ? 0 : wrong("the id of the instance means another", text);
}

int check_case(const std::string& text) {
  const auto parsed = cases::parse_case_id(text);
  if (!parsed) return refused_in_one_line(parsed) ? 0 : wrong("case refused, but not in one line", text);
  const auto again = cases::parse_case_id(cases::case_id(parsed->instance, parsed->seed, parsed->index));
  return again && *again == *parsed ? 0 : wrong("the id of the case means another", text);
}

int check_builtin(const std::string& text) {
  const catalogue::Builtin* found = catalogue::find_builtin(text);
  const std::string why = found != nullptr ? "found" : catalogue::explain_unknown_name(text);
  if (why.empty() || why.find('\n') != std::string::npos) return wrong("no single line on an unknown builtin", text);
  const auto matching = catalogue::match_builtins(text);
  return found == nullptr || !matching.empty() ? 0 : wrong("a builtin that its own name does not match", text);
}

int check_class(const std::string& text) {
  const auto cls = operands::operand_class_named(text);
  return !cls || operands::name_of(*cls) == text ? 0 : wrong("the operand class has another name", text);
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto check : {fuzz::check_instance, fuzz::check_case, fuzz::check_builtin, fuzz::check_class}) {
    if (check(text) != 0) return 1;
  }
  return 0;
}
