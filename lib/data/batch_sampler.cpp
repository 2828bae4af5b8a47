#include "data/batch_sampler.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "base/mix.h"
#include "data/random_permutation.h"

namespace transformer {
namespace {

constexpr int64_t kGroupsPerStep = 8;
constexpr int64_t kStepsPerPool = 100;  // enough pairs that a group finds its like

/// Whether `a` comes first by length, longest first; the numbers make the order unique.
bool is_longer(const SentencePair& a, int64_t number_a, const SentencePair& b, int64_t number_b) {
  const auto key = [](const SentencePair& pair, int64_t number) {
    return std::make_tuple(-target_tokens(pair), -source_tokens(pair), number);
  };
  return key(a, number_a) < key(b, number_b);
}

}  // namespace

BatchSampler::BatchSampler(const Corpus& corpus, int64_t batch_tokens, uint64_t seed)
    : corpus_(corpus), group_tokens_(std::max<int64_t>(1, batch_tokens / kGroupsPerStep)), seed_(seed) {
  TORCH_CHECK(corpus.size() > 0, "a sampler needs a corpus with pairs");
  // An estimate of the pairs in a step, from pairs all over the corpus.
  const int64_t num_probes = std::min<int64_t>(corpus.size(), 1000);
  int64_t probed_tokens = 0;
  for (int64_t i = 0; i < num_probes; ++i) {
    const SentencePair pair = corpus[i * corpus.size() / num_probes];
    probed_tokens += std::max(source_tokens(pair), target_tokens(pair));
  }
  const int64_t pairs_per_step = std::max<int64_t>(1, batch_tokens * num_probes / probed_tokens);
  num_pools_ = (corpus.size() + kStepsPerPool * pairs_per_step - 1) / (kStepsPerPool * pairs_per_step);
  pool_pairs_ = (corpus.size() + num_pools_ - 1) / num_pools_;
  load_pool();
}

std::vector<int64_t> BatchSampler::next() {
  std::vector<int64_t> pairs;
  for (int64_t taken = 0; taken < kGroupsPerStep; ++taken) {
    while (position_.group == static_cast<int64_t>(groups_.size())) {
      position_.group = 0;
      if (++position_.pool == num_pools_) {
        position_.pool = 0;
        ++position_.epoch;
      }
      load_pool();
    }
    const auto& group = groups_[static_cast<size_t>(position_.group++)];
    pairs.insert(pairs.end(), group.begin(), group.end());
  }
  return pairs;
}

void BatchSampler::seek(const SamplerPosition& position) {
  position_ = position;
  load_pool();
}

void BatchSampler::load_pool() {
  const auto epoch_seed = mix(seed_ ^ mix(static_cast<uint64_t>(position_.epoch)));
  const RandomPermutation order(corpus_.size(), epoch_seed);
  const int64_t first = position_.pool * pool_pairs_;
  const int64_t last = std::min(first + pool_pairs_, corpus_.size());
  std::vector<int64_t> pairs;
  for (int64_t i = first; i < last; ++i) pairs.push_back(order(i));
  std::sort(pairs.begin(), pairs.end(), [&](int64_t a, int64_t b) { return is_longer(corpus_[a], a, corpus_[b], b); });

  std::vector<std::vector<int64_t>> sorted;
  int64_t group_source = 0, group_target = 0;
  for (const int64_t number : pairs) {
    const SentencePair pair = corpus_[number];
    group_source += source_tokens(pair);
    group_target += target_tokens(pair);
    if (sorted.empty() || group_source > group_tokens_ || group_target > group_tokens_) {
      sorted.emplace_back();
      group_source = source_tokens(pair);
      group_target = target_tokens(pair);
    }
    sorted.back().push_back(number);
  }

  const auto num_groups = static_cast<int64_t>(sorted.size());
  const RandomPermutation group_order(num_groups, mix(epoch_seed + static_cast<uint64_t>(position_.pool)));
  groups_.clear();
  for (int64_t i = 0; i < num_groups; ++i) {
    groups_.push_back(std::move(sorted[static_cast<size_t>(group_order(i))]));
  }
}

std::vector<int64_t> share_of(const Corpus& corpus, const std::vector<int64_t>& pairs, int rank, int size) {
  std::vector<int64_t> order = pairs;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return is_longer(corpus[a], a, corpus[b], b); });
  // Longest first, each to the rank that has least so far.
  std::vector<int64_t> costs(static_cast<size_t>(size), 0), share;
  for (const int64_t number : order) {
    const auto cheapest = std::min_element(costs.begin(), costs.end());
    *cheapest += source_tokens(corpus[number]) + target_tokens(corpus[number]);
    if (cheapest - costs.begin() == rank) share.push_back(number);
  }
  return share;
}

std::vector<int64_t> longest_pairs(const Corpus& corpus, int64_t count) {
  const auto longer = [&](int64_t a, int64_t b) { return is_longer(corpus[a], a, corpus[b], b); };
  std::vector<int64_t> longest;  // a heap, its shortest pair first
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    if (std::ssize(longest) == count) {
      if (!longer(pair, longest.front())) continue;
      std::pop_heap(longest.begin(), longest.end(), longer);
      longest.pop_back();
    }
    longest.push_back(pair);
    std::push_heap(longest.begin(), longest.end(), longer);
  }
  std::sort_heap(longest.begin(), longest.end(), longer);
  return longest;
}

std::vector<std::vector<int64_t>> cut_into_slices(const std::vector<SentencePair>& pairs, int64_t device_tokens) {
  std::vector<int64_t> order(pairs.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto pair = [&](int64_t number) -> const SentencePair& { return pairs[static_cast<size_t>(number)]; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return is_longer(pair(a), a, pair(b), b); });
  std::vector<std::vector<int64_t>> slices;
  int64_t source = 0, target = 0;  // tokens of the last slice
  for (const int64_t number : order) {
    source += source_tokens(pair(number));
    target += target_tokens(pair(number));
    if (slices.empty() || std::max(source, target) > device_tokens) {
      slices.emplace_back();
      source = source_tokens(pair(number));
      target = target_tokens(pair(number));
    }
    slices.back().push_back(number);
  }
  return slices;
}

std::vector<std::vector<int64_t>> cut_into_slices(const Corpus& corpus, const std::vector<int64_t>& numbers,
                                                  int64_t device_tokens) {
  std::vector<SentencePair> pairs;
  for (const int64_t number : numbers) pairs.push_back(corpus[number]);
  auto slices = cut_into_slices(pairs, device_tokens);
  for (auto& slice : slices) {
    for (int64_t& place : slice) place = numbers[static_cast<size_t>(place)];
  }
  return slices;
}

}  // namespace transformer
