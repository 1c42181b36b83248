// The rules of wait states as data. Manual: Table 11 (4.5) and Table 38 (7.6); what blank cells of the Markdown hold is
// in docs/discrepancies.md (wait-states-table). Compiler: Debian's clang 22.1.8, by what its pass post-RA-hazard-rec
// inserts, and LLVM's source GCNHazardRecognizer.cpp.
#include "harness/gfx950/hazards.h"

#include <fmt/format.h>

namespace mfma::gfx950 {
namespace {

using enum Relation;
using enum MatrixClass;
constexpr Severity kError = Severity::kError, kWarning = Severity::kWarning;

constexpr const char* kTable38 = "Table 38";
constexpr const char* kTable11 = "Table 11";
constexpr const char* kSame = "the same";
// LLVM pull request 222040 (merged September 2026): the scan went back 19 wait states.
constexpr const char* kSameUpTo19 = "the same, but nothing where 20 are needed and 19 are there";
constexpr const char* kNothing = "inserts nothing";
constexpr int kNoRow = -1;

// A row of Table 38 for the products of a class, with one value per number of passes: 2, 4, 8, 16.
struct MatrixRow {
  const char* stem;
  MatrixClass matrix;
  Relation relation;
  std::array<int, 4> required;
  Severity severity;
  const char* what;
  const char* manual;
  const char* compiler;
};

// SGEMM has no opcode of 4 passes on gfx950, SMFMAC none of 2 or 16.
constexpr MatrixRow kMatrixRows[] = {
    {"W-XDL-SRCC-EXACT", kXdl, kSrcCExact, {2, 0, 0, 0}, kError,
     "XDL reads as C exactly the D of an XDL of as many passes", kTable38, kSame},
    {"W-XDL-SRCC-OPCODE", kXdl, kSrcCOtherOpcode, {4, 6, 10, 18}, kWarning,
     "XDL reads as C exactly the D of an XDL of another opcode", "",
     "inserts what W-XDL-SRCC-EXACT asks for; LLVM pull request 218363 would insert the waits of an overlap"},
    {"W-XDL-SRCC-PASSES", kXdl, kSrcCOtherPasses, {4, 6, 10, 18}, kError,
     "XDL reads as C exactly the D of an XDL of another number of passes", kTable38,
     "forwards all the same: inserts 2 after 2 passes, else nothing"},
    {"W-XDL-SRCC-OVERLAP", kXdl, kSrcCOverlap, {4, 6, 10, 18}, kError, "XDL reads as C a part of the D of an XDL",
     kTable38, kSame},
    {"W-XDL-SRCC-GEMM", kXdl, kSrcCByGemm, {3, 6, 10, 18}, kError, "SGEMM or DGEMM reads as C the D of an XDL",
     kTable38, "the same; where C is exactly D: 2 after 2 passes, else nothing"},
    {"W-XDL-SRCAB", kXdl, kSrcAb, {5, 8, 12, 20}, kError,
     "a matrix product reads as A, B, scale or index the D of an XDL", kTable38, kSameUpTo19},
    {"W-XDL-VALU-READ", kXdl, kVectorReadsD, {5, 8, 12, 20}, kError, "VALU reads the D of an XDL", kTable38,
     kSameUpTo19},
    {"W-XDL-VALU-WRITE", kXdl, kVectorWritesD, {5, 8, 12, 20}, kError, "VALU overwrites the D of an XDL", kTable38,
     kSameUpTo19},
    {"W-XDL-MEM-READ", kXdl, kMemoryReadsD, {5, 8, 12, 20}, kError, "a memory instruction reads the D of an XDL",
     kTable38, kSameUpTo19},
    {"W-XDL-MEM-WRITE", kXdl, kMemoryWritesD, {5, 8, 12, 20}, kWarning, "a load overwrites the D of an XDL", "",
     "inserts it"},
    {"W-XDL-VALU-WAR", kXdl, kVectorWritesC, {1, 3, 7, 15}, kError, "VALU overwrites the C of an XDL", kTable38,
     kSame},
    {"W-XDL-MEM-WAR", kXdl, kMemoryWritesC, {1, 3, 7, 15}, kWarning, "a load overwrites the C of an XDL", "",
     "inserts it"},
    {"W-SMFMAC-INDEX-WAR", kXdl, kVectorWritesIndex, {kNoRow, 3, 7, kNoRow}, kWarning,
     "VALU overwrites the index of an SMFMAC, which is its SRC2", kTable38, kNothing},

    {"W-SGEMM-SRCC-EXACT", kSgemm, kSrcCExact, {2, kNoRow, 0, 0}, kError,
     "SGEMM reads as C exactly the D of an SGEMM of as many passes", kTable38, kSame},
    {"W-SGEMM-SRCC-PASSES", kSgemm, kSrcCOtherPasses, {2, kNoRow, 8, 16}, kError,
     "SGEMM reads as C exactly the D of an SGEMM of another number of passes", kTable38,
     "forwards all the same: inserts 2 after 2 passes, else nothing"},
    {"W-SGEMM-SRCC-OVERLAP", kSgemm, kSrcCOverlap, {2, kNoRow, 8, 16}, kError,
     "SGEMM or DGEMM reads as C a part of the D of an SGEMM", kTable38, kSame},
    {"W-SGEMM-SRCC-XDL", kSgemm, kSrcCByXdl, {0, kNoRow, 0, 0}, kError, "XDL reads as C the D of an SGEMM", kTable38,
     kSame},
    {"W-SGEMM-SRCC-XDL-EXACT", kSgemm, kSrcCByXdlExact, {2, kNoRow, kNoRow, kNoRow}, kWarning,
     "XDL reads as C exactly the D of an SGEMM of 2 passes", "", "inserts it"},
    {"W-SGEMM-SRCAB", kSgemm, kSrcAb, {4, kNoRow, 10, 18}, kError,
     "a matrix product reads as A, B, scale or index the D of an SGEMM", kTable38, kSame},
    {"W-SGEMM-VALU-READ", kSgemm, kVectorReadsD, {4, kNoRow, 10, 18}, kError, "VALU reads the D of an SGEMM", kTable38,
     kSame},
    {"W-SGEMM-VALU-WRITE", kSgemm, kVectorWritesD, {4, kNoRow, 10, 18}, kError, "VALU overwrites the D of an SGEMM",
     kTable38, kSame},
    {"W-SGEMM-MEM-READ", kSgemm, kMemoryReadsD, {4, kNoRow, 10, 18}, kError,
     "a memory instruction reads the D of an SGEMM", kTable38, kSame},
    {"W-SGEMM-MEM-WRITE", kSgemm, kMemoryWritesD, {4, kNoRow, 10, 18}, kWarning, "a load overwrites the D of an SGEMM",
     "", "inserts it"},

    {"W-DGEMM16-SRCC-EXACT", kDgemm16, kSrcCExact, {kNoRow, kNoRow, kNoRow, 0}, kError,
     "f64 16x16x4 reads as C exactly the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-SRCC-OVERLAP", kDgemm16, kSrcCOverlap, {kNoRow, kNoRow, kNoRow, 17}, kError,
     "SGEMM or DGEMM reads as C a part of the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-SRCC-XDL", kDgemm16, kSrcCByXdl, {kNoRow, kNoRow, kNoRow, 0}, kError,
     "XDL reads as C the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-SRCAB", kDgemm16, kSrcAb, {kNoRow, kNoRow, kNoRow, 19}, kError,
     "a matrix product reads as A, B, scale or index the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-VALU-READ", kDgemm16, kVectorReadsD, {kNoRow, kNoRow, kNoRow, 19}, kError,
     "VALU reads the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-VALU-WRITE", kDgemm16, kVectorWritesD, {kNoRow, kNoRow, kNoRow, 19}, kError,
     "VALU overwrites the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-MEM-READ", kDgemm16, kMemoryReadsD, {kNoRow, kNoRow, kNoRow, 18}, kError,
     "a memory instruction reads the D of an f64 16x16x4", kTable38, kSame},
    {"W-DGEMM16-MEM-WRITE", kDgemm16, kMemoryWritesD, {kNoRow, kNoRow, kNoRow, 19}, kWarning,
     "a load overwrites the D of an f64 16x16x4", "", "inserts it"},
    {"W-DGEMM16-FMA64", kDgemm16, kFma64, {kNoRow, kNoRow, kNoRow, 2}, kWarning,
     "V_FMA_F64 or V_FMAC_F64 follows an f64 16x16x4", "", "inserts it"},

    {"W-DGEMM4-SRCC-EXACT", kDgemm4, kSrcCExact, {kNoRow, 4, kNoRow, kNoRow}, kError,
     "f64 4x4x4 reads as C exactly the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-SRCC-OVERLAP", kDgemm4, kSrcCOverlap, {kNoRow, 4, kNoRow, kNoRow}, kError,
     "SGEMM or DGEMM reads as C a part of the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-SRCC-XDL", kDgemm4, kSrcCByXdl, {kNoRow, 0, kNoRow, kNoRow}, kError,
     "XDL reads as C the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-SRCAB", kDgemm4, kSrcAb, {kNoRow, 6, kNoRow, kNoRow}, kError,
     "a matrix product reads as A, B, scale or index the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-VALU-READ", kDgemm4, kVectorReadsD, {kNoRow, 6, kNoRow, kNoRow}, kError,
     "VALU reads the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-VALU-WRITE", kDgemm4, kVectorWritesD, {kNoRow, 6, kNoRow, kNoRow}, kError,
     "VALU overwrites the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-MEM-READ", kDgemm4, kMemoryReadsD, {kNoRow, 9, kNoRow, kNoRow}, kError,
     "a memory instruction reads the D of an f64 4x4x4", kTable38, kSame},
    {"W-DGEMM4-MEM-WRITE", kDgemm4, kMemoryWritesD, {kNoRow, 6, kNoRow, kNoRow}, kWarning,
     "a load overwrites the D of an f64 4x4x4", "", "inserts it"},
    {"W-DGEMM4-FMA64", kDgemm4, kFma64, {kNoRow, 2, kNoRow, kNoRow}, kWarning,
     "V_FMA_F64 or V_FMAC_F64 follows an f64 4x4x4", "", "inserts it"},
};

struct OtherRow {
  const char* code;
  Relation relation;
  int required;
  Severity severity;
  const char* what;
  const char* manual;
  const char* compiler;
};

constexpr OtherRow kOtherRows[] = {
    {"W-VALU-MFMA", kMatrixReads, 2, kError, "a matrix product reads a VGPR that the VALU wrote", kTable38, kSame},
    {"W-CMPX-MFMA", kMatrixAfterCmpx, 4, kError, "a matrix product follows V_CMPX", kTable38, kSame},
    {"W-VALU-READLANE", kReadlaneReads, 1, kError, "V_READLANE reads a VGPR that the VALU wrote", kTable11, kSame},
    {"W-VALU-READFIRSTLANE", kReadfirstlaneReads, 1, kWarning, "V_READFIRSTLANE reads a VGPR that the VALU wrote", "",
     "inserts it"},
    {"W-VALU-PERMLANE", kPermlaneReads, 2, kError, "V_PERMLANE reads a VGPR that the VALU wrote", kTable11, kSame},
    {"W-TRANS-VALU", kVectorConsumesTrans, 1, kError,
     "a VALU opcode that is not transcendental reads the result of one that is", kTable11, kSame},
    {"W-OPSEL-VALU", kVectorConsumesShifted, 1, kError, "VALU reads a result that OP_SEL moved to the high half",
     kTable11, kSame},
    {"W-SGPR-VALU", kConstantRead, 2, kError, "VALU reads as a constant an SGPR or VCC that the VALU wrote", kTable11,
     kSame},
    {"W-SGPR-MASK", kMaskRead, 2, kWarning, "VALU reads as carry or mask an SGPR or VCC that the VALU wrote",
     "Table 11 asks for 0", "inserts it"},
    {"W-SGPR-LANE", kLaneSelect, 4, kError, "V_READLANE or V_WRITELANE selects the lane by an SGPR that the VALU wrote",
     kTable11, kSame},
    {"W-SGPR-VMEM", kMemoryBase, 5, kError, "a memory instruction reads an SGPR that the VALU wrote", kTable11, kSame},
    {"W-VCC-VCCZ", kZeroFlag, 5, kWarning, "VALU reads VCCZ or EXECZ as a source after the VALU wrote VCC or EXEC",
     kTable11, "has no such check"},
    {"W-CMPX-EXEC", kExecRead, 2, kError, "VALU reads EXEC as a constant after V_CMPX", kTable11, kSame},
    {"W-CMPX-LANE", kLaneAfterCmpx, 4, kError, "V_READLANE, V_READFIRSTLANE or V_WRITELANE follows V_CMPX", kTable11,
     kSame},
    {"W-CMPX-PERMLANE", kPermlaneAfterCmpx, 4, kError, "V_PERMLANE follows V_CMPX", kTable11, kSame},
    {"W-STORE-VALU", kVectorOverwritesData, 2, kError,
     "VALU or a matrix product overwrites the data of a store of three or four dwords", kTable11, kSame},
    {"W-STORE-MEM", kMemoryOverwritesData, 1, kWarning, "a load overwrites the data of a store of three or four dwords",
     kTable11, kNothing},
    {"W-SETREG-GETREG", kGetregSame, 2, kError, "S_GETREG reads what S_SETREG wrote", kTable11, kSame},
    {"W-SETREG-SETREG", kSetregSame, 2, kError, "S_SETREG writes the register that S_SETREG wrote", kTable11, kSame},
    {"W-SETVSKIP-GETREG", kGetregMode, 2, kWarning, "S_GETREG reads MODE after S_SETVSKIP", kTable11,
     "has no such check"},
    {"W-VSKIP-VECTOR", kVectorAfterVskip, 2, kWarning, "a vector instruction follows S_SETREG over MODE.vskip",
     kTable11, kNothing},
    {"W-M0-SENDMSG", kSendmsg, 1, kError, "S_SENDMSG follows an SALU write of M0", kTable11, kSame},
    {"W-M0-MOVREL", kMovrel, 1, kError, "S_MOVREL follows an SALU write of M0", kTable11, kSame},
    {"W-TRAPSTS-RFE", kRfe, 1, kError, "S_RFE follows S_SETREG of TRAPSTS", kTable11, kSame},
};

std::vector<WaitRule> make_rules() {
  constexpr std::array<int, 4> kPasses = {2, 4, 8, 16};
  std::vector<WaitRule> rules;
  for (const MatrixRow& row : kMatrixRows) {
    const bool f64 = row.matrix == kDgemm16 || row.matrix == kDgemm4;
    for (std::size_t i = 0; i < kPasses.size(); ++i) {
      if (row.required[i] == kNoRow) continue;
      // f64 has one opcode per class: its passes would say nothing.
      const std::string code = f64 ? row.stem : fmt::format("{}-{}", row.stem, kPasses[i]);
      rules.push_back({code, row.matrix, kPasses[i], row.relation, row.required[i], row.severity, row.what, row.manual,
                       row.compiler});
    }
  }
  for (const OtherRow& row : kOtherRows) {
    rules.push_back({row.code, kNone, 0, row.relation, row.required, row.severity, row.what, row.manual, row.compiler});
  }
  return rules;
}

}  // namespace

std::span<const WaitRule> wait_rules() {
  static const std::vector<WaitRule> rules = make_rules();
  return rules;
}

const WaitRule* find_wait_rule(std::string_view code) {
  for (const WaitRule& rule : wait_rules()) {
    if (rule.code == code) return &rule;
  }
  return nullptr;
}

}  // namespace mfma::gfx950
