#include "run/checkpoint_average.h"

#include <set>

#include "base/error.h"
#include "inference/inference_config.h"
#include "model/stored_type.h"
#include "run/architecture.h"
#include "training/checkpoint.h"

namespace transformer {

namespace {

/// The model in a file, with the moving average as its parameters if that is what is averaged.
ModelFile load_averaged(const std::string& path, Averaged averaged) {
  std::set<std::string> names = model_entries();
  names.insert("step");
  if (averaged == Averaged::moving_averages) names.insert("moving_average");
  const Archive archive = load_archive(path, names);
  check_step_of_name(archive, path);
  ModelFile model = model_from_archive(archive, path);
  model.parameters = restore_parameters(model.parameters, path);
  if (averaged == Averaged::parameters) return model;
  if (!archive.contains("moving_average")) {
    throw Error(
        "{}: has no moving average beside its parameters; give checkpoints step-*.safetensors of a run with "
        "training.ema_decay "
        "(best.safetensors of such a run holds the average as parameters, so that it needs no --ema)",
        path);
  }
  model.parameters = archive_entry<NamedTensors>(archive, "moving_average", path);
  return model;
}

/// Throws Error if the parameters of a file cannot be averaged with those of the first file, whose config is
/// `first_config`.
void check_fits(const ModelFile& model, const std::string& path, const ModelFile& first,
                const ModelConfig& first_config, const std::string& first_path) {
  if (model.vocabularies != first.vocabularies) {
    throw Error("{}: has another vocabulary than {}; average only checkpoints of the same run", path, first_path);
  }
  const auto differences = architecture_differences(first_config, read_model_config(model.config, path, model.program));
  if (!differences.empty()) {
    throw Error("{}: is of another architecture than {} ({}); average only checkpoints of the same run", path,
                first_path, text_of(differences));
  }
  for (const auto& entry : model.parameters) {
    const auto other = first.parameters.find(entry.key());
    if (other == first.parameters.end() || other->value().sizes() != entry.value().sizes()) {
      throw Error("{}: parameter '{}' does not fit the one in {}; average only checkpoints of the same run", path,
                  entry.key(), first_path);
    }
  }
  if (model.parameters.size() != first.parameters.size()) {
    throw Error("{}: has {} parameters, {} has {}; average only checkpoints of the same run", path,
                model.parameters.size(), first_path, first.parameters.size());
  }
}

NamedTensors in_double(const NamedTensors& tensors) {
  NamedTensors converted;
  for (const auto& entry : tensors)
    converted.insert(entry.key(), entry.value().to(torch::kDouble, /*non_blocking=*/false, /*copy=*/true));
  return converted;
}

}  // namespace

ModelFile average_checkpoints(const std::vector<std::string>& paths, Averaged averaged) {
  TORCH_CHECK(!paths.empty(), "nothing to average");
  ModelFile model = load_averaged(paths.front(), averaged);
  check_finite(model.parameters, paths.front());
  const ModelConfig config = read_model_config(model.config, paths.front(), model.program);
  ModelFile sum{model.config, model.vocabularies, in_double(model.parameters)};
  for (size_t i = 1; i < paths.size(); ++i) {
    model.parameters = NamedTensors();  // at most one file is in memory at a time
    model = load_averaged(paths[i], averaged);
    check_finite(model.parameters, paths[i]);
    check_fits(model, paths[i], sum, config, paths.front());
    for (const auto& entry : sum.parameters) entry.value().add_(model.parameters.at(entry.key()));
  }
  const auto count = static_cast<double>(paths.size());
  for (const auto& entry : model.parameters) {
    entry.setValue((sum.parameters.at(entry.key()) / count).to(entry.value().scalar_type()));
  }
  return model;
}

}  // namespace transformer
