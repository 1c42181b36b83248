// Our declarations of the HIP runtime against the real header.
#include <gtest/gtest.h>

// The header's own code is not ours to warn about; its folder is a system one (CMakeLists.txt).
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include <cstddef>
#include <type_traits>

#include "harness/devices/hip.h"

namespace mfma::devices::hip {
namespace {

// What a type is to the C ABI of x86-64: enumerations are ints, pointers are pointers.
template <class T>
constexpr int abi_class() {
  using Bare = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Bare>)
    return 0;
  else if constexpr (std::is_pointer_v<Bare>)
    return 1;
  else if constexpr (std::is_enum_v<Bare> || std::is_integral_v<Bare>)
    return 16 + static_cast<int>(sizeof(Bare));
  else
    return 2;
}

template <class Ours, class Theirs>
struct SameAbi : std::false_type {};
template <class R1, class... A1, class R2, class... A2>
struct SameAbi<R1(A1...), R2(A2...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A1) != sizeof...(A2))
      return false;
    else
      return abi_class<R1>() == abi_class<R2>() && ((abi_class<A1>() == abi_class<A2>()) && ...);
  }();
};

// Of pointers to functions. Types alone are compared: the library is not linked.
template <class Ours, class Theirs>
constexpr bool kSameAbi = SameAbi<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>::value;

TEST(HipHeader, SignaturesAreTheHeaders) {
  int checked = 0;
#define MFMA_CHECK(name)                                                        \
  EXPECT_TRUE((kSameAbi<decltype(Runtime::name), decltype(&::name)>)) << #name; \
  ++checked
  MFMA_CHECK(hipInit);
  MFMA_CHECK(hipGetDeviceCount);
  MFMA_CHECK(hipSetDevice);
  MFMA_CHECK(hipDeviceGetAttribute);
  MFMA_CHECK(hipDeviceGetPCIBusId);
  MFMA_CHECK(hipRuntimeGetVersion);
  MFMA_CHECK(hipDriverGetVersion);
  MFMA_CHECK(hipGetErrorName);
  MFMA_CHECK(hipGetErrorString);
  MFMA_CHECK(hipFree);
  MFMA_CHECK(hipHostFree);
  MFMA_CHECK(hipStreamCreateWithFlags);
  MFMA_CHECK(hipStreamDestroy);
  MFMA_CHECK(hipStreamSynchronize);
  MFMA_CHECK(hipMemcpyAsync);
  MFMA_CHECK(hipModuleLoadData);
  MFMA_CHECK(hipModuleUnload);
  MFMA_CHECK(hipModuleGetFunction);
  MFMA_CHECK(hipModuleLaunchKernel);
#undef MFMA_CHECK
  // The header has templates of these names beside the functions.
  EXPECT_TRUE((kSameAbi<decltype(Runtime::hipMalloc),
                        decltype(static_cast<hipError_t (*)(void**, std::size_t)>(&::hipMalloc))>));
  EXPECT_TRUE((kSameAbi<decltype(Runtime::hipHostMalloc),
                        decltype(static_cast<hipError_t (*)(void**, std::size_t, unsigned)>(&::hipHostMalloc))>));
  checked += 2;
  int declared = 0;
#define MFMA_COUNT(name, result, parameters) ++declared;
  MFMA_HIP_FUNCTIONS(MFMA_COUNT)
#undef MFMA_COUNT
  EXPECT_EQ(checked, declared);
}

TEST(HipHeader, CodesAndKindsAreTheHeaders) {
  EXPECT_EQ(kSuccess, static_cast<int>(hipSuccess));
  EXPECT_EQ(kOutOfMemory, static_cast<int>(hipErrorOutOfMemory));
  EXPECT_EQ(kNoDevice, static_cast<int>(hipErrorNoDevice));
  EXPECT_EQ(kInvalidDevice, static_cast<int>(hipErrorInvalidDevice));
  EXPECT_EQ(kNoBinaryForGpu, static_cast<int>(hipErrorNoBinaryForGpu));
  EXPECT_EQ(kEccNotCorrectable, static_cast<int>(hipErrorECCNotCorrectable));
  EXPECT_EQ(kIllegalAddress, static_cast<int>(hipErrorIllegalAddress));
  EXPECT_EQ(kLaunchFailure, static_cast<int>(hipErrorLaunchFailure));
  EXPECT_EQ(kHostToDevice, static_cast<int>(hipMemcpyHostToDevice));
  EXPECT_EQ(kDeviceToHost, static_cast<int>(hipMemcpyDeviceToHost));
  EXPECT_EQ(kStreamNonBlocking, static_cast<unsigned>(hipStreamNonBlocking));
  EXPECT_EQ(kAttributeMultiprocessors, static_cast<int>(hipDeviceAttributeMultiprocessorCount));
  EXPECT_EQ(kAttributeWarpSize, static_cast<int>(hipDeviceAttributeWarpSize));
  EXPECT_EQ(kArgumentBuffer, HIP_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(kArgumentSize, HIP_LAUNCH_PARAM_BUFFER_SIZE);
  EXPECT_EQ(kArgumentEnd, HIP_LAUNCH_PARAM_END);
}

TEST(HipHeader, ArchIsWhereTheHeaderHasIt) {
#if HIP_VERSION_MAJOR >= 6
  EXPECT_EQ(kArchOffset, offsetof(hipDeviceProp_t, gcnArchName));
  EXPECT_EQ(kNameOffset, offsetof(hipDeviceProp_t, name));
#else
  // The old layout, which is why the plain hipGetDeviceProperties is never called.
  EXPECT_EQ(offsetof(hipDeviceProp_t, gcnArchName), 396u);
  EXPECT_NE(kArchOffset, offsetof(hipDeviceProp_t, gcnArchName));
#endif
  EXPECT_LT(sizeof(hipDeviceProp_t), kPropertiesBuffer);
}

}  // namespace
}  // namespace mfma::devices::hip
