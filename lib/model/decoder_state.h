#pragma once

#include <torch/types.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "model/kv_cache.h"
#include "ops/packed_sequence.h"
#include "text/special_tokens.h"

namespace transformer {

/// A live hypothesis in one decoding step.
struct StepRow {
  int64_t sentence_id;
  int64_t parent;  // the row of the previous step that it continues; -1 in its sentence's first step
  TokenId token;   // the last token generated so far
};

/// The cache of one decoder layer: keys and values of the hypotheses' tokens, and of the encoder's output.
struct DecoderLayerCache {
  KeyValueCache target, memory;
};

/// Free list of slots in a key/value cache.
class SlotAllocator {
 public:
  /// Returns `count` free slots; the capacity grows if there are too few.
  std::vector<int64_t> allocate(int64_t count);
  void free(const std::vector<int64_t>& slots);
  int64_t capacity() const { return capacity_; }

 private:
  std::vector<int64_t> free_;  // allocated from the back
  int64_t capacity_ = 0;
};

/// A decoding step as the decoder's layers see it.
struct DecoderStep {
  PackedSequence tokens;       // the last token of each row, as sequences of one position
  torch::Tensor position_ids;  // int64 [rows]: the positions of these tokens
  int64_t num_positions;       // 1 + the largest of the position_ids
  StepSlots target_slots;      // for self-attention
  /// The slots of each row's source sentence: int64 [listed slots], a sequence for each row.
  PackedSequence memory_slots;
};

/// The decoder's key/value caches during a search. A hypothesis is a list of slots, and a hypothesis that continues it
/// extends the list. A key or value stays in its slot until no live hypothesis contains its token, even if restricted
/// attention no longer reaches it. So reordering a beam moves nothing, hypotheses share their common prefix, and
/// sentences begin and end independently of each other.
class DecoderState {
 public:
  /// `num_visible`: how many of the last tokens of a hypothesis self-attention sees, which is one more than
  /// AttentionMask::reach; null: all. Keys and values are stored in `cache_type`.
  DecoderState(int64_t num_layers, std::optional<int64_t> num_visible, torch::ScalarType cache_type);

  /// Adds sentences with these ids; `source` is the packing of their encoder output. Returns the slots for that
  /// output, on `device`.
  NewSlots begin(const std::vector<int64_t>& sentence_ids, const Packing& source, torch::Device device);
  /// Prepares the next step for these hypotheses. Sentences without a hypothesis have ended: their slots are freed.
  DecoderStep step(const std::vector<StepRow>& rows, torch::Device device);

  std::vector<DecoderLayerCache> layers;

 private:
  using SlotList = std::vector<int64_t>;

  struct Sentence {
    SlotList memory;
    int64_t last_step;
  };
  void free_unused_slots(const std::vector<SlotList>& previous_rows);
  void end_sentences_without_row();

  std::optional<int64_t> num_visible_;
  SlotAllocator target_, memory_;
  std::unordered_map<int64_t, Sentence> sentences_;  // by id
  std::vector<SlotList> rows_;                       // the slots of each hypothesis of the last step
  int64_t num_steps_ = 0;
};

}  // namespace transformer
