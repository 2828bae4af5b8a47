#include "model/adopt_stored_parameters.h"

#include "base/error.h"
#include "model/embedding.h"
#include "model/linear.h"
#include "model/model_file.h"
#include "model/stored_type.h"

namespace transformer {
namespace {

/// Gives the modules those matrices that are stored in int8.
void set_quantized(torch::nn::Module& module, const NamedTensors& stored, const std::string& path) {
  size_t num_quantized = 0, num_modules = 0;
  for (const auto& named : module.named_modules()) {
    auto* const linear = named.value()->as<LinearImpl>();
    auto* const embedding = named.value()->as<EmbeddingImpl>();
    if (linear == nullptr && embedding == nullptr) continue;
    if (linear != nullptr) ++num_modules;
    const std::string name = named.key() + ".weight";
    const auto matrix = find_quantized(stored, name, path);
    if (!matrix) continue;
    if (linear != nullptr) ++num_quantized;
    const torch::Tensor& weight = linear != nullptr ? linear->weight() : embedding->weight();
    if (matrix->quantized.sizes() != weight.sizes()) {
      throw Error("{}: parameter '{}' is {}, expected {}; it belongs to another architecture", path, name,
                  c10::str(matrix->quantized.sizes()), c10::str(weight.sizes()));
    }
    if (linear != nullptr) {
      linear->set_quantized(*matrix);
    } else {
      embedding->set_quantized(*matrix);
    }
  }
  if (num_quantized != 0 && num_quantized != num_modules) {
    throw DamagedFile("{}: has {} of {} matrices in int8, which must be all or none; use another file", path,
                      num_quantized, num_modules);
  }
}

}  // namespace

void adopt_stored_parameters(torch::nn::Module& module, const NamedTensors& stored, const std::string& path) {
  set_quantized(module, stored, path);  // removes such matrices from the module's parameters
  NamedTensors others;
  for (const auto& entry : stored) {
    if (!is_part_of_quantized(entry.key())) others.insert(entry.key(), entry.value());
  }
  for_each_parameter(module, others, path, [](torch::Tensor& own, const torch::Tensor& given) {
    const bool is_kept = given.scalar_type() == torch::kBFloat16 && given.dim() == 2;
    own.set_data(is_kept ? given : given.to(own.scalar_type()));
  });
}

}  // namespace transformer
