#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "harness/kernels/kernel.h"

namespace mfma::kernels {
namespace {

using compilers::Compiled;
using compilers::Outcome;

// Splits failing batches. One object per batch; not shared between threads.
class Splitter {
 public:
  Splitter(const compilers::Compiler& compiler, std::span<const Piece> pieces, const compilers::Job& job)
      : compiler_(compiler), pieces_(pieces), job_(job), built_(pieces.size()) {}

  std::vector<BuiltPiece> run() {
    if (!pieces_.empty()) build(0, pieces_.size(), job_.timeout);
    return std::move(built_);
  }

 private:
  // A compiler that hangs on everything would cost hours: after so many lone timeouts the rest is not split.
  static constexpr int kLoneTimeouts = 3;
  static constexpr std::chrono::milliseconds kShortestTimeout{20'000};

  bool worth_splitting(const Compiled& compiled) const {
    switch (compiled.outcome) {
      case Outcome::kOk:
      case Outcome::kCannotRun:
      case Outcome::kNoSuchTarget:
        return false;
      case Outcome::kTimeout:
        return lone_timeouts_ < kLoneTimeouts;
      default:
        return true;
    }
  }

  bool all_ok(std::size_t begin, std::size_t end) const {
    return std::all_of(built_.begin() + static_cast<std::ptrdiff_t>(begin),
                       built_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const BuiltPiece& b) { return b.compiled.outcome == Outcome::kOk; });
  }

  void build(std::size_t begin, std::size_t end, std::chrono::milliseconds timeout) {
    compilers::Job job = job_;
    job.source = join(pieces_.subspan(begin, end - begin));
    job.timeout = timeout;
    Compiled compiled = compiler_.compile(job);
    if (end - begin == 1 || !worth_splitting(compiled)) {
      if (end - begin == 1 && compiled.outcome == Outcome::kTimeout) ++lone_timeouts_;
      for (std::size_t i = begin; i < end; ++i) built_[i].compiled = compiled;
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const auto half = std::max(std::min(timeout, kShortestTimeout), timeout / 2);
    build(begin, middle, half);
    build(middle, end, half);
    if (!all_ok(begin, end)) return;
    const auto failure = std::make_shared<const Compiled>(std::move(compiled));
    for (std::size_t i = begin; i < end; ++i) built_[i].unexplained = failure;  // of the largest such batch
  }

  const compilers::Compiler& compiler_;
  std::span<const Piece> pieces_;
  const compilers::Job& job_;
  std::vector<BuiltPiece> built_;
  int lone_timeouts_ = 0;
};

}  // namespace

std::vector<BuiltPiece> build_pieces(const compilers::Compiler& compiler, std::span<const Piece> pieces,
                                     const compilers::Job& job) {
  return Splitter(compiler, pieces, job).run();
}

std::vector<Built> build(const compilers::Compiler& compiler, std::span<const catalogue::Instance> instances,
                         const std::string& level, const std::vector<std::string>& extra_flags, RegisterForm form) {
  std::vector<Piece> pieces;
  pieces.reserve(instances.size());
  for (const catalogue::Instance& instance : instances) pieces.push_back(piece_of(instance, form));
  compilers::Job job;
  job.level = level;
  job.extra_flags = extra_flags;
  std::vector<BuiltPiece> built = build_pieces(compiler, pieces, job);
  std::vector<Built> result;
  result.reserve(built.size());
  for (std::size_t i = 0; i < built.size(); ++i)
    result.push_back({instances[i], level, std::move(built[i].compiled), std::move(built[i].unexplained)});
  return result;
}

}  // namespace mfma::kernels
