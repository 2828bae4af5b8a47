#include "import/foreign_model.h"

namespace transformer {
namespace {

bool are_equal(const torch::Tensor& one, const torch::Tensor& other) {
  return one.is_same(other) || (one.sizes() == other.sizes() && torch::equal(one, other));
}

EmbeddingTies ties_of(bool source_is_target, bool output_is_target) {
  if (source_is_target) return output_is_target ? EmbeddingTies::all : EmbeddingTies::source_and_target;
  return output_is_target ? EmbeddingTies::target_and_output : EmbeddingTies::none;
}

}  // namespace

void add_embeddings(const ForeignEmbeddings& embeddings, ForeignModel& model) {
  const auto& [source, target, output, bias] = embeddings;
  const bool source_is_target = are_equal(source, target), output_is_target = !output || are_equal(*output, target);
  model.config.model.tied_embeddings = ties_of(source_is_target, output_is_target);
  model.config.model.output_bias = bias.has_value();
  NamedTensors& to = model.parameters;
  to.insert("embedding.weight", target);
  if (!source_is_target) to.insert("source_embedding.weight", source);
  if (!output_is_target) to.insert("output_projection.weight", *output);
  if (bias) to.insert(output_is_target ? "embedding.bias" : "output_projection.bias", bias->flatten());
}

void copy_modules(ForeignTensors& from, const std::vector<ModuleName>& modules, ForeignModel& model) {
  for (const ModuleName& module : modules) {
    model.parameters.insert(module.ours + ".weight", from.take(module.theirs + ".weight"));
    if (!has_bias(module, model.config.model)) continue;
    model.parameters.insert(module.ours + ".bias", from.take(module.theirs + ".bias"));
  }
}

}  // namespace transformer
