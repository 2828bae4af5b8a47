#include "training/checkpoint_average.h"

#include <set>

#include "base/error.h"
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
  if (averaged == Averaged::parameters) return model;
  if (!archive.contains("moving_average")) {
    throw Error(
        "{}: has no moving average beside its parameters; give checkpoints step-*.pt of a run with training.ema_decay "
        "(best.pt of such a run holds the average as parameters, so that it needs no --ema)",
        path);
  }
  model.parameters = archive_entry<NamedTensors>(archive, "moving_average", path);
  return model;
}

}  // namespace

ModelFile average_checkpoints(const std::vector<std::string>& paths, Averaged averaged) {
  TORCH_CHECK(!paths.empty(), "nothing to average");
  NamedTensors sums;
  ModelFile mean;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const VocabularyModels vocabularies = mean.vocabularies;
    mean = ModelFile();  // at most one file is in memory at a time
    mean = load_averaged(path, averaged);
    check_finite(mean.parameters, path);
    if (i > 0 && mean.vocabularies != vocabularies) {
      throw Error("{}: has another vocabulary than {}; average only checkpoints of the same run", path, paths.front());
    }
    for (const auto& entry : mean.parameters) {
      const auto values = entry.value().to(torch::kDouble);
      if (i == 0) {
        sums.insert(entry.key(), values);
      } else if (!sums.contains(entry.key()) || sums.at(entry.key()).sizes() != values.sizes()) {
        throw Error("{}: parameter '{}' does not fit the one in {}; average only checkpoints of the same run", path,
                    entry.key(), paths.front());
      } else {
        sums.at(entry.key()).add_(values);
      }
    }
    if (mean.parameters.size() != sums.size()) {
      throw Error("{}: has {} parameters, {} has {}; average only checkpoints of the same run", path,
                  mean.parameters.size(), paths.front(), sums.size());
    }
  }
  const auto count = static_cast<double>(paths.size());
  NamedTensors means;
  for (const auto& entry : mean.parameters) {
    means.insert(entry.key(), (sums.at(entry.key()) / count).to(entry.value().scalar_type()));
  }
  mean.parameters = means;
  return mean;
}

}  // namespace transformer
