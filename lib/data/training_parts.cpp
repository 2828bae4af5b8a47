#include "data/training_parts.h"

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "data/epoch_order.h"
#include "data/manifest.h"
#include "data/prepared_files.h"

namespace transformer {

std::vector<CorpusPart> training_parts(const DataConfig& config) {
  const auto& corpora = config.train;
  if (std::none_of(corpora.begin(), corpora.end(), [](const auto& corpus) { return corpus.weight.has_value(); })) {
    return {};
  }
  const auto sizes = read_manifest(PreparedFiles(config.prepared).manifest).train.pairs_of_files;
  if (sizes.size() != corpora.size()) {
    throw Error("data.train.weight: has {}, but {} was prepared from {} of files; run `transformer preprocess` again",
                counted(std::ssize(corpora), "item"), config.prepared, counted(std::ssize(sizes), "pair"));
  }
  std::vector<CorpusPart> parts;
  int64_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    parts.push_back({first, sizes[i], corpora[i].weight.value_or(1)});
    first += sizes[i];
  }
  if (num_epoch_pairs(parts) == 0) {
    throw UsageError("data.train.weight: leaves no pairs for an epoch; give larger weights");
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].weight == 0 || parts[i].size == 0 || num_epoch_pairs({parts[i]}) > 0) continue;
    log_warning(
        "data.train.weight: {} of the {} of {} rounds to no pair, so that training never reads this file; give a "
        "larger weight, or remove the file",
        number_text(parts[i].weight), counted(parts[i].size, "pair"), corpora[i].source);
  }
  return parts;
}

}  // namespace transformer
