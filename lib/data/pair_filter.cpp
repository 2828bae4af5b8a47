#include "data/pair_filter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"

namespace transformer {

PairFilter::PairFilter(const DataConfig& config)
    : max_length_(config.max_length),
      max_length_ratio_(config.max_length_ratio),
      max_dropped_(config.max_dropped),
      reasons_{{{"empty", "empty"},
                {"too_long", fmt::format("longer than {}", config.max_length)},
                {"length_ratio", "by ratio"}}} {}

/// Very long pairs would need too much memory, and pairs with an empty side or of very different lengths are rarely
/// translations.
std::optional<size_t> PairFilter::reason_to_drop(size_t source_pieces, size_t target_pieces) const {
  const size_t shorter = std::min(source_pieces, target_pieces), longer = std::max(source_pieces, target_pieces);
  if (shorter == 0) return kEmpty;
  if (longer > static_cast<size_t>(max_length_)) return kTooLong;
  const double limit = max_length_ratio_.value_or(0) * static_cast<double>(shorter);
  if (max_length_ratio_ && static_cast<double>(longer) > limit) return kRatio;
  return std::nullopt;
}

bool PairFilter::keep(size_t source_pieces, size_t target_pieces, const std::string& file, int64_t line) {
  static constexpr size_t kMaxExamples = 10;
  const auto index = reason_to_drop(source_pieces, target_pieces);
  if (!index) return true;
  Reason& reason = reasons_[*index];
  ++reason.count;
  if (reason.examples.size() < kMaxExamples) reason.examples.push_back(fmt::format("{}:{}", file, line));
  return false;
}

int64_t PairFilter::num_dropped() const {
  int64_t dropped = 0;
  for (const Reason& reason : reasons_) dropped += reason.count;
  return dropped;
}

std::string PairFilter::summary() const {
  std::vector<std::string> parts;
  for (const Reason& reason : reasons_) parts.push_back(fmt::format("{} {}", reason.count, reason.description));
  return fmt::format("dropped {} ({})", num_dropped(), fmt::join(parts, ", "));
}

void PairFilter::check(const std::string& corpus, int64_t num_pairs) const {
  const auto dropped = static_cast<double>(num_dropped()), pairs = static_cast<double>(num_pairs);
  if (dropped < pairs && dropped <= max_dropped_ * pairs) return;
  std::vector<std::string> parts;
  for (const Reason& reason : reasons_) {
    if (reason.count == 0) continue;
    parts.push_back(fmt::format("{} {} (the first: {})", with_thousands(reason.count), reason.description,
                                reason.examples.front()));
  }
  const std::string advice = dropped < pairs ? "data.max_length, data.max_length_ratio or data.max_dropped"
                                             : "data.max_length or data.max_length_ratio";
  throw Error("{}: {} of {} cannot be used ({:.1f} %): {}; correct the text, or raise {}", corpus,
              with_thousands(num_dropped()), counted(num_pairs, "pair"), 100 * dropped / pairs, fmt::join(parts, ", "),
              advice);
}

Json PairFilter::counts() const {
  Json counts = Json::object();
  for (const Reason& reason : reasons_) counts[reason.name] = reason.count;
  return counts;
}

Json PairFilter::examples() const {
  Json examples = Json::object();
  for (const Reason& reason : reasons_) examples[reason.name] = reason.examples;
  return examples;
}

}  // namespace transformer
