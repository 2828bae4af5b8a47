#pragma once

#include <ATen/ceil_div.h>
#include <c10/util/BFloat16.h>

#include <cstdint>
#include <cstring>

#include "platform/cpu_features.h"

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
  if constexpr (kLanes<Floats> == 1) {
    return x[0];
  } else {
    FloatVector<static_cast<int>(kLanes<Floats> / 2)> halves[2];
    std::memcpy(halves, &x, sizeof(x));
    halves[0] = halves[1] > halves[0] ? halves[1] : halves[0];
    return horizontal_max(halves[0]);
  }
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

// A kernel is compiled once for each instruction set, inside one of these functions.

#if defined(__x86_64__)
template <class Body>
[[gnu::target("avx512f,avx512bw,avx512dq")]] auto run_avx512(const Body& body) {
  return body.template operator()<FloatVector<16>>();
}
template <class Body>
[[gnu::target("arch=x86-64-v3")]] auto run_avx2(const Body& body) {  // AVX2 and FMA
  return body.template operator()<FloatVector<8>>();
}
#endif

/// Calls body.operator()<Floats>(), compiled for the instructions whose registers hold `Floats`. The body must be
/// inlined (TRANSFORMER_BODY).
template <class Floats, class Body>
auto run_with(const Body& body) {
#if defined(__x86_64__)
  if constexpr (kLanes<Floats> == 16) return run_avx512(body);
  if constexpr (kLanes<Floats> == 8) return run_avx2(body);
#endif
  if constexpr (kLanes<Floats> == 4) return body.template operator()<Floats>();
}

/// As run_with, for the instructions that instruction_set() has chosen.
template <class Body>
auto run_simd(const Body& body) {
#if defined(__x86_64__)
  if (has_avx512()) return run_with<FloatVector<16>>(body);
  if (instruction_set() == InstructionSet::avx2) return run_with<FloatVector<8>>(body);
#endif
  return run_with<FloatVector<4>>(body);
}

}  // namespace transformer::cpu

/// A function template of `Floats` with these statements, for run_with and run_simd. The functions that the statements
/// call must be inlined.
#define TRANSFORMER_BODY(...) \
  [&]<class Floats>() __attribute__((always_inline)) { __VA_ARGS__; }

/// Runs the statements with the processor's vectors: `Floats` is the type of the numbers that one of its registers
/// holds.
#define TRANSFORMER_SIMD(...) run_simd(TRANSFORMER_BODY(__VA_ARGS__))
