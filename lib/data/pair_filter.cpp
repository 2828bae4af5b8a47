#include "data/pair_filter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"

namespace transformer {
namespace {

std::string description(DropReason reason, const DataConfig& config) {
  if (reason == DropReason::too_long) return fmt::format("longer than {}", config.max_length);
  return reason == DropReason::empty ? "empty" : "by ratio";
}

int64_t sum_of(const DroppedByReason& dropped) {
  int64_t sum = 0;
  for (const DroppedPairs& pairs : dropped) sum += pairs.count;
  return sum;
}

/// What to do against dropped pairs: the config keys of the reasons that occurred would keep more of them, and, if
/// there are pairs left, data.max_dropped accepts more dropped ones.
std::string advice(const DroppedByReason& dropped, bool are_pairs_left) {
  std::vector<std::string> keys;
  const auto add = [&](DropReason reason, const char* key) {
    if (dropped[static_cast<size_t>(reason)].count > 0) keys.push_back(key);
  };
  add(DropReason::too_long, "data.max_length");
  add(DropReason::length_ratio, "data.max_length_ratio");
  if (are_pairs_left) keys.push_back("data.max_dropped");
  return keys.empty() ? "correct the text" : "correct the text, or raise " + enumeration(keys, "or");
}

}  // namespace

void check_dropped_pairs(const DroppedByReason& dropped, int64_t num_pairs, const std::string& corpus,
                         const DataConfig& config) {
  const int64_t num_dropped = sum_of(dropped);
  const double share = static_cast<double>(num_dropped) / static_cast<double>(num_pairs);
  if (num_dropped < num_pairs && share <= config.max_dropped) return;
  std::vector<std::string> parts;
  for (size_t i = 0; i < dropped.size(); ++i) {
    const auto& [count, examples] = dropped[i];
    if (count == 0) continue;
    parts.push_back(fmt::format("{} {}", with_thousands(count), description(static_cast<DropReason>(i), config)));
    if (!examples.empty()) parts.back() += fmt::format(" (the first: {})", examples.front());
  }
  throw Error("{}: {} of {} cannot be used ({:.1f} %): {}; {}", corpus, with_thousands(num_dropped),
              counted(num_pairs, "pair"), 100 * share, fmt::join(parts, ", "),
              advice(dropped, /*are_pairs_left=*/num_dropped < num_pairs));
}

PairFilter::PairFilter(const DataConfig& config) : config_(config) {}

/// Very long pairs would need too much memory, and pairs with an empty side or of very different lengths are rarely
/// translations.
std::optional<DropReason> PairFilter::reason_to_drop(size_t source_pieces, size_t target_pieces) const {
  const size_t shorter = std::min(source_pieces, target_pieces), longer = std::max(source_pieces, target_pieces);
  if (shorter == 0) return DropReason::empty;
  if (longer > static_cast<size_t>(config_.max_length)) return DropReason::too_long;
  const double limit = config_.max_length_ratio.value_or(0) * static_cast<double>(shorter);
  if (config_.max_length_ratio && static_cast<double>(longer) > limit) return DropReason::length_ratio;
  return std::nullopt;
}

bool PairFilter::keep(size_t source_pieces, size_t target_pieces, const std::string& file, int64_t line) {
  static constexpr size_t kMaxExamples = 10;
  const auto reason = reason_to_drop(source_pieces, target_pieces);
  if (!reason) return true;
  auto& [count, examples] = dropped_[static_cast<size_t>(*reason)];
  ++count;
  if (examples.size() < kMaxExamples) examples.push_back(fmt::format("{}:{}", file, line));
  return false;
}

std::string PairFilter::summary() const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < dropped_.size(); ++i) {
    parts.push_back(
        fmt::format("{} {}", with_thousands(dropped_[i].count), description(static_cast<DropReason>(i), config_)));
  }
  return fmt::format("dropped {} ({})", with_thousands(sum_of(dropped_)), fmt::join(parts, ", "));
}

}  // namespace transformer
