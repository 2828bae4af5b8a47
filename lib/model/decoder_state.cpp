#include "model/decoder_state.h"

#include <algorithm>
#include <numeric>

#include "ops/to_device.h"

namespace transformer {
namespace {

/// Copies the lists to the device together. Returns views of one tensor.
std::vector<torch::Tensor> to_device_together(const std::vector<const std::vector<int64_t>*>& lists,
                                              torch::Device device) {
  std::vector<int64_t> all, sizes;
  for (const auto* list : lists) {
    all.insert(all.end(), list->begin(), list->end());
    sizes.push_back(std::ssize(*list));
  }
  return to_device(all, device).split_with_sizes(sizes);
}

/// Lists of slots, one after another.
struct SlotLists {
  std::vector<int64_t> slots, lengths;
};

/// The last `limit` slots of each list, all of them if `limit` is null.
SlotLists last_slots(const std::vector<const std::vector<int64_t>*>& lists, std::optional<int64_t> limit) {
  SlotLists last;
  for (const auto* list : lists) {
    last.lengths.push_back(std::min(std::ssize(*list), limit.value_or(std::ssize(*list))));
    last.slots.insert(last.slots.end(), list->end() - last.lengths.back(), list->end());
  }
  return last;
}

}  // namespace

std::vector<int64_t> SlotAllocator::allocate(int64_t count) {
  static constexpr int64_t kInitialCapacity = 8192;  // memory that is not written to costs nothing on a CPU
  while (std::ssize(free_) < count) {
    const int64_t more = std::max(kInitialCapacity, capacity_ / 2);
    std::vector<int64_t> slots(static_cast<size_t>(more));
    std::iota(slots.rbegin(), slots.rend(), capacity_);
    free_.insert(free_.begin(), slots.begin(), slots.end());
    capacity_ += more;
  }
  std::vector<int64_t> allocated(free_.rbegin(), free_.rbegin() + count);
  free_.resize(free_.size() - allocated.size());
  return allocated;
}

void SlotAllocator::free(const std::vector<int64_t>& slots) { free_.insert(free_.end(), slots.begin(), slots.end()); }

DecoderState::DecoderState(int64_t num_layers, std::optional<int64_t> num_visible, torch::ScalarType cache_type)
    : layers(static_cast<size_t>(num_layers), {KeyValueCache(cache_type), KeyValueCache(cache_type)}),
      num_visible_(num_visible) {}

NewSlots DecoderState::begin(const std::vector<int64_t>& sentence_ids, const Packing& source, torch::Device device) {
  TORCH_CHECK(std::ssize(sentence_ids) == source.num_sequences(), sentence_ids.size(), " ids for ",
              source.num_sequences(), " sentences");
  std::vector<int64_t> all;
  for (size_t i = 0; i < sentence_ids.size(); ++i) {
    auto slots = memory_.allocate(source.lengths()[i]);
    all.insert(all.end(), slots.begin(), slots.end());
    const bool is_new = sentences_.try_emplace(sentence_ids[i], Sentence{std::move(slots), num_steps_}).second;
    TORCH_CHECK(is_new, "sentence ", sentence_ids[i], " has begun before");
  }
  return {to_device(all, device), memory_.capacity()};
}

DecoderStep DecoderState::step(const std::vector<StepRow>& rows, torch::Device device) {
  TORCH_CHECK(!rows.empty(), "a step needs at least one hypothesis");
  ++num_steps_;
  const auto new_slots = target_.allocate(std::ssize(rows));
  std::vector<int64_t> tokens, positions;
  std::vector<SlotList> lists;
  std::vector<const SlotList*> target_lists, memory_lists;
  for (size_t i = 0; i < rows.size(); ++i) {
    const StepRow& row = rows[i];
    Sentence& sentence = sentences_.at(row.sentence_id);
    sentence.last_step = num_steps_;
    lists.push_back(row.parent < 0 ? SlotList() : rows_.at(static_cast<size_t>(row.parent)));
    lists.back().push_back(new_slots[i]);
    tokens.push_back(row.token);
    positions.push_back(std::ssize(lists.back()) - 1);
    memory_lists.push_back(&sentence.memory);
  }
  rows_.swap(lists);
  free_unused_slots(/*previous_rows=*/lists);
  for (const auto& list : rows_) target_lists.push_back(&list);
  const SlotLists target = last_slots(target_lists, num_visible_), memory = last_slots(memory_lists, std::nullopt);
  const auto parts = to_device_together({&tokens, &positions, &new_slots, &target.slots, &memory.slots}, device);
  const auto packed = [&](const torch::Tensor& data, const std::vector<int64_t>& lengths) {
    return PackedSequence{data, Packing(lengths, device)};
  };
  DecoderStep step{.tokens = packed(parts[0], std::vector<int64_t>(rows.size(), 1)),
                   .position_ids = parts[1],
                   .num_positions = 1 + *std::max_element(positions.begin(), positions.end()),
                   .target_slots = {{parts[2], target_.capacity()}, packed(parts[3], target.lengths)},
                   .memory_slots = packed(parts[4], memory.lengths)};
  end_sentences_without_row();
  return step;
}

/// Frees the slots that no live hypothesis references any more.
void DecoderState::free_unused_slots(const std::vector<SlotList>& previous_rows) {
  std::vector<bool> is_used(static_cast<size_t>(target_.capacity()), false);
  for (const auto& row : rows_) {
    for (const int64_t slot : row) is_used[static_cast<size_t>(slot)] = true;
  }
  std::vector<int64_t> unused;
  for (const auto& row : previous_rows) {
    for (const int64_t slot : row) {
      if (is_used[static_cast<size_t>(slot)]) continue;
      is_used[static_cast<size_t>(slot)] = true;  // previous hypotheses share slots: free each once
      unused.push_back(slot);
    }
  }
  target_.free(unused);
}

void DecoderState::end_sentences_without_row() {
  std::erase_if(sentences_, [&](const auto& entry) {
    const Sentence& sentence = entry.second;
    if (sentence.last_step == num_steps_) return false;
    memory_.free(sentence.memory);
    return true;
  });
}

}  // namespace transformer
