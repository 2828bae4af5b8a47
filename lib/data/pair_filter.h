#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "data/data_config.h"

namespace transformer {

/// Why a pair is dropped.
enum class DropReason { empty, too_long, length_ratio };

template <>
struct EnumNames<DropReason> {
  static constexpr std::array names = {"empty", "too_long", "length_ratio"};
};

/// The pairs of a corpus that were dropped for one reason.
struct DroppedPairs {
  int64_t count = 0;
  std::vector<std::string> examples = {};  // places of some of them, such as "train.en:17"
};

/// All dropped pairs of a corpus: one item for each DropReason, in order.
using DroppedByReason = std::array<DroppedPairs, EnumNames<DropReason>::names.size()>;

/// Throws Error if more than `data.max_dropped` of the corpus's `num_pairs` pairs were dropped, or all of them. The
/// message begins with `corpus`, the name of the corpus, and has an example of each reason and the keys that keep more
/// pairs.
void check_dropped_pairs(const DroppedByReason& dropped, int64_t num_pairs, const std::string& corpus,
                         const DataConfig& config);

/// Decides which pairs training uses, and records why it does not use the others (Deviation D15).
class PairFilter {
 public:
  explicit PairFilter(const DataConfig& config);

  /// Whether training uses a pair with so many pieces. If not, records it; `file` and `line` say where the pair is.
  bool keep(size_t source_pieces, size_t target_pieces, const std::string& file, int64_t line);

  const DroppedByReason& dropped() const { return dropped_; }
  /// "dropped 3 (1 empty, 1 longer than 256, 1 by ratio)".
  std::string summary() const;

 private:
  std::optional<DropReason> reason_to_drop(size_t source_pieces, size_t target_pieces) const;

  DataConfig config_;
  DroppedByReason dropped_;
};

}  // namespace transformer
