// Programs, shapes and random programs as data: well formed, distinct, the same each time, and smaller without dead
// code.
#include "harness/kernels/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/kernels/random_program.h"

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using catalogue::Operand;
using ::testing::HasSubstr;

Instance instance(const char* id) { return *catalogue::parse_instance(id); }

TEST(Shapes, NamesAreDistinctAndFound) {
  std::set<std::string_view> names;
  for (const Shape& shape : shapes()) {
    EXPECT_TRUE(names.insert(shape.name).second) << shape.name;
    EXPECT_EQ(find_shape(shape.name), &shape);
    EXPECT_FALSE(shape.summary.empty());
  }
  EXPECT_GE(names.size(), 19u);
  EXPECT_EQ(find_shape("no-such-shape"), nullptr);
}

TEST(Shapes, EveryProgramOfEveryBuiltinIsWellFormedAndHasItsOwnKernel) {
  std::set<std::string> kernels;
  std::size_t programs = 0;
  for (const Shape& shape : shapes()) {
    std::size_t of_shape = 0;
    for (const catalogue::Builtin& builtin : catalogue::builtins()) {
      for (const Instance& i :
           {catalogue::legal_instances(builtin).front(), catalogue::legal_instances(builtin).back()}) {
        if (!shape.fits(i)) continue;
        for (const std::string& variant : shape.variants(builtin)) {
          const Program p = shape.make(i, variant, 1);
          EXPECT_EQ(why_malformed(p), "") << p.title;
          EXPECT_EQ(p.shape, shape.name);
          EXPECT_TRUE(kernels.insert(p.kernel_name()).second || builtin.modifiers == catalogue::ModifierKind::kNegate)
              << p.title;
          EXPECT_EQ(p.instances().at(0), i) << p.title;
          EXPECT_THAT(piece_of(p).text, HasSubstr("KERNEL"));
          ++of_shape;
        }
      }
    }
    EXPECT_GT(of_shape, 0u) << shape.name << " fits nothing";
    programs += of_shape;
  }
  EXPECT_GT(programs, 4000u);
}

TEST(Shapes, PairsAreAllOrderedPairsWithOneAccumulatorType) {
  const Shape* pairs = find_shape("chain-pair");
  ASSERT_NE(pairs, nullptr);
  std::set<std::pair<std::string, std::string>> met;
  for (const catalogue::Builtin& builtin : catalogue::builtins()) {
    for (const std::string& second : pairs->variants(builtin)) met.insert({std::string(builtin.name), second});
  }
  std::size_t expected = 0;
  for (const catalogue::Builtin& x : catalogue::builtins()) {
    for (const catalogue::Builtin& y : catalogue::builtins()) {
      if (x.c_type != y.c_type) continue;
      ++expected;
      EXPECT_TRUE(met.count({std::string(x.name), std::string(y.name)})) << x.name << " then " << y.name;
    }
  }
  EXPECT_EQ(met.size(), expected);
  EXPECT_GT(expected, 300u);
}

TEST(Shapes, InlineConstantsAreAllOfTheManualsTable) {
  const Shape* inlined = find_shape("c-inline");
  ASSERT_NE(inlined, nullptr);
  std::set<std::uint32_t> met;
  const Instance i = instance("mfma_i32_4x4x4i8");
  for (const std::string& variant : inlined->variants(*i.builtin)) {
    for (const Op& op : inlined->make(i, variant, 1).ops) {
      if (op.kind == OpKind::kConstant) met.insert(op.dwords.at(0));
    }
  }
  for (int n = -16; n <= 64; ++n) EXPECT_TRUE(met.count(static_cast<std::uint32_t>(n))) << n;
  for (const std::uint32_t f : {0x3f000000u, 0xbf000000u, 0x3f800000u, 0xbf800000u, 0x40000000u, 0xc0000000u,
                                0x40800000u, 0xc0800000u, 0x3e22f983u}) {
    EXPECT_TRUE(met.count(f)) << std::hex << f;
  }
  EXPECT_EQ(met.size(), 81u + 9u);
}

TEST(Program, MistakesAreNamed) {
  const Instance i = instance("mfma_f32_16x16x32_f16");
  const auto fresh = [&] { return find_shape("k-loop")->make(i, "one", 1); };
  ASSERT_EQ(why_malformed(fresh()), "");
  Program p = fresh();
  p.outputs.clear();
  EXPECT_THAT(why_malformed(p), HasSubstr("no output"));
  p = fresh();
  p.ops.pop_back();
  EXPECT_THAT(why_malformed(p), HasSubstr("loop without end"));
  p = fresh();
  p.outputs[0].value = static_cast<ValueId>(p.ops.size()) - 2;  // of the loop's body
  EXPECT_THAT(why_malformed(p), HasSubstr("not in scope"));
  p = fresh();
  for (Op& op : p.ops) {
    if (op.kind == OpKind::kMultiply) op.args[0] = op.args[2];
  }
  EXPECT_EQ(why_malformed(p), "") << "A and C have four registers each: a program all the same";
  p = find_shape("valu")->make(instance("mfma_f32_32x32x1f32"), "xor", 1);
  for (Op& op : p.ops) {
    if (op.kind == OpKind::kCombine) op.args[1] = 0;
  }
  EXPECT_THAT(why_malformed(p), HasSubstr("sizes differ"));
}

TEST(Program, DeadCodeGoesAndTheRestStays) {
  const Instance i = instance("mfma_f32_16x16x32_f16");
  ProgramBuilder b("test", "test");
  const detail::Operands live = detail::load_operands(b, i, 0);
  const ValueId kept = b.multiply(i, {live.a, live.b, live.c});
  const detail::Operands dead = detail::load_operands(b, i, 1);
  b.multiply(i, {dead.a, dead.b, dead.c});
  b.output(kept);
  const Program p = without_dead_code(b.program());
  EXPECT_EQ(why_malformed(p), "");
  EXPECT_EQ(p.ops.size(), 4u);
  EXPECT_EQ(p.inputs.size(), 3u);
  // A loop stays whole when one of its values is used.
  const Program loop = find_shape("k-loop")->make(i, "crossed", 1);
  EXPECT_EQ(without_dead_code(loop).ops.size(), loop.ops.size());
}

TEST(RandomPrograms, AreWellFormedDistinctAndTheSameEachTime) {
  const std::vector<Instance> all = catalogue::all_legal_instances();
  std::set<std::string> sources;
  std::set<OpKind> kinds;
  std::set<CallForm> forms;
  for (std::uint64_t n = 0; n < 300; ++n) {
    const Program p = random_program(all, 7, n);
    ASSERT_EQ(why_malformed(p), "") << p.title;
    const std::string text = piece_of(p).text;
    EXPECT_THAT(text, HasSubstr("// mfma-conform random program, seed 7, index " + std::to_string(n) + "\n"));
    EXPECT_EQ(text, piece_of(random_program(all, 7, n)).text);
    EXPECT_TRUE(sources.insert(text).second);
    EXPECT_NE(text, piece_of(random_program(all, 8, n)).text);
    for (const Op& op : p.ops) {
      kinds.insert(op.kind);
      if (op.kind == OpKind::kMultiply) forms.insert(op.form);
    }
    for (const Instance& i : p.instances()) EXPECT_EQ(i.builtin->c_type, p.instances()[0].builtin->c_type) << p.title;
  }
  // All kinds but the uniform load and the tiled product.
  EXPECT_EQ(kinds.size(), 15u);
  EXPECT_EQ(forms.size(), 5u);
}

}  // namespace
}  // namespace mfma::kernels
