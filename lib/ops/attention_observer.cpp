#include "ops/attention_observer.h"

#include <utility>

namespace transformer {
namespace {

thread_local AttentionObserver* current_observer = nullptr;

}  // namespace

AttentionObserver::AttentionObserver(Callback callback)
    : callback_(std::move(callback)), previous_(std::exchange(current_observer, this)) {}

AttentionObserver::~AttentionObserver() { current_observer = previous_; }

void AttentionObserver::notify(const PackedSequence& query, const PackedSequence& key, const AttentionMask& mask) {
  if (current_observer) current_observer->callback_(query, key, mask);
}

}  // namespace transformer
