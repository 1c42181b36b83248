# The matrix unit, apart from the machine around it. Links nothing of oracles/.
mfma_library(mfma_gfx950_matrix
  SOURCES matrix_adders.cc matrix_aligned.cc matrix_chains.cc matrix_faults.cc matrix_formats.cc matrix_opcodes.cc
          matrix_operands.cc matrix_unit.cc matrix_wide_sums.cc matrix_wiring.cc
  PRIVATE_DEPENDS fmt::fmt)
# Every product and sum is written as it is to be rounded; a contraction would round once where twice is meant.
target_compile_options(mfma_gfx950_matrix PRIVATE -ffp-contract=off)
