#include "training/checkpoint_average.h"

#include "base/error.h"

namespace transformer {

ModelFile average_checkpoints(const std::vector<std::string>& paths) {
  TORCH_CHECK(!paths.empty(), "nothing to average");
  NamedTensors sums;
  ModelFile mean;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const std::string vocabulary = mean.vocabulary;
    mean = load_model(path);  // keeps only one file in memory
    if (i > 0 && mean.vocabulary != vocabulary) {
      throw Error(path, ": has another vocabulary than ", paths.front(), "; average only checkpoints of the same run");
    }
    for (const auto& entry : mean.parameters) {
      const auto values = entry.value().to(torch::kDouble);
      if (i == 0) {
        sums.insert(entry.key(), values);
      } else if (!sums.contains(entry.key()) || sums.at(entry.key()).sizes() != values.sizes()) {
        throw Error(path, ": parameter '", entry.key(), "' does not fit the one in ", paths.front(),
                    "; average only checkpoints of the same run");
      } else {
        sums.at(entry.key()).add_(values);
      }
    }
    if (mean.parameters.size() != sums.size()) {
      throw Error(path, ": has ", mean.parameters.size(), " parameters, ", paths.front(), " has ", sums.size(),
                  "; average only checkpoints of the same run");
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
