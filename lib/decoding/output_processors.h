#pragma once

#include <utility>
#include <vector>

#include "decoding/logits_processor.h"

namespace transformer {

/// Bans tokens that no output contains, such as padding.
class BannedTokens : public LogitsProcessor {
 public:
  explicit BannedTokens(std::vector<TokenId> tokens) : tokens_(std::move(tokens)) {}
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  std::vector<TokenId> tokens_;
};

/// Bans the end symbol until an output has at least `min_length` tokens, the end symbol included.
class MinLength : public LogitsProcessor {
 public:
  MinLength(int64_t min_length, TokenId end) : min_length_(min_length), end_(end) {}
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  int64_t min_length_;
  TokenId end_;
};

/// Bans the token that would complete an n-gram of tokens which the output already has (`no_repeat_ngram_size` of
/// transformers and CTranslate2).
class NoRepeatNgram : public LogitsProcessor {
 public:
  explicit NoRepeatNgram(int64_t size) : size_(size) {}
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  int64_t size_;
};

/// Multiplies the log-probability of each token that the output already has by `penalty` (the penalty of CTRL, as the
/// beam search of transformers applies it to log-probabilities).
class RepetitionPenalty : public LogitsProcessor {
 public:
  explicit RepetitionPenalty(double penalty) : penalty_(penalty) {}
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  double penalty_;
};

/// Forces an output to begin with these tokens, unless an earlier processor bans them; later ones are not asked about
/// them.
class ForcedPrefix : public LogitsProcessor {
 public:
  explicit ForcedPrefix(std::vector<TokenId> prefix) : prefix_(std::move(prefix)) {}
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  std::vector<TokenId> prefix_;
};

}  // namespace transformer
