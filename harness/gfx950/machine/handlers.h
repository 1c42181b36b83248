// What executes each opcode, by mnemonic. One table per file; handler_of() (kernel_code.h) looks in all of them.
#pragma once

#include <span>

#include "harness/gfx950/machine/kernel_code.h"

namespace mfma::gfx950 {

struct HandlerRow {
  const char* mnemonic;
  Handler handler;
};

std::span<const HandlerRow> scalar_handlers();
std::span<const HandlerRow> control_handlers();
std::span<const HandlerRow> vector_handlers();
std::span<const HandlerRow> lane_handlers();
std::span<const HandlerRow> float_handlers();
std::span<const HandlerRow> compare_handlers();
std::span<const HandlerRow> memory_handlers();
std::span<const HandlerRow> share_handlers();
std::span<const HandlerRow> matrix_handlers();

}  // namespace mfma::gfx950
