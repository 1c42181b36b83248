// Kernels: one extern "C" kernel per instance, many in a translation unit, and how they are built in batches.
//
// Kernel ABI: (const A* a, const B* b, const C* c, D* d, [const int* scale_a, const int* scale_b,] int cases). The
// grid has one workgroup of 64 lanes per case; lane l of case w reads and writes element w * 64 + l of each array,
// which is one RegisterImage after another. The guard on `cases` is uniform: MFMA ignores EXEC (manual 7.1.2).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/instance.h"
#include "harness/compilers/compiler.h"

namespace mfma::kernels {

std::string kernel_name(const catalogue::Instance& instance);   // a C identifier, unique over all instances
// One translation unit with a kernel for each instance; needs no header of ours or anyone's.
std::string translation_unit(std::span<const catalogue::Instance> instances);

// What became of one instance's kernel.
struct Built {
  catalogue::Instance instance;
  std::string level;
  compilers::Compiled compiled;   // of the batch it ended in; `log` is of the job that rejected it when not kOk
};

// Compiles the instances as one batch; where that fails, splits it until each rejected kernel stands alone, so that
// no other is lost. Returns one Built per instance, in order.
std::vector<Built> build(const compilers::Compiler& compiler, std::span<const catalogue::Instance> instances,
                         const std::string& level, const std::vector<std::string>& extra_flags);

}  // namespace mfma::kernels
