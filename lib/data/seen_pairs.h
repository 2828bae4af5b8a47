#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace transformer {

/// The hashes of the pairs of a corpus, to find those that occur again. Two different pairs have the same hash of 64
/// bits so rarely that among 100 million pairs 0.0003 are expected to be taken for others.
class SeenPairs {
 public:
  /// Remembers at most `max_pairs` different hashes. A hash takes 11 to 21 bytes, and half as much
  /// again while the table grows.
  explicit SeenPairs(size_t max_pairs) : max_pairs_(max_pairs), table_(kFirstSize) {}

  /// Returns whether the hash is remembered, and remembers it if there is room.
  bool add(uint64_t hash);
  /// Whether a hash found no room, so that a later occurrence of it may be missed.
  bool has_forgotten() const { return has_forgotten_; }

 private:
  static constexpr size_t kFirstSize = 1024;

  uint64_t& slot_of(uint64_t hash);
  void grow();

  size_t max_pairs_, num_pairs_ = 0;
  std::vector<uint64_t> table_;  // with linear probing; 0: free
  bool has_forgotten_ = false;
};

}  // namespace transformer
