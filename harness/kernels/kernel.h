// Kernels: one extern "C" kernel per instance, many in a translation unit, and how they are built in batches.
//
// Kernel ABI: (const A* a, const B* b, const C* c, D* d, [const int* scale_a, const int* scale_b,] int cases). The
// grid has one workgroup of 64 lanes per case; lane l of case w reads and writes element w * 64 + l of each array,
// which is one RegisterImage after another. The guard on `cases` is uniform: MFMA ignores EXEC (manual 7.1.2).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/compilers/compiler.h"

namespace mfma::kernels {

// In which registers the operands are when the MFMA reads them. kDefault leaves it to the compiler, which differs by
// version and level; the others force A, B, C and D into one kind by an empty asm statement on each. At -O0 they have
// no effect with clang 22, which then copies A and B to VGPRs, C and D to AGPRs, whatever they were in.
enum class RegisterForm { kDefault, kAgpr, kVgpr };

// A C identifier, unique over all instances, the illegal ones with any modifiers included.
std::string kernel_name(const catalogue::Instance& instance);

// True where the kernel takes the two scale pointers: the scaled form of the f8f6f4 builtins. Its scales are loaded,
// one dword per lane, so that no level can see their value; the unscaled form passes the literal 0, 0 that makes
// clang emit the instruction without scales at every level.
bool has_scales(const catalogue::Instance& instance);

// One translation unit with a kernel for each instance; needs no header of ours or anyone's. Illegal modifiers are
// written down as they are, for tests of what a compiler does with them.
std::string translation_unit(std::span<const catalogue::Instance> instances,
                             RegisterForm form = RegisterForm::kDefault);

// What became of one instance's kernel.
struct Built {
  catalogue::Instance instance;
  std::string level;
  compilers::Compiled compiled;  // of the batch it ended in; `log` is of the job that rejected it when not kOk
  // The failure of a batch that held this kernel, where none of the batch's kernels fails alone: a compiler defect
  // that splitting hides, and that must be reported. Null otherwise.
  std::shared_ptr<const compilers::Compiled> unexplained;
};

// Compiles the instances as one batch; where that fails, splits it until each rejected kernel stands alone, so that
// no other is lost. Returns one Built per instance, in order.
//
// Not split: failures that are of the machine or the target and not of a kernel (kCannotRun, kNoSuchTarget). Split no
// further once three kernels have timed out alone: the rest of that batch is reported as timed out too.
std::vector<Built> build(const compilers::Compiler& compiler, std::span<const catalogue::Instance> instances,
                         const std::string& level, const std::vector<std::string>& extra_flags,
                         RegisterForm form = RegisterForm::kDefault);

// The level below: batches of any source.
struct Piece {
  std::string name;  // of the kernel
  std::string text;  // its definition
};

// The types that a Piece may use (v4f32 and the like), and kernel attributes; goes first in a translation unit.
std::string_view preamble();
Piece piece_of(const catalogue::Instance& instance, RegisterForm form = RegisterForm::kDefault);
// The instance's kernel with `immediates` as they stand after A, B and C, and a name of its own: for immediates that
// are out of range or no constants. They may use `cases`, `scale_a`, `scale_b` and `i` of the kernel; the scale
// pointers are there for the scaled form only.
Piece piece_with_immediates(const catalogue::Instance& instance, std::string name, std::string immediates);
std::string join(std::span<const Piece> pieces);  // preamble and pieces

struct BuiltPiece {
  compilers::Compiled compiled;
  std::shared_ptr<const compilers::Compiled> unexplained;  // as in Built
};
// As build(). `job` gives arch, level, flags and the time for the whole batch; its source is replaced.
std::vector<BuiltPiece> build_pieces(const compilers::Compiler& compiler, std::span<const Piece> pieces,
                                     const compilers::Job& job);

// A kernel that calls one of catalogue::rejected_builtins(): clang's front end takes it, the backend must not. The
// error says that the name is none of them.
tl::expected<Piece, std::string> rejected_piece(std::string_view name);
// The same as a translation unit.
tl::expected<std::string, std::string> rejected_unit(std::string_view name);

}  // namespace mfma::kernels
