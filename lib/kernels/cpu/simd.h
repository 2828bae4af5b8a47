#pragma once

#include <ATen/ceil_div.h>
#include <c10/util/BFloat16.h>

#include <cstdint>
#include <cstring>

// Defines a static function once for each kind of x86 processor; a call runs the definition that suits the processor.
// In the body `Floats` is the type of the numbers that one of the processor's registers holds. The function is static
// because g++ chooses between the definitions only where the caller's file contains them. With ThreadSanitizer there is
// only one definition: g++'s choice calls the sanitizer while the program is being loaded, before it is ready.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#ifdef __clang__  // which chooses by features and not by levels
#define TRANSFORMER_AVX2 "avx2,fma"
#pragma clang diagnostic ignored "-Wunused-function"  // clang says so of every definition that it may choose
#else
#define TRANSFORMER_AVX2 "arch=x86-64-v3"
#endif
#define TRANSFORMER_SIMD_FUNCTION(declaration, ...)              \
  static __attribute__((target("avx512f"))) declaration {        \
    using Floats [[maybe_unused]] = FloatVector<16>;             \
    __VA_ARGS__;                                                 \
  }                                                              \
  static __attribute__((target(TRANSFORMER_AVX2))) declaration { \
    using Floats [[maybe_unused]] = FloatVector<8>;              \
    __VA_ARGS__;                                                 \
  }                                                              \
  static __attribute__((target("default"))) declaration {        \
    using Floats [[maybe_unused]] = FloatVector<4>;              \
    __VA_ARGS__;                                                 \
  }
#else
#define TRANSFORMER_SIMD_FUNCTION(declaration, ...) \
  static declaration {                              \
    using Floats [[maybe_unused]] = FloatVector<4>; \
    __VA_ARGS__;                                    \
  }
#endif

namespace transformer::cpu {

/// A multiple of the lanes of every processor's registers: sizes that are multiples of it are whole vectors everywhere.
inline constexpr int64_t kMaxLanes = 16;

template <int lanes>
struct Simd {
  using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
  using Integers [[gnu::vector_size(lanes * sizeof(int32_t))]] = int32_t;
  using Bits [[gnu::vector_size(lanes * sizeof(uint32_t))]] = uint32_t;
  using HalfBits [[gnu::vector_size(lanes * sizeof(uint16_t))]] = uint16_t;
};

template <int lanes>
using FloatVector = typename Simd<lanes>::Floats;

/// The number of floats in a vector.
template <class Floats>
inline constexpr int64_t kLanes = sizeof(Floats) / sizeof(float);

/// The types of the other vectors with as many lanes.
template <class Floats>
using SimdOf = Simd<static_cast<int>(kLanes<Floats>)>;

/// The next multiple of the vectors' lanes, by default of kMaxLanes.
template <class Floats = FloatVector<kMaxLanes>>
int64_t round_up_to_lanes(int64_t count) {
  return at::round_up(count, kLanes<Floats>);
}

// Arguments by reference: passing vectors by value depends on the processor.

template <class Floats>
[[gnu::always_inline]] inline void load(Floats& to, const float* from) {
  std::memcpy(&to, from, sizeof(to));
}
template <class Floats>
[[gnu::always_inline]] inline void store(float* to, const Floats& from) {
  std::memcpy(to, &from, sizeof(from));
}

template <class Floats>
[[gnu::always_inline]] inline void load(Floats& to, const c10::BFloat16* from) {
  typename SimdOf<Floats>::HalfBits high;
  std::memcpy(&high, from, sizeof(high));
  const auto bits = __builtin_convertvector(high, typename SimdOf<Floats>::Bits) << 16;
  std::memcpy(&to, &bits, sizeof(to));
}

/// Rounds to the nearest, halves to the even one. NaN stays NaN if its bits are those that arithmetic produces,
/// 0x7FC00000 apart from the sign.
template <class Floats>
[[gnu::always_inline]] inline void store(c10::BFloat16* to, const Floats& from) {
  typename SimdOf<Floats>::Bits bits;
  std::memcpy(&bits, &from, sizeof(bits));
  bits += 0x7FFF + ((bits >> 16) & 1);
  const auto high = __builtin_convertvector(bits >> 16, typename SimdOf<Floats>::HalfBits);
  std::memcpy(to, &high, sizeof(high));
}

/// Adds halves, which makes a shorter chain of dependent additions than lane after lane.
template <class Floats>
[[gnu::always_inline]] inline float horizontal_sum(const Floats& x) {
  if constexpr (kLanes<Floats> == 4) {
    return (x[0] + x[2]) + (x[1] + x[3]);
  } else {
    FloatVector<static_cast<int>(kLanes<Floats> / 2)> halves[2];
    std::memcpy(halves, &x, sizeof(x));
    halves[0] += halves[1];
    return horizontal_sum(halves[0]);
  }
}

template <class Floats>
[[gnu::always_inline]] inline float horizontal_max(const Floats& x) {
  float largest = x[0];
  for (int lane = 1; lane < kLanes<Floats>; ++lane) largest = x[lane] > largest ? x[lane] : largest;
  return largest;
}

template <class Floats>
[[gnu::always_inline]] inline void maximum(Floats& largest, const Floats& x) {
  largest = x > largest ? x : largest;
}

/// e^x within two units of the last place, x from -87 to 88; smaller x are clamped to -87, whose exponential is
/// 1.6e-38.
template <class Floats>
[[gnu::always_inline]] inline void exponential(Floats& x) {
  constexpr float kMinExponent = -87.0F, kLog2E = 1.44269504F, kRounding = 12582912.0F;  // 1.5 * 2^23
  constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  const Floats least = Floats{} + kMinExponent;
  x = x < least ? least : x;
  Floats whole = x * kLog2E + kRounding;  // the last bits are the nearest whole number
  typename SimdOf<Floats>::Integers exponent;
  std::memcpy(&exponent, &whole, sizeof(whole));
  whole -= kRounding;
  const Floats rest = x - whole * kLn2High - whole * kLn2Low;
  Floats power = rest * 1.9875691500e-4F + 1.3981999507e-3F;
  power = power * rest + 8.3334519073e-3F;
  power = power * rest + 4.1665795894e-2F;
  power = power * rest + 1.6666665459e-1F;
  power = power * rest + 5.0000001201e-1F;
  power = power * rest * rest + rest + 1.0F;
  // 2^n from the integer n in the low bits of `exponent`; the bits of kRounding above them are shifted out.
  const typename SimdOf<Floats>::Integers scale = (exponent << 23) + 0x3F800000;
  Floats factor;
  std::memcpy(&factor, &scale, sizeof(scale));
  x = power * factor;
}

}  // namespace transformer::cpu
