#pragma once

#include <torch/torch.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "model/attention.h"
#include "ops/cached_attention.h"

namespace transformer {

/// One hypothesis in a step of a search.
struct StepRow {
  int64_t sentence;
  int64_t parent;  // the row of the step before that it continues; -1 in its sentence's first step
  int64_t token;   // its last one
};

/// What one decoder layer keeps of a search: keys and values of the hypotheses' words and of the encoder's outputs.
struct DecoderLayerCache {
  KeyValueCache words, memory;
};

/// Places of a cache, handed out and taken back.
class Places {
 public:
  /// `count` free ones. The capacity grows where there are too few.
  std::vector<int64_t> take(int64_t count);
  void give_back(const std::vector<int64_t>& places);
  int64_t capacity() const { return capacity_; }

 private:
  std::vector<int64_t> free_;  // the next one last
  int64_t capacity_ = 0;
};

/// A step as the decoder's layers see it.
struct DecoderStep {
  torch::Tensor tokens, positions;  // [rows]
  torch::Tensor new_places;         // [rows]: where the keys and values of these tokens go
  PlaceLists words, memory;         // what each row attends to
  int64_t longest;                  // 1 + the largest position
};

/// The decoder's memory of a running search. A key or value stays where it is as long as it is needed: a hypothesis is
/// a list of places, and whoever continues it continues the list. So nothing moves when a beam is reordered, hypotheses
/// share what they have in common, and sentences begin and end one by one.
class DecoderState {
 public:
  /// `seen_words`: how many of a hypothesis' last words self-attention sees; nothing: all.
  DecoderState(int64_t num_layers, std::optional<int64_t> seen_words) : layers(num_layers), seen_words_(seen_words) {}

  /// Makes room for the encoder's outputs of these sentences. Returns their places, one after the other.
  torch::Tensor begin(const std::vector<int64_t>& sentences, const Packing& source);
  /// Sentences without a row are over.
  DecoderStep step(const std::vector<StepRow>& rows, torch::Device device);

  int64_t words_capacity() const { return words_.capacity(); }
  int64_t memory_capacity() const { return memory_.capacity(); }

  std::vector<DecoderLayerCache> layers;

 private:
  struct Sentence {
    std::vector<int64_t> memory;  // places
    int64_t last_step;
  };
  void give_back_words(const std::vector<std::vector<int64_t>>& before);
  void end_sentences_without_row();

  std::optional<int64_t> seen_words_;
  Places words_, memory_;
  std::unordered_map<int64_t, Sentence> sentences_;
  std::vector<std::vector<int64_t>> rows_;  // of the last step: where its words lie
  int64_t num_steps_ = 0;
};

}  // namespace transformer
