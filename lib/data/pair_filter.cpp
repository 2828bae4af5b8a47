#include "data/pair_filter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"

namespace transformer {
namespace {

std::string description(PairFault fault, const DataConfig& config) {
  switch (fault) {
    case PairFault::too_long:
      return fmt::format("longer than {}", config.max_length);
    case PairFault::length_ratio:
      return "by ratio";
    case PairFault::copy:
      return "copied";
    case PairFault::duplicate:
      return "repeated";
    case PairFault::script:
      return "in another script";
    default:
      return name_of(fault);
  }
}

/// Without `data.remove_duplicates`, so many pairs at most are remembered to count duplicates, in 128 MiB.
constexpr size_t kCountedPairs = size_t{3} << 22;

/// Whether the summary has the fault also if it does not occur.
bool is_always_counted(PairFault fault) { return fault <= PairFault::length_ratio; }

/// "1 empty" and the like for each fault, with the first example.
std::vector<std::string> descriptions(const PairsByFault& dropped, const DataConfig& config, bool has_examples) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < kNumPairFaults; ++i) {
    const auto fault = static_cast<PairFault>(i);
    const auto& [count, examples] = dropped[fault];
    if (count == 0 && (has_examples || !is_always_counted(fault))) continue;
    parts.push_back(fmt::format("{} {}", with_thousands(count), description(fault, config)));
    if (has_examples && !examples.empty()) parts.back() += fmt::format(" (the first: {})", examples.front());
  }
  return parts;
}

/// What to do against dropped pairs: the config keys of the reasons that occurred would keep more of them, and, if
/// there are pairs left, data.max_dropped accepts more dropped ones.
std::string advice(const PairsByFault& dropped, bool are_pairs_left) {
  std::vector<std::string> keys;
  const auto add = [&](PairFault fault, const char* key) {
    if (dropped[fault].count > 0) keys.push_back(key);
  };
  add(PairFault::too_long, "data.max_length");
  add(PairFault::length_ratio, "data.max_length_ratio");
  if (are_pairs_left) keys.push_back("data.max_dropped");
  return keys.empty() ? "correct the text" : "correct the text, or raise " + enumeration(keys, "or");
}

}  // namespace

void check_dropped_pairs(const PairsByFault& dropped, int64_t num_pairs, const std::string& corpus,
                         const DataConfig& config) {
  const int64_t num_dropped = dropped.total(),
                num_unusable = num_dropped - dropped[PairFault::copy].count - dropped[PairFault::duplicate].count;
  const double share = static_cast<double>(num_unusable) / static_cast<double>(num_pairs);
  const bool are_pairs_left = num_dropped < num_pairs;
  if (are_pairs_left && share <= config.max_dropped) return;
  const int64_t shown = are_pairs_left ? num_unusable : num_dropped;
  throw Error("{}: {} of {} cannot be used ({:.1f} %): {}; {}", corpus, with_thousands(shown),
              counted(num_pairs, "pair"), 100 * static_cast<double>(shown) / static_cast<double>(num_pairs),
              fmt::join(descriptions(dropped, config, /*has_examples=*/true), ", "), advice(dropped, are_pairs_left));
}

PairFilter::PairFilter(const DataConfig& config)
    : config_(config), seen_(config.remove_duplicates ? SIZE_MAX : kCountedPairs) {}

/// Very long pairs would need too much memory, and pairs with an empty side or of very different lengths are rarely
/// translations.
std::optional<PairFault> PairFilter::fault_of_lengths(size_t source_pieces, size_t target_pieces) const {
  const size_t shorter = std::min(source_pieces, target_pieces), longer = std::max(source_pieces, target_pieces);
  if (shorter == 0) return PairFault::empty;
  if (longer > static_cast<size_t>(config_.max_length)) return PairFault::too_long;
  const double limit = config_.max_length_ratio.value_or(0) * static_cast<double>(shorter);
  if (config_.max_length_ratio && static_cast<double>(longer) > limit) return PairFault::length_ratio;
  return std::nullopt;
}

bool PairFilter::keep(const EncodedPair& pair, const ParallelFiles& files) {
  const auto place_in = [&](const std::string& file) { return fmt::format("{}:{}", file, pair.line_of_file); };
  const auto place = [&] { return place_in(files.source); };
  std::optional<PairFault> reason = fault_of_lengths(pair.source.size(), pair.target.size());
  if (!reason && pair.has_other_script) reason = PairFault::script;
  if (!reason && pair.is_copy && config_.remove_copies) reason = PairFault::copy;
  const bool is_duplicate = !reason && seen_.add(pair.hash);
  if (is_duplicate && config_.remove_duplicates) reason = PairFault::duplicate;
  if (reason) {
    account_.dropped[*reason].add(place());
    return false;
  }
  if (is_duplicate) account_.kept[PairFault::duplicate].add(place());
  if (pair.is_copy) account_.kept[PairFault::copy].add(place());
  if (pair.is_source_invalid || pair.is_target_invalid) {
    account_.kept[PairFault::invalid_utf8].add(place_in(pair.is_source_invalid ? files.source : files.target));
  }
  return true;
}

PairAccount PairFilter::account() const {
  PairAccount account = account_;
  account.knows_all_duplicates = !seen_.has_forgotten();
  return account;
}

std::string PairFilter::summary() const {
  return fmt::format("dropped {} ({})", with_thousands(account_.dropped.total()),
                     fmt::join(descriptions(account_.dropped, config_, /*has_examples=*/false), ", "));
}

}  // namespace transformer
