#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "harness/catalogue/describe.h"

namespace mfma::catalogue {
namespace {

constexpr std::size_t kMostColumns = 5;  // runs of lanes shown before the middle ones are left out

// Which index of an element runs with the lane, and what the two indices are called.
struct Axes {
  bool row_runs;
  std::string_view running, other;
};

Axes axes_of(Operand operand) {
  switch (operand) {
    case Operand::kA:
      return {true, "i", "k"};
    case Operand::kB:
      return {false, "j", "k"};
    case Operand::kC:
    case Operand::kD:
      return {false, "j", "i"};
    case Operand::kScaleA:
      return {true, "i", "q"};
    case Operand::kScaleB:
      return {false, "j", "q"};
  }
  return {};
}

int running_index(const Axes& axes, const Element& e) { return axes.row_runs ? e.row : e.column; }
int other_index(const Axes& axes, const Element& e) { return axes.row_runs ? e.column : e.row; }

// A part of an element in one register of one lane.
struct Piece {
  Element element;
  bool from_before, goes_on;
};

std::vector<Piece> pieces_in(const Layout& layout, int lane, int reg) {
  std::vector<Piece> pieces;
  const int width = layout.element_bits();
  for (int bit = 32 * reg; bit < 32 * (reg + 1);) {
    const int begin = bit / width * width;
    if (const auto element = layout.element_at(lane, bit)) {
      pieces.push_back({*element, begin<32 * reg, begin + width> 32 * (reg + 1)});
    }
    bit = begin + width;
  }
  return pieces;
}

// Do the next lane's registers hold the same elements, one further along the running index?
bool continues_run(const Layout& layout, const Axes& axes, int lane) {
  for (int bit = 0; bit < 32 * layout.registers(); bit += layout.element_bits()) {
    const auto here = layout.element_at(lane, bit);
    const auto next = layout.element_at(lane + 1, bit);
    if (here.has_value() != next.has_value()) return false;
    if (!here) continue;
    if (here->block != next->block || other_index(axes, *here) != other_index(axes, *next) ||
        running_index(axes, *here) + 1 != running_index(axes, *next)) {
      return false;
    }
  }
  return true;
}

std::vector<int> first_lanes_of_runs(const Layout& layout, const Axes& axes) {
  std::vector<int> first{0};
  for (int lane = 0; lane + 1 < kLanes; ++lane) {
    if (!continues_run(layout, axes, lane)) first.push_back(lane + 1);
  }
  return first;
}

std::string range_text(int low, int high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
}

// "b=1 k=4-7", with '~' where the first element began before or the last goes on after.
std::string cell_text(const Layout& layout, const Axes& axes, const std::vector<Piece>& pieces) {
  if (pieces.empty()) return "-";
  const Piece& first = pieces.front();
  const Piece& last = pieces.back();
  const std::string block = layout.blocks() > 1 ? fmt::format("b={} ", first.element.block) : "";
  return fmt::format("{}{}{}={}{}", first.from_before ? "~" : "", block, axes.other,
                     range_text(other_index(axes, first.element), other_index(axes, last.element)),
                     last.goes_on ? "~" : "");
}

int running_at(const Layout& layout, const Axes& axes, int lane) {
  for (int bit = 0; bit < 32 * layout.registers(); bit += layout.element_bits()) {
    if (const auto element = layout.element_at(lane, bit)) return running_index(axes, *element);
  }
  return -1;
}

std::string line_of(std::string_view label, const std::vector<std::string>& cells) {
  std::string line = fmt::format("    {:<5}", label);
  for (const std::string& cell : cells) line += fmt::format("{:<20}", cell);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string draw_layout(const Instance& instance, Operand operand) {
  const Layout& layout = shared_layout(instance, operand);
  const Axes axes = axes_of(operand);
  const std::vector<int> first = first_lanes_of_runs(layout, axes);

  // Each column of the picture is a run of lanes; kLeftOut stands for the ones in the middle.
  constexpr std::size_t kLeftOut = kLanes;
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < first.size(); ++run) {
    const bool shown = first.size() <= kMostColumns || run + 2 < kMostColumns || run + 1 == first.size();
    if (shown) runs.push_back(run);
    if (!shown && runs.back() != kLeftOut) runs.push_back(kLeftOut);
  }

  const auto cells = [&](const auto& text_of_lanes) {
    std::vector<std::string> texts;
    for (const std::size_t run : runs) {
      if (run == kLeftOut) {
        texts.emplace_back("...");
        continue;
      }
      const int end = run + 1 < first.size() ? first[run + 1] : kLanes;
      texts.push_back(text_of_lanes(first[run], end - 1));
    }
    return texts;
  };

  std::string picture = line_of("", cells([](int low, int high) { return "lane " + range_text(low, high); }));
  picture += line_of("", cells([&](int low, int high) {
                       return fmt::format("{}={}", axes.running,
                                          range_text(running_at(layout, axes, low), running_at(layout, axes, high)));
                     }));
  for (int reg = 0; reg < layout.registers(); ++reg) {
    const auto text = [&](int low, int) { return cell_text(layout, axes, pieces_in(layout, low, reg)); };
    picture += line_of(fmt::format("v{}", reg), cells(text));
  }
  return picture;
}

}  // namespace mfma::catalogue
