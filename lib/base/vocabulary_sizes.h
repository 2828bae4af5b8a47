#pragma once

#include <cstdint>
#include <optional>

namespace transformer {

/// The numbers of pieces of the source and the target vocabulary, which may be one (Deviation D22).
class VocabularySizes {
 public:
  /// A vocabulary that both sides share (§3.4). Implicit, so that its size alone stands for it.
  VocabularySizes(int64_t shared) : target_(shared) {}
  VocabularySizes(int64_t source, int64_t target) : source_(source), target_(target) {}

  bool are_shared() const { return !source_; }
  int64_t source() const { return source_.value_or(target_); }
  int64_t target() const { return target_; }

 private:
  std::optional<int64_t> source_;  // if it is not the target's
  int64_t target_;
};

}  // namespace transformer
