#include "run/max_extra_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/format.h"
#include "base/log.h"
#include "data/corpus.h"
#include "data/prepared_files.h"
#include "data/vocabulary.h"

namespace transformer {
namespace {

constexpr const char* kKey = "decoding.max_extra_tokens";

/// How many pairs have this difference: the target's tokens, end symbol included, minus the source's pieces.
using PairsByExtraTokens = std::map<int64_t, int64_t>;

PairsByExtraTokens count_pairs(const Corpus& corpus) {
  PairsByExtraTokens pairs;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const auto [source, target] = corpus.piece_counts(i);
    ++pairs[target + 1 - source];
  }
  return pairs;
}

int64_t pairs_above(const PairsByExtraTokens& pairs, int64_t extra_tokens) {
  int64_t count = 0;
  for (auto it = pairs.upper_bound(extra_tokens); it != pairs.end(); ++it) count += it->second;
  return count;
}

/// A value that is large enough for 99.9 % of the pairs, a multiple of 50 as the paper's.
int64_t enough_extra_tokens(const PairsByExtraTokens& pairs, int64_t num_pairs) {
  static constexpr int64_t kStep = 50;
  int64_t extra_tokens = kStep;
  while (1000 * pairs_above(pairs, extra_tokens) > num_pairs) extra_tokens += kStep;
  return std::min(extra_tokens, static_cast<int64_t>(config_schema().find(kKey)->traits.range.value().most));
}

}  // namespace

bool is_max_extra_tokens_given(const ResolvedConfig& resolved) { return resolved.origins.contains(kKey); }

int64_t choose_max_extra_tokens(const Config& config, bool is_given) {
  const int64_t configured = config.decoding.max_extra_tokens;
  const PreparedFiles files(config.data.prepared);
  const Corpus corpus(files.train, /*parts=*/{}, load_tokenizers(files).special_tokens());
  const auto pairs = count_pairs(corpus);
  const int64_t num_longer = pairs_above(pairs, configured);
  if (num_longer == 0) return configured;
  const std::string finding =
      fmt::format("training corpus: {} of {} ({:.1f} %) have a target longer than outputs may be ({} {})",
                  with_thousands(num_longer), counted(corpus.size(), "pair"),
                  100 * static_cast<double>(num_longer) / static_cast<double>(corpus.size()), kKey, configured);
  if (100 * num_longer <= corpus.size()) {
    log_info("{}", finding);
    return configured;
  }
  const int64_t enough = enough_extra_tokens(pairs, corpus.size());
  if (is_given) {
    log_warning("{}, so that such outputs are cut; {} is enough", finding, enough);
    return configured;
  }
  log_warning("{}; training sets it to {}, unless the config gives it", finding, enough);
  return enough;
}

}  // namespace transformer
