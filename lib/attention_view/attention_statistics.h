#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// Where one attention head looks. The pieces of a word are merged, and begin and end symbols are not words.
/// Self-attention: means over the words of a text. Cross-attention: means over the words of the decoder's input and its
/// begin symbol, since each predicts what follows.
struct HeadStatistics {
  double previous = 0, itself = 0, next = 0;  // weight on the neighboring words; 0 for cross-attention
  double symbol = 0;  // weight on the end symbol, in the decoder's self-attention the begin symbol
  // Sum over the words j of the weight of word i on word j times |i - j|, in words, so that weight on the symbol counts
  // as 0; 0 for cross-attention.
  double distance = 0;
  double largest = 0;  // the largest weight
};

/// Statistics of all heads, [layer][head].
struct AttentionStatistics {
  int64_t num_pairs = 0;
  /// Whether sources of the model end with the end symbol. If not, `symbol` of the encoder's and of the cross-attention
  /// heads is 0.
  bool source_has_end = true;
  std::vector<std::vector<HeadStatistics>> encoder, decoder, cross;
};

/// The files whose attention is measured.
struct AttentionStatisticsTask {
  std::string model;
  std::string source, target;  // files of aligned lines
};

/// Measures the attention over all pairs of lines; pairs with a blank line are left out. Throws Error if a file ends
/// before the other, if a line is too long for the model, or if no pair is left.
AttentionStatistics measure_attention_statistics(const AttentionStatisticsTask& task, torch::Device device);

/// Three tables with a line for each head.
std::string format_text(const AttentionStatistics& statistics);
/// A JSON object with a list for each attention, layer and head.
std::string format_json(const AttentionStatistics& statistics);

}  // namespace transformer
