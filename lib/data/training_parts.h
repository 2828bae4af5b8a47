#pragma once

#include <vector>

#include "data/corpus.h"
#include "data/data_config.h"

namespace transformer {

/// The parts of the prepared training corpus: one for each pair of files with its weight, or none without weights.
/// Throws Error if the manifest is missing, damaged or of other files, and UsageError if the weights leave no pairs.
/// Warns of a weight that leaves none of its file.
std::vector<CorpusPart> training_parts(const DataConfig& config);

}  // namespace transformer
