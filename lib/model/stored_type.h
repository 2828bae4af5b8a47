#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/enum_names.h"
#include "ops/quantization.h"
#include "serialization/archive.h"

namespace transformer {

/// How a model file stores the matrices of a model. Other parameters (biases, LayerNorm, learned positions) are always
/// in fp32. With int8, a matrix NAME by which the model multiplies is NAME.int8 and NAME.inverse_scales, those of a
/// QuantizedMatrix; embeddings, whose rows a search in int8 has in bf16, are in bf16, and the one that is also the
/// output projection is there in both ways.
enum class StoredType { fp32, bf16, int8 };

template <>
struct EnumNames<StoredType> {
  static constexpr std::array names = {"fp32", "bf16", "int8"};
};

/// The parameters as a model file of this type stores them. Those that are stored in a smaller type are first restored.
NamedTensors to_stored_type(const NamedTensors& parameters, StoredType type);

/// The parameters by their names alone, with those in bf16 or int8 restored in fp32; a matrix that is there in both
/// types is restored from bf16. Throws DamagedFile if the parts of a matrix in int8 do not fit together; `path` is the
/// file in the message.
NamedTensors restore_parameters(const NamedTensors& stored, const std::string& path);

/// The matrix of this name in int8, if `stored` has it so. Throws DamagedFile if its parts do not fit together; `path`
/// is the file in the message.
std::optional<QuantizedMatrix> find_quantized(const NamedTensors& stored, const std::string& name,
                                              const std::string& path);

/// Whether this is the name of a part of a matrix in int8.
bool is_part_of_quantized(const std::string& name);

}  // namespace transformer
