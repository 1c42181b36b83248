#include "harness/gfx950/hazards/static_hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::gfx950 {
namespace {

// Over all functions of an object: what real programs stay far below, so that no file takes memory or time without end.
struct Budget {
  std::uint64_t instructions = std::uint64_t{1} << 22;
  std::uint64_t steps = std::uint64_t{1} << 28;  // ages carried over an instruction
};

enum class Next : std::uint8_t { kFalls, kBranches, kEither, kEnds, kUnknown };

struct SoppFlow {
  std::string_view prefix;
  Next next;
};

// Opcodes after which control may go elsewhere than to the next instruction (manual chapter 4 and 12.5).
constexpr SoppFlow kFlows[] = {
    {"s_branch", Next::kBranches},      {"s_cbranch_i_fork", Next::kUnknown}, {"s_cbranch_g_fork", Next::kUnknown},
    {"s_cbranch_join", Next::kUnknown}, {"s_cbranch_", Next::kEither},        {"s_endpgm", Next::kEnds},
    {"s_setpc_b64", Next::kUnknown},    {"s_swappc_b64", Next::kUnknown},     {"s_call_b64", Next::kUnknown},
    {"s_rfe_b64", Next::kUnknown},      {"s_setvskip", Next::kUnknown},
};

Next next_of(const Instruction& in) {
  if (!in.known()) return Next::kUnknown;
  for (const SoppFlow& flow : kFlows) {
    if (std::string_view(in.mnemonic).starts_with(flow.prefix)) return flow.next;
  }
  return Next::kFalls;
}

std::string why_unseen(const Instruction& in) {
  if (!in.known()) return fmt::format("not looked at: {}", in.problem);
  const std::string_view mnemonic = in.mnemonic;
  if (mnemonic == "s_swappc_b64" || mnemonic == "s_call_b64")
    return "a call: what the callee has under way is not seen";
  if (mnemonic == "s_setpc_b64") return "an indirect jump or return";
  return "control flow that the code alone does not tell";
}

struct Node {
  Instruction instruction;
  Footprint footprint;
  std::vector<std::int32_t> successors;
  bool leads = false;  // begins a basic block
};

// The fewest wait states since the end of an earlier instruction, over all paths on which the same registers were
// overwritten by matrix products since.
struct Age {
  std::int32_t node = 0;
  std::int32_t wait_states = 0;
  std::vector<Registers> overwritten;  // each once; only what the node touches
  bool operator==(const Age&) const = default;
};
using Ages = std::vector<Age>;

// True when `into` has changed: a path that none of its own is as short as.
bool join(Ages& into, const Age& age) {
  for (Age& known : into) {
    if (known.node != age.node || known.overwritten != age.overwritten) continue;
    if (known.wait_states <= age.wait_states) return false;
    known.wait_states = age.wait_states;
    return true;
  }
  into.push_back(age);
  return true;
}

bool join(Ages& into, const Ages& from) {
  bool changed = false;
  for (const Age& age : from) changed = join(into, age) || changed;
  return changed;
}

class Function {
 public:
  Function(const CodeObject& object, std::uint64_t entry, Budget& budget) : object_(object), budget_(budget) {
    discover(entry);
  }

  void analyse(FunctionHazards& result) {
    result.instructions = nodes_.size();
    flow(result);
    result.unseen = std::move(unseen_);
    std::sort(result.unseen.begin(), result.unseen.end(), [](const Unseen& a, const Unseen& b) { return a.pc < b.pc; });
    std::sort(result.hazards.begin(), result.hazards.end(), [](const Hazard& a, const Hazard& b) {
      return std::tie(a.consumer_pc, a.producer_pc, a.rule) < std::tie(b.consumer_pc, b.producer_pc, b.rule);
    });
  }

 private:
  void flow(FunctionHazards& result) {
    before_.resize(nodes_.size());
    reached_.resize(nodes_.size());
    reached_[0] = true;
    std::vector<std::int32_t> pending{0};
    while (!pending.empty() && budget_.steps != 0) {
      const std::int32_t leader = pending.back();
      pending.pop_back();
      walk(leader, nullptr, &pending);
    }
    if (!pending.empty()) {
      not_seen(nodes_[0].instruction.pc, nodes_[0].instruction, "more paths than this pass walks");
    }
    HazardList hazards;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].leads) walk(static_cast<std::int32_t>(i), &hazards, nullptr);
    }
    result.hazards = std::move(hazards.list);
    result.more_hazards = hazards.more;
  }

  Node& node(std::int32_t index) { return nodes_[static_cast<std::size_t>(index)]; }

  void not_seen(std::uint64_t pc, const Instruction& in, std::string why) {
    unseen_.push_back({pc, render(in), std::move(why)});
  }

  // Every instruction that control can reach, as nodes in the order of discovery; the entry is node 0.
  void discover(std::uint64_t entry) {
    std::vector<std::uint64_t> pending{entry};
    while (!pending.empty()) {
      std::uint64_t pc = pending.back();
      pending.pop_back();
      while (!by_pc_.contains(pc)) {
        const auto code = object_.code_at(pc);
        Node n;
        n.instruction = decode(code, pc);
        n.footprint = footprint_of(n.instruction);
        const bool spent = budget_.instructions == 0;
        if (!spent) --budget_.instructions;
        if (spent) n.instruction = unknown(n.instruction, "the object has more code than this pass looks at");
        const Next next = next_of(n.instruction);
        if (next == Next::kUnknown) {
          not_seen(pc, n.instruction, code.empty() ? "outside the executable segments" : why_unseen(n.instruction));
        }
        if (next == Next::kBranches || next == Next::kEither) pending.push_back(branch_target(n.instruction));
        by_pc_.emplace(pc, static_cast<std::int32_t>(nodes_.size()));
        const bool goes_on = next == Next::kFalls || next == Next::kEither || returns(n.instruction);
        pc += n.instruction.bytes;
        nodes_.push_back(std::move(n));
        if (!goes_on) break;
      }
    }
    link();
  }

  static Instruction unknown(Instruction in, const char* problem) {
    in.id = -1;
    in.problem = problem;
    in.operand_count = in.output_count = 0;
    return in;
  }

  // After a call the caller's own instructions are looked at as well, though with the callee's unseen.
  static bool returns(const Instruction& in) {
    if (!in.known()) return false;
    const std::string_view mnemonic = in.mnemonic;
    return mnemonic == "s_swappc_b64" || mnemonic == "s_call_b64" || mnemonic == "s_setvskip";
  }

  void link() {
    nodes_[0].leads = true;
    for (Node& n : nodes_) {
      const Next next = next_of(n.instruction);
      const bool falls = next == Next::kFalls || next == Next::kEither || returns(n.instruction);
      const bool branches = next == Next::kBranches || next == Next::kEither;
      if (falls) n.successors.push_back(by_pc_.at(n.instruction.pc + n.instruction.bytes));
      if (branches) n.successors.push_back(by_pc_.at(branch_target(n.instruction)));
    }
    // A block ends at a branch, and before what anything but its predecessor in memory leads to.
    std::vector<int> predecessors(nodes_.size());
    for (const Node& n : nodes_) {
      for (const std::int32_t s : n.successors) ++predecessors[static_cast<std::size_t>(s)];
    }
    for (const Node& n : nodes_) {
      for (const std::int32_t s : n.successors) {
        if (n.successors.size() > 1 || predecessors[static_cast<std::size_t>(s)] > 1) node(s).leads = true;
      }
    }
  }

  // Carries the ages through the block of `leader`. Reports hazards when asked to; else adds to `pending` the blocks
  // whose ages at entry this makes smaller.
  void walk(std::int32_t leader, HazardList* hazards, std::vector<std::int32_t>* pending) {
    Ages ages = before_[static_cast<std::size_t>(leader)];
    std::int32_t at = leader;
    while (true) {
      const Node& n = node(at);
      if (hazards != nullptr) report(ages, n, *hazards);
      advance(ages, at);
      const bool ends = n.successors.size() != 1 || node(n.successors[0]).leads;
      if (ends) break;
      at = n.successors[0];
    }
    if (pending == nullptr) return;
    for (const std::int32_t s : node(at).successors) {
      const auto index = static_cast<std::size_t>(s);
      const bool changed = join(before_[index], ages);
      if (changed || !reached_[index]) pending->push_back(s);
      reached_[index] = true;
    }
  }

  void advance(Ages& ages, std::int32_t at) {
    const Footprint& f = node(at).footprint;
    // Joining compares all with all.
    const std::uint64_t cost = 1 + ages.size() + ages.size() * ages.size() / 64;
    budget_.steps -= std::min(budget_.steps, cost);
    for (Age& age : ages) age.wait_states += f.wait_states;
    std::erase_if(ages, [](const Age& age) { return age.wait_states >= kLongestWait; });
    if (f.unit == Unit::kMatrix) overwrite(ages, *f.find(Role::kMatrixD));
    if (f.produces != 0) join(ages, Age{at, 0, {}});
  }

  void overwrite(Ages& ages, const Registers& d) {
    Ages after;
    for (Age& age : ages) {
      const auto accesses = node(age.node).footprint.accesses();
      const bool touches =
          std::any_of(accesses.begin(), accesses.end(), [&](const Access& a) { return a.registers.overlaps(d); });
      auto& list = age.overwritten;
      if (touches && std::find(list.begin(), list.end(), d) == list.end()) {
        list.push_back(d);
        std::sort(list.begin(), list.end(), [](const Registers& x, const Registers& y) {
          return std::tie(x.bank, x.first, x.count) < std::tie(y.bank, y.first, y.count);
        });
      }
      join(after, age);
    }
    ages = std::move(after);
  }

  void report(const Ages& ages, const Node& later, HazardList& hazards) {
    for (const Age& age : ages) {
      const Node& earlier = node(age.node);
      const Dependences all =
          dependences(earlier.footprint, later.footprint);  // named: a temporary would end before the loop
      for (const Dependence& d : all.all()) {
        if (age.wait_states >= d.rule->required || covered(d.registers, age.overwritten)) continue;
        hazards.add(d, age.wait_states, earlier.instruction, later.instruction, 0);
      }
    }
  }

  const CodeObject& object_;
  Budget& budget_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::int32_t> by_pc_;
  std::vector<Ages> before_;  // by node; only of leaders
  std::vector<bool> reached_;
  std::vector<Unseen> unseen_;
};

FunctionHazards look_at(const CodeObject& object, const std::string& name, std::uint64_t entry, bool is_kernel,
                        Budget& budget) {
  FunctionHazards result;
  result.name = name;
  result.is_kernel = is_kernel;
  result.begin = entry;
  Function(object, entry, budget).analyse(result);
  return result;
}

}  // namespace

std::vector<FunctionHazards> static_hazards(const CodeObject& object) {
  std::map<std::uint64_t, std::pair<std::string, bool>> entries;
  for (const auto& [address, name] : object.functions()) entries.emplace(address, std::pair(name, false));
  for (const auto& [name, kernel] : object.kernels()) entries.insert_or_assign(kernel.entry, std::pair(name, true));
  std::vector<FunctionHazards> all;
  Budget budget;
  for (const auto& [address, entry] : entries) {
    all.push_back(look_at(object, entry.first, address, entry.second, budget));
  }
  return all;
}

tl::expected<FunctionHazards, std::string> static_hazards(const CodeObject& object, std::string_view kernel) {
  const auto it = object.kernels().find(kernel);
  if (it == object.kernels().end()) {
    return tl::make_unexpected(fmt::format("no kernel '{}' in the code object", kernel));
  }
  Budget budget;
  return look_at(object, it->first, it->second.entry, true, budget);
}

}  // namespace mfma::gfx950
