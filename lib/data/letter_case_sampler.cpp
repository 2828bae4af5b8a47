#include "data/letter_case_sampler.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/splitmix64.h"
#include "text/letter_case.h"

namespace transformer {
namespace {

/// A number from 0 to 1, without 1.
double uniform(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

bool has_unknown(std::span<const TokenId> pieces, const Tokenizer& tokenizer) {
  return std::find(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown) != pieces.end();
}

/// The pieces of the text that `change` makes of a side, without the first of `prefixes` with which the text begins;
/// nullopt if the vocabulary lacks a character before or after, or if there are more than `max_length` pieces.
template <class Change>
std::optional<std::vector<TokenId>> changed_pieces(std::span<const TokenId> pieces, const Tokenizer& tokenizer,
                                                   const std::vector<std::string>& prefixes, int64_t max_length,
                                                   const Change& change) {
  if (has_unknown(pieces, tokenizer)) return std::nullopt;
  const std::string text = tokenizer.decode({pieces.begin(), pieces.end()});
  const auto prefix = std::find_if(prefixes.begin(), prefixes.end(),
                                   [&](const auto& candidate) { return text.starts_with(candidate); });
  const size_t kept = prefix == prefixes.end() ? 0 : prefix->size();
  auto changed = tokenizer.encode(text.substr(0, kept) + change(std::string_view(text).substr(kept)));
  if (std::ssize(changed) > max_length || has_unknown(changed, tokenizer)) return std::nullopt;
  return changed;
}

}  // namespace

LetterCaseSampler::LetterCaseSampler(const Corpus& corpus, const Tokenizers& tokenizers, const DataConfig& config,
                                     uint64_t seed)
    : corpus_(corpus),
      tokenizers_(tokenizers),
      all_caps_(config.all_caps.value_or(0)),
      title_case_(config.title_case.value_or(0)),
      max_length_(config.max_length),
      seed_(seed) {
  for (const TrainingCorpus& text : config.train) {
    const std::string tag = text.tag.value_or("");
    if (!tag.empty()) tags_.push_back(tokenizers.source().decode(tokenizers.source().encode(tag)) + ' ');
  }
}

void LetterCaseSampler::begin_step(const std::vector<int64_t>& pairs, int64_t step) {
  changed_.clear();
  for (const int64_t index : pairs) {
    const double drawn = uniform(splitmix64(step_seed(seed_, step) ^ splitmix64(static_cast<uint64_t>(index))));
    if (drawn >= all_caps_ + title_case_ || changed_.contains(index)) continue;
    auto changed = drawn < all_caps_ ? in_capitals(corpus_[index]) : in_title_case(corpus_[index]);
    if (changed) changed_.emplace(index, *std::move(changed));
  }
}

SentencePair LetterCaseSampler::operator[](int64_t pair) const {
  const auto changed = changed_.find(pair);
  if (changed == changed_.end()) return corpus_[pair];
  return {changed->second.source, changed->second.target, corpus_[pair].line};
}

std::optional<LetterCaseSampler::Pieces> LetterCaseSampler::in_capitals(const SentencePair& pair) const {
  auto source = changed_pieces(pair.source, tokenizers_.source(), tags_, max_length_, to_upper);
  auto target = changed_pieces(pair.target, tokenizers_.target(), {}, max_length_, to_upper);
  if (!source || !target) return std::nullopt;
  return Pieces{*std::move(source), *std::move(target)};
}

// Headlines in other languages than English are written like sentences, so the target stays as it is.
std::optional<LetterCaseSampler::Pieces> LetterCaseSampler::in_title_case(const SentencePair& pair) const {
  auto source = changed_pieces(pair.source, tokenizers_.source(), tags_, max_length_, to_title);
  if (!source) return std::nullopt;
  return Pieces{*std::move(source), {pair.target.begin(), pair.target.end()}};
}

}  // namespace transformer
