#include "data/batch_sampler.h"

#include <ATen/ceil_div.h>
#include <c10/util/Exception.h>

#include <algorithm>

#include "base/error.h"
#include "base/splitmix64.h"
#include "data/batch_by_tokens.h"
#include "data/epoch_order.h"
#include "data/pair_length.h"
#include "data/random_permutation.h"

namespace transformer {
namespace {

constexpr int64_t kBucketsPerStep = 8;
constexpr int64_t kStepsPerPool = 100;  // enough pairs to fill each bucket with similar lengths

}  // namespace

BatchSampler::BatchSampler(const Corpus& corpus, int64_t batch_tokens, uint64_t seed, const SamplerPosition& position)
    : corpus_(corpus),
      bucket_tokens_(std::max<int64_t>(1, batch_tokens / kBucketsPerStep)),
      seed_(seed),
      position_(position) {
  TORCH_CHECK(corpus.size() > 0, "a sampler needs a corpus with pairs");
  // Estimates the number of pairs in a step from samples spread over the whole corpus.
  const int64_t num_samples = std::min<int64_t>(corpus.size(), 1000);
  int64_t sampled_tokens = 0;
  for (int64_t i = 0; i < num_samples; ++i) {
    const SentencePair pair = corpus[i * corpus.size() / num_samples];
    sampled_tokens += std::max(source_tokens(pair), target_tokens(pair));
  }
  const int64_t pairs_per_step = std::max<int64_t>(1, batch_tokens * num_samples / sampled_tokens);
  const int64_t epoch_pairs = num_epoch_pairs(corpus.parts());
  num_pools_ = at::ceil_div(epoch_pairs, kStepsPerPool * pairs_per_step);
  pool_pairs_ = at::ceil_div(epoch_pairs, num_pools_);
  check(position.epoch >= 0 && position.pool >= 0 && position.pool < num_pools_ && position.bucket >= 0);
  load_pool();
  check(position.bucket <= std::ssize(buckets_));
}

void BatchSampler::check(bool position_exists) const {
  if (position_exists) return;
  throw Error(
      "the position in the training corpus at which the run stopped (epoch {}, pool {}, bucket {}) does not exist; "
      "remove the newest checkpoint to resume from the one before",
      position_.epoch, position_.pool, position_.bucket);
}

std::vector<int64_t> BatchSampler::next() {
  std::vector<int64_t> pairs;
  for (int64_t taken = 0; taken < kBucketsPerStep; ++taken) {
    while (position_.bucket == std::ssize(buckets_)) {
      position_.bucket = 0;
      if (++position_.pool == num_pools_) {
        position_.pool = 0;
        ++position_.epoch;
      }
      load_pool();
    }
    const auto& bucket = buckets_[static_cast<size_t>(position_.bucket++)];
    pairs.insert(pairs.end(), bucket.begin(), bucket.end());
  }
  return pairs;
}

double BatchSampler::epochs() const {
  const double pools = static_cast<double>(position_.pool) +
                       static_cast<double>(position_.bucket) / static_cast<double>(buckets_.size());
  return static_cast<double>(position_.epoch) + pools / static_cast<double>(num_pools_);
}

void BatchSampler::load_pool() {
  const auto epoch_seed = splitmix64(seed_ ^ splitmix64(static_cast<uint64_t>(position_.epoch)));
  const EpochOrder order(corpus_.parts(), epoch_seed);
  const int64_t first = position_.pool * pool_pairs_;
  const int64_t last = std::min(first + pool_pairs_, order.size());
  std::vector<int64_t> pairs;
  for (int64_t i = first; i < last; ++i) pairs.push_back(order(i));
  auto sorted = batch_by_tokens(longest_first(corpus_, pairs), bucket_tokens_);
  const RandomPermutation bucket_order(std::ssize(sorted),
                                       splitmix64(epoch_seed + static_cast<uint64_t>(position_.pool)));
  buckets_.clear();
  for (int64_t i = 0; i < std::ssize(sorted); ++i) {
    buckets_.push_back(std::move(sorted[static_cast<size_t>(bucket_order(i))]));
  }
}

}  // namespace transformer
