// What is unsettled about a builtin: where published sources disagree or say too little. One line each, for `describe`
// and reports; docs/discrepancies.md has a section with the same id, with what each source says.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/catalogue/builtin.h"

namespace mfma::catalogue {

struct Note {
  std::string_view id;    // the heading in docs/discrepancies.md
  std::string_view line;  // what is open, and the reading this program follows
  bool (*concerns)(const Builtin&);
};

std::span<const Note> notes();
std::vector<const Note*> notes_on(const Builtin& builtin);  // in the order of notes()

}  // namespace mfma::catalogue
