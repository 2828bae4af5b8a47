#include "kernels/cpu/bf16_panels.h"

#include "kernels/cpu/panels.h"
#include "kernels/cpu/tiles.h"

namespace transformer::cpu {
namespace {

constexpr int64_t kUnit = 2;  // numbers in an element of the panels

#if defined(__x86_64__)

using Vector = FloatVector<16>;
using Units = SimdOf<Vector>::Integers;

/// Adds to each float of `sums` two products of bf16 numbers (VDPBF16PS).
[[gnu::always_inline]] inline void add_products_of_two(Vector& sums, const Units& x, const Units& weights) {
  Vector result = sums;  // in assembly `sums` itself would stay in memory
  asm("vdpbf16ps %2, %1, %0" : "+v"(result) : "v"(x), "v"(weights));
  sums = result;
}

template <class Floats, int kRows>
[[gnu::always_inline]] inline void multiply_block(const PanelProduct<int32_t>& product, const float* bias) {
  const int32_t *x = product.x, *panel = product.panel, *ahead = product.ahead;
  Floats sums[kRows][kPanelVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = Floats{};
  }
#pragma GCC unroll 2
  for (int64_t k = 0; k < product.depth; ++k, x += kRows, panel += kPanel<Floats>, ahead += product.step) {
    prefetch<Floats, kRows>(ahead);
    Units weights[kPanelVectors];
    std::memcpy(weights, panel, sizeof(weights));
    for (int r = 0; r < kRows; ++r) {
      const Units pair = Units{} + x[r];
      for (int v = 0; v < kPanelVectors; ++v) add_products_of_two(sums[r][v], pair, weights[v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kPanelVectors; ++v) {
      Floats shift;
      load(shift, bias + product.column + v * kLanes<Floats>);
      sums[r][v] += shift;
    }
    store_row(product, r, sums[r]);
  }
}

struct Bf16Kernel {
  const float* bias;

  template <int kRows>
  void multiply(const PanelProduct<int32_t>& product) const {
    run_with<Vector>(TRANSFORMER_BODY(multiply_block<Floats, kRows>(product, bias)));
  }
};

#endif

}  // namespace

bool has_bf16_panels() {
  static const bool has_instructions = bf16_products(cpu_flags()) >= Bf16Products::avx512_bf16;
  return has_instructions && instruction_set() >= InstructionSet::avx512_vnni;
}

torch::Tensor pack_bf16_panels(const torch::Tensor& weight) {
  const int64_t out = weight.size(0), in = weight.size(1), width = panel_width();
  const int64_t depth = at::round_up(in, kTileUnits * kUnit) / kUnit;
  const auto padded = torch::constant_pad_nd(weight, {0, depth * kUnit - in});
  const auto units = padded.view(torch::kInt);  // [out, depth]
  auto panels = torch::zeros({num_panels(out), depth, width}, torch::kInt);
  for (int64_t i = 0, first = 0; first < out; ++i, first += width) {
    const int64_t columns = std::min(width, out - first);
    panels[i].narrow(1, 0, columns).copy_(units.narrow(0, first, columns).t());
  }
  return panels;
}

torch::Tensor multiply_bf16_panels(const torch::Tensor& x, const torch::Tensor& panels, const torch::Tensor& bias,
                                   int64_t out) {
#if defined(__x86_64__)
  const int64_t rows = x.size(0), in = x.size(1);
  auto rounded = torch::empty({at::round_up(rows, kTileRows), panels.size(1) * kUnit}, torch::kBFloat16);
  rounded.narrow(0, 0, rows).narrow(1, 0, in).copy_(x);
  if (in < rounded.size(1)) rounded.narrow(1, in, rounded.size(1) - in).zero_();
  if (can_use_amx()) return multiply_bf16_tiles(rounded, rows, panels, out, bias);
  const auto units = rounded.narrow(0, 0, rows).view(torch::kInt);
  return multiply_panels<Vector, int32_t>(units, panels, out, Bf16Kernel{bias.const_data_ptr<float>()});
#else
  TORCH_CHECK(false, "bf16 panels on a processor other than x86: ", x.sizes(), panels.sizes(), bias.sizes(), out);
#endif
}

}  // namespace transformer::cpu
