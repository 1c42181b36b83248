// The catalogue as text for people: one line per builtin, and everything about one. Plain ASCII, at most 120 columns.
//
// The arithmetic of a builtin is the profile's and is added by the caller.
#pragma once

#include <string>

#include "harness/catalogue/builtin.h"
#include "harness/catalogue/layout.h"

namespace mfma::catalogue {

// `list`: a heading, then one line per builtin, all with a newline at the end.
std::string list_heading();
std::string list_line(const Builtin& builtin);

// `describe`: signature, shape, formats, registers, opcode, passes, modifiers, layouts, unsettled readings, sources.
// Several lines, ending with a newline.
std::string describe(const Builtin& builtin);

// The layout of one operand as a grid: registers down, runs of lanes across; each cell names the elements that the
// register of those lanes holds. '~' marks an element that goes on from or into a neighbouring register.
std::string draw_layout(const Instance& instance, Operand operand);

}  // namespace mfma::catalogue
