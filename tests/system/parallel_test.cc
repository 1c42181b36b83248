#include "harness/system/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace mfma::system {
namespace {

TEST(Parallel, EachIsCalledOnceAlsoFromWithin) {
  for (const int jobs : {0, 1, 2, 5}) {
    std::vector<std::vector<int>> calls(7, std::vector<int>(33));
    in_parallel(jobs, calls.size(),
                [&](std::size_t n) { in_parallel_within(calls[n].size(), [&](std::size_t i) { ++calls[n][i]; }); });
    EXPECT_EQ(calls, std::vector<std::vector<int>>(7, std::vector<int>(33, 1))) << jobs;
  }
  in_parallel(2, 0, [](std::size_t) { FAIL() << "nothing was asked for"; });
}

TEST(Parallel, OneThreadGoesInOrder) {
  std::vector<std::size_t> order;
  in_parallel(1, 100, [&](std::size_t n) { order.push_back(n); });
  ASSERT_EQ(order.size(), 100u);
  for (std::size_t n = 0; n < order.size(); ++n) EXPECT_EQ(order[n], n);
}

TEST(Parallel, WhatABodyThrowsIsThrownAndEndsTheLoop) {
  std::atomic<std::size_t> begun{0};
  const auto body = [&](std::size_t) {
    ++begun;
    throw std::runtime_error("a body's");
  };
  EXPECT_THROW(in_parallel(2, 100'000, body), std::runtime_error);
  EXPECT_LT(begun, 100'000u);
  EXPECT_THROW(in_parallel_within(100, body), std::runtime_error);
}

}  // namespace
}  // namespace mfma::system
