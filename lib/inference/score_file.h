#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace transformer {

/// What the command `score` is asked to do. The path "-" is stdin.
struct ScoringTask {
  std::string model, source, target;
  int64_t batch_tokens = 4096;          // source or target tokens, end symbols included, that are scored together
  bool json = false;                    // one JSON object at the end instead of a line for each pair
  std::optional<std::string> tag = {};  // to put before each source that begins with none; see SourceTags
};

/// Writes log P(target | source) of each pair of lines to stdout and logs the sum and the perplexity. Throws Error if
/// a file cannot be read, is empty or has fewer lines than the other, and ParameterError if the tag is none of the
/// model's.
void score_file(const ScoringTask& task, torch::Device device);

}  // namespace transformer
