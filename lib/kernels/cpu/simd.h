#pragma once

#include <c10/util/BFloat16.h>

#include <cstdint>
#include <cstring>

/// A function that is compiled for several kinds of x86 processor; the program takes the best one that runs.
#if defined(__x86_64__)
#define TRANSFORMER_TARGET_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define TRANSFORMER_TARGET_CLONES
#endif

namespace transformer {

/// Sixteen numbers at once, which the compiler cuts to the registers that there are.
inline constexpr int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(kLanes * sizeof(float)), may_alias));
using Integers = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t)), may_alias));
using Bits = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t)), may_alias));
using HalfBits = uint16_t __attribute__((vector_size(kLanes * sizeof(uint16_t)), may_alias));

/// The next multiple of kLanes.
inline int64_t round_up_to_lanes(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Arguments by reference: passing vectors by value depends on the processor.

[[gnu::always_inline]] inline void load(Floats& to, const float* from) { std::memcpy(&to, from, sizeof(to)); }
[[gnu::always_inline]] inline void store(float* to, const Floats& from) { std::memcpy(to, &from, sizeof(from)); }

[[gnu::always_inline]] inline void load(Floats& to, const c10::BFloat16* from) {
  HalfBits high;
  std::memcpy(&high, from, sizeof(high));
  const Bits bits = __builtin_convertvector(high, Bits) << 16;
  std::memcpy(&to, &bits, sizeof(to));
}

/// Rounds to the nearest, halves to the even one.
[[gnu::always_inline]] inline void store(c10::BFloat16* to, const Floats& from) {
  Bits bits;
  std::memcpy(&bits, &from, sizeof(bits));
  bits += 0x7FFF + ((bits >> 16) & 1);
  const HalfBits high = __builtin_convertvector(bits >> 16, HalfBits);
  std::memcpy(to, &high, sizeof(high));
}

[[gnu::always_inline]] inline float horizontal_sum(const Floats& x) {
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += x[lane];
  return sum;
}

[[gnu::always_inline]] inline float horizontal_max(const Floats& x) {
  float largest = x[0];
  for (int lane = 1; lane < kLanes; ++lane) largest = x[lane] > largest ? x[lane] : largest;
  return largest;
}

[[gnu::always_inline]] inline void maximum(Floats& largest, const Floats& x) { largest = x > largest ? x : largest; }

struct Extremes {
  float smallest, largest;
};

/// Of x [width] and 0.
[[gnu::always_inline]] inline Extremes extremes_of(const float* x, int64_t width) {
  const int64_t in_lanes = width / kLanes * kLanes;
  Floats values, above = {}, below = {};
  for (int64_t c = 0; c < in_lanes; c += kLanes) {
    load(values, x + c);
    maximum(above, values);
    maximum(below, -values);
  }
  Extremes extremes{-horizontal_max(below), horizontal_max(above)};
  for (int64_t c = in_lanes; c < width; ++c) {
    if (x[c] < extremes.smallest) extremes.smallest = x[c];
    if (x[c] > extremes.largest) extremes.largest = x[c];
  }
  return extremes;
}

/// e^x within two units of the last place, x from -87 to 88; below, next to nothing.
[[gnu::always_inline]] inline void exponential(Floats& x) {
  constexpr float kLeast = -87.0F, kLog2E = 1.44269504F, kRounding = 12582912.0F;  // 1.5 * 2^23
  constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  const Floats least = Floats{} + kLeast;
  x = x < least ? least : x;
  Floats whole = x * kLog2E + kRounding;  // the last bits are the nearest whole number
  Integers exponent;
  std::memcpy(&exponent, &whole, sizeof(whole));
  whole -= kRounding;
  const Floats rest = x - whole * kLn2High - whole * kLn2Low;
  Floats power = rest * 1.9875691500e-4F + 1.3981999507e-3F;
  power = power * rest + 8.3334519073e-3F;
  power = power * rest + 4.1665795894e-2F;
  power = power * rest + 1.6666665459e-1F;
  power = power * rest + 5.0000001201e-1F;
  power = power * rest * rest + rest + 1.0F;
  const Integers scale = (exponent << 23) + 0x3F800000;  // the constant's own bits leave at the left
  Floats factor;
  std::memcpy(&factor, &scale, sizeof(scale));
  x = power * factor;
}

}  // namespace transformer
