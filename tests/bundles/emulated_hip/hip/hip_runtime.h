// As much of HIP's host interface as the programs of bundles use, for the emulated device (emulated_hip.cc).
#pragma once

#include <stddef.h>

typedef int hipError_t;
enum { hipSuccess = 0 };
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };
typedef struct ihipStream_t* hipStream_t;
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

extern "C" {
hipError_t hipMalloc(void** pointer, size_t bytes);
hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind);
hipError_t hipDeviceSynchronize();
hipError_t hipGetLastError();
const char* hipGetErrorString(hipError_t error);
// The kernel's host stub, which nothing here calls, refers to it.
hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                           hipStream_t stream);
void emulated_hip_launch(const void* kernel, unsigned workgroups, unsigned lanes, const void* arguments, size_t bytes);
}

// Arguments one after the other, each aligned to its size: the layout of a kernel's argument block.
template <class... P, class... A>
void hipLaunchKernelGGL(void (*kernel)(P...), dim3 grid, dim3 block, unsigned, int, A... arguments) {
  alignas(8) unsigned char block_of_arguments[8 * (sizeof...(P) + 1)] = {};
  size_t at = 0;
  auto put = [&](auto argument) {
    at = (at + sizeof argument - 1) / sizeof argument * sizeof argument;
    __builtin_memcpy(block_of_arguments + at, &argument, sizeof argument);
    at += sizeof argument;
  };
  (put(static_cast<P>(arguments)), ...);
  emulated_hip_launch(reinterpret_cast<const void*>(kernel), grid.x, block.x, block_of_arguments, at);
}
