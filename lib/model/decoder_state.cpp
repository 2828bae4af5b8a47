#include "model/decoder_state.h"

#include <algorithm>
#include <numeric>

namespace transformer {
namespace {

torch::Tensor on_device(const std::vector<int64_t>& numbers, torch::Device device) {
  return to_device(torch::tensor(numbers), device);
}

/// The last `most` places of each list.
PlaceLists lists_of(const std::vector<const std::vector<int64_t>*>& rows, std::optional<int64_t> most,
                    torch::Device device) {
  std::vector<int64_t> places, lengths;
  for (const auto* row : rows) {
    lengths.push_back(std::min(std::ssize(*row), most.value_or(std::ssize(*row))));
    places.insert(places.end(), row->end() - lengths.back(), row->end());
  }
  return {on_device(places, device), Packing(lengths).to(device)};
}

}  // namespace

std::vector<int64_t> Places::take(int64_t count) {
  static constexpr int64_t kFirstCapacity = 8192;  // costs nothing on a CPU until it is written to
  while (std::ssize(free_) < count) {
    const int64_t more = std::max(kFirstCapacity, capacity_ / 2);
    std::vector<int64_t> places(static_cast<size_t>(more));
    std::iota(places.rbegin(), places.rend(), capacity_);
    free_.insert(free_.begin(), places.begin(), places.end());
    capacity_ += more;
  }
  std::vector<int64_t> taken(free_.rbegin(), free_.rbegin() + count);
  free_.resize(free_.size() - taken.size());
  return taken;
}

void Places::give_back(const std::vector<int64_t>& places) { free_.insert(free_.end(), places.begin(), places.end()); }

torch::Tensor DecoderState::begin(const std::vector<int64_t>& sentences, const Packing& source) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < sentences.size(); ++i) {
    auto places = memory_.take(source.lengths()[i]);
    all.insert(all.end(), places.begin(), places.end());
    const bool is_new = sentences_.try_emplace(sentences[i], Sentence{std::move(places), num_steps_}).second;
    TORCH_CHECK(is_new, "sentence ", sentences[i], " has begun before");
  }
  return torch::tensor(all);
}

DecoderStep DecoderState::step(const std::vector<StepRow>& rows, torch::Device device) {
  ++num_steps_;
  const auto new_places = words_.take(std::ssize(rows));
  std::vector<int64_t> tokens, positions;
  std::vector<std::vector<int64_t>> words;
  std::vector<const std::vector<int64_t>*> words_seen, memory_seen;
  for (size_t i = 0; i < rows.size(); ++i) {
    const StepRow& row = rows[i];
    Sentence& sentence = sentences_.at(row.sentence);
    sentence.last_step = num_steps_;
    words.push_back(row.parent < 0 ? std::vector<int64_t>() : rows_.at(static_cast<size_t>(row.parent)));
    words.back().push_back(new_places[i]);
    tokens.push_back(row.token);
    positions.push_back(std::ssize(words.back()) - 1);
    memory_seen.push_back(&sentence.memory);
  }
  rows_.swap(words);
  give_back_words(words);
  for (const auto& row : rows_) words_seen.push_back(&row);
  DecoderStep step{on_device(tokens, device),
                   on_device(positions, device),
                   on_device(new_places, device),
                   lists_of(words_seen, seen_words_, device),
                   lists_of(memory_seen, std::nullopt, device),
                   1 + *std::max_element(positions.begin(), positions.end())};
  end_sentences_without_row();
  return step;
}

/// What no row has any more of those before.
void DecoderState::give_back_words(const std::vector<std::vector<int64_t>>& before) {
  std::vector<bool> is_needed(static_cast<size_t>(words_.capacity()), false);
  for (const auto& row : rows_) {
    for (const int64_t place : row) is_needed[static_cast<size_t>(place)] = true;
  }
  std::vector<int64_t> over;
  for (const auto& row : before) {
    for (const int64_t place : row) {
      if (is_needed[static_cast<size_t>(place)]) continue;
      is_needed[static_cast<size_t>(place)] = true;  // once is enough
      over.push_back(place);
    }
  }
  words_.give_back(over);
}

void DecoderState::end_sentences_without_row() {
  std::erase_if(sentences_, [&](const auto& entry) {
    const Sentence& sentence = entry.second;
    if (sentence.last_step == num_steps_) return false;
    memory_.give_back(sentence.memory);
    return true;
  });
}

}  // namespace transformer
