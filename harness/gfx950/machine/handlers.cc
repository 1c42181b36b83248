#include "harness/gfx950/machine/handlers.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/gfx950/isa/opcodes.h"

namespace mfma::gfx950 {
namespace {

std::vector<Handler> by_opcode() {
  std::unordered_map<std::string_view, Handler> by_name;
  for (const auto rows : {scalar_handlers(), control_handlers(), vector_handlers(), lane_handlers(), float_handlers(),
                          compare_handlers(), memory_handlers(), share_handlers(), matrix_handlers()}) {
    for (const HandlerRow& row : rows) by_name.emplace(row.mnemonic, row.handler);
  }
  std::vector<Handler> handlers;
  for (const Opcode& opcode : opcodes()) {
    const auto it = by_name.find(opcode.row->mnemonic);
    handlers.push_back(it == by_name.end() ? nullptr : it->second);
  }
  return handlers;
}

}  // namespace

Handler handler_of(const Instruction& instruction) {
  static const std::vector<Handler> handlers = by_opcode();
  return instruction.known() ? handlers[static_cast<std::size_t>(instruction.id)] : nullptr;
}

}  // namespace mfma::gfx950
