// What holds of every case, whatever its class, drawn by the RapidCheck generators of harness/operands/arbitrary.h.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <sstream>

#include "harness/catalogue/layout.h"
#include "harness/conformance/execution/oracle_view.h"
#include "harness/operands/arbitrary.h"

namespace mfma::operands {
namespace {

using cases::Case;
using catalogue::Operand;
using catalogue::RegisterImage;

// A fixed seed and a bounded number, whatever the environment says.
rc::detail::TestParams parameters(int successes) {
  rc::detail::TestParams params;
  params.seed = 20240511;
  params.maxSuccess = successes;
  return params;
}

template <typename Testable>
void check(int successes, Testable testable) {
  const auto result = rc::detail::checkTestable(testable, rc::detail::TestMetadata(), parameters(successes));
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

// The image with every bit that no element holds turned round.
RegisterImage with_unread_bits_flipped(const catalogue::Instance& instance, Operand operand,
                                       const RegisterImage& image) {
  const catalogue::Layout& layout = catalogue::shared_layout(instance, operand);
  RegisterImage flipped = image;
  for (std::uint32_t& dword : flipped.dwords) dword = ~dword;
  catalogue::write_elements(layout, catalogue::read_elements(layout, image), flipped);
  return flipped;
}

TEST(AnyCase, SameNumbersMakeTheSameCase) {
  check(300, [](const CaseKey& key) { RC_ASSERT(key.make() == key.make()); });
}

TEST(AnyCase, TheOracleDoesNotSeeUnreadBits) {
  check(150, [](const CaseKey& key) {
    Case c = key.make();
    oracles::Model model;
    const conformance::OracleView view(c.instance, model, oracles::BroadcastReading::kPerSet);
    const auto before = view.expected(c).d;
    c.a = with_unread_bits_flipped(c.instance, Operand::kA, c.a);
    c.b = with_unread_bits_flipped(c.instance, Operand::kB, c.b);
    if (c.has_scales) {
      c.scale_a = with_unread_bits_flipped(c.instance, Operand::kScaleA, c.scale_a);
      c.scale_b = with_unread_bits_flipped(c.instance, Operand::kScaleB, c.scale_b);
    }
    RC_ASSERT(view.expected(c).d == before);
  });
}

TEST(AnyCase, ReachesManyClassesAndBuiltins) {
  std::set<OperandClass> classes;
  std::set<std::string_view> builtins;
  check(400, [&](const CaseKey& key) {
    classes.insert(key.cls);
    builtins.insert(key.instance.builtin->name);
    RC_ASSERT(applies(key.instance, key.cls));
  });
  EXPECT_GE(classes.size(), 17u);
  EXPECT_GE(builtins.size(), 30u);
}

// A property that fails on every class but the simplest is reported on a simple one: shrinking goes down the order.
TEST(AnyCase, ShrinksTowardsSimplerClasses) {
  const auto instance = *catalogue::parse_instance("mfma_f32_16x16x32_f16");
  OperandClass last = OperandClass::kMixed;
  const auto result = rc::detail::checkTestable(
      [&] {
        const CaseKey key = *case_of(instance);
        const bool fails = key.cls >= OperandClass::kExact;
        if (fails) last = key.cls;
        RC_ASSERT(!fails);
      },
      rc::detail::TestMetadata(), parameters(200));
  EXPECT_TRUE(result.template is<rc::detail::FailureResult>());
  EXPECT_EQ(last, OperandClass::kExact);
}

}  // namespace
}  // namespace mfma::operands
