#include "model/stored_type.h"

#include "base/error.h"

namespace transformer {
namespace {

const std::string kInt8 = ".int8", kInverseScales = ".inverse_scales";

/// What a matrix is to the model.
struct Uses {
  bool has_rows, is_factor;  // an embedding; multiplied with
};

Uses uses_of(const std::string& name, const torch::Tensor& parameter, bool has_output_projection) {
  if (parameter.dim() != 2 || !name.ends_with(".weight") || name.ends_with("_positions.weight")) return {false, false};
  if (name == "source_embedding.weight") return {true, false};
  if (name == "embedding.weight") return {true, !has_output_projection};
  return {false, true};
}

}  // namespace

bool is_part_of_quantized(const std::string& name) { return name.ends_with(kInt8) || name.ends_with(kInverseScales); }

std::optional<QuantizedMatrix> find_quantized(const NamedTensors& stored, const std::string& name,
                                              const std::string& path) {
  const auto quantized = stored.find(name + kInt8), scales = stored.find(name + kInverseScales);
  if (quantized == stored.end() && scales == stored.end()) return std::nullopt;
  if (quantized != stored.end() && scales != stored.end()) {
    const QuantizedMatrix matrix{quantized->value(), scales->value()};
    if (matrix.quantized.dim() == 2 && matrix.quantized.scalar_type() == torch::kChar &&
        matrix.inverse_scales.scalar_type() == torch::kFloat && matrix.inverse_scales.dim() == 1 &&
        matrix.inverse_scales.size(0) == matrix.quantized.size(0)) {
      return matrix;
    }
  }
  throw DamagedFile("{}: '{}' and '{}' are not the parts of a matrix in int8; use another file", path, name + kInt8,
                    name + kInverseScales);
}

NamedTensors restore_parameters(const NamedTensors& stored, const std::string& path) {
  NamedTensors parameters;
  for (const auto& entry : stored) {
    const std::string& part = entry.key();
    if (!is_part_of_quantized(part)) {
      const bool is_bf16 = entry.value().scalar_type() == torch::kBFloat16;
      parameters.insert(part, is_bf16 ? entry.value().to(torch::kFloat) : entry.value());
    } else if (part.ends_with(kInt8)) {
      const std::string name = part.substr(0, part.size() - kInt8.size());
      if (stored.contains(name)) continue;
      parameters.insert(name, restore(find_quantized(stored, name, path).value()));
    }
  }
  return parameters;
}

NamedTensors to_stored_type(const NamedTensors& parameters, StoredType type) {
  const NamedTensors whole = restore_parameters(parameters, "the parameters");
  const bool has_output_projection = whole.contains("output_projection.weight");
  NamedTensors stored;
  for (const auto& entry : whole) {
    const std::string& name = entry.key();
    const torch::Tensor value = entry.value().detach().to(torch::kFloat);
    const Uses uses = uses_of(name, value, has_output_projection);
    const bool is_int8 = type == StoredType::int8 && uses.is_factor;
    if (is_int8) {
      const auto [quantized, inverse_scales] = quantize(value);
      stored.insert(name + kInt8, quantized);
      stored.insert(name + kInverseScales, inverse_scales);
    }
    if (is_int8 && !uses.has_rows) continue;
    const bool is_matrix = uses.has_rows || uses.is_factor;
    stored.insert(name, is_matrix && type != StoredType::fp32 ? value.to(torch::kBFloat16) : value);
  }
  return stored;
}

}  // namespace transformer
