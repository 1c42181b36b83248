// The part of the HIP runtime that we call, in declarations of our own: the program is the same whether HIP was
// installed where it was built or not. tests/hip_double holds them against the real header where there is one.
//
// Enumerations are passed as int and handles as pointers, which is how the C ABI passes them.
// Source: hip/hip_runtime_api.h of HIP 5.2 (Debian) and of ROCm 6, as far as both agree.
#pragma once

#include <cstddef>

namespace mfma::devices::hip {

// X(name, return type, parameters)
#define MFMA_HIP_FUNCTIONS(X)                                                                               \
  X(hipInit, int, (unsigned flags))                                                                         \
  X(hipGetDeviceCount, int, (int* count))                                                                   \
  X(hipSetDevice, int, (int device))                                                                        \
  X(hipDeviceGetAttribute, int, (int* value, int attribute, int device))                                    \
  X(hipDeviceGetPCIBusId, int, (char* id, int size, int device))                                            \
  X(hipRuntimeGetVersion, int, (int* version))                                                              \
  X(hipDriverGetVersion, int, (int* version))                                                               \
  X(hipGetErrorName, const char*, (int error))                                                              \
  X(hipGetErrorString, const char*, (int error))                                                            \
  X(hipMalloc, int, (void** pointer, std::size_t bytes))                                                    \
  X(hipFree, int, (void* pointer))                                                                          \
  X(hipHostMalloc, int, (void** pointer, std::size_t bytes, unsigned flags))                                \
  X(hipHostFree, int, (void* pointer))                                                                      \
  X(hipStreamCreateWithFlags, int, (void** stream, unsigned flags))                                         \
  X(hipStreamDestroy, int, (void* stream))                                                                  \
  X(hipStreamSynchronize, int, (void* stream))                                                              \
  X(hipMemcpyAsync, int, (void* to, const void* from, std::size_t bytes, int kind, void* stream))           \
  X(hipModuleLoadData, int, (void** module, const void* image))                                             \
  X(hipModuleUnload, int, (void* module))                                                                   \
  X(hipModuleGetFunction, int, (void** function, void* module, const char* name))                           \
  X(hipModuleLaunchKernel, int,                                                                             \
    (void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, void* stream, void** parameters, void** extra))

// In runtimes from 6 on, under this name only: the plain hipGetDeviceProperties of the library is the old layout there.
using GetDeviceProperties = int(void* properties, int device);
inline constexpr const char* kGetDeviceProperties = "hipGetDevicePropertiesR0600";

// hipDeviceProp_t of ROCm 6 and later; 1472 bytes, read into more.
inline constexpr std::size_t kPropertiesBuffer = 4096;
inline constexpr std::size_t kNameOffset = 0, kNameBytes = 256;
inline constexpr std::size_t kArchOffset = 1160, kArchBytes = 256;

enum Code : int {
  kSuccess = 0,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNoBinaryForGpu = 209,
  kEccNotCorrectable = 214,
  kIllegalAddress = 700,
  kLaunchFailure = 719,
};
enum CopyKind : int { kHostToDevice = 1, kDeviceToHost = 2 };
inline constexpr unsigned kStreamNonBlocking = 1;  // does not wait for the null stream
inline constexpr int kAttributeMultiprocessors = 63, kAttributeWarpSize = 87;

// The `extra` of hipModuleLaunchKernel: arguments as one buffer.
inline void* const kArgumentBuffer = reinterpret_cast<void*>(1);
inline void* const kArgumentSize = reinterpret_cast<void*>(2);
inline void* const kArgumentEnd = reinterpret_cast<void*>(3);

}  // namespace mfma::devices::hip
