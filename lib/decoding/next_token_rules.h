#pragma once

#include <torch/types.h>

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "text/special_tokens.h"

namespace transformer {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();
/// A logit for tokens that must not be chosen, where infinity would look like a fault of the model.
inline constexpr double kVeryUnlikely = -1e4;

/// What may follow one hypothesis, and how likely, as logits processors decide it.
class NextTokenRules {
 public:
  /// A token, and what is added to its log-probability.
  struct Bonus {
    TokenId token;
    double value;
  };
  /// A token, and what its log-probability is multiplied by.
  struct Factor {
    TokenId token;
    double value;
  };

  /// The token cannot follow. To say that the hypothesis cannot end yet, ban the end symbol.
  void ban(TokenId token) { banned_.push_back(token); }
  void ban(const std::vector<TokenId>& tokens) { banned_.insert(banned_.end(), tokens.begin(), tokens.end()); }
  /// Only these tokens can follow, less those that are banned or that another call does not allow.
  void allow_only(std::vector<TokenId> tokens);
  /// Only this token can follow, if it is not banned. Processors that come later are not asked.
  void force(TokenId token);
  /// Adds to the token's log-probability; the others keep theirs, so that the probabilities need not sum to 1.
  void add(TokenId token, double bonus) { bonuses_.push_back({token, bonus}); }
  /// Multiplies the token's log-probability by a positive factor, before anything is added to it; once for each token.
  void scale(TokenId token, double factor) { factors_.push_back({token, factor}); }

  /// The token is to be among the continuations of the hypothesis, unless it is banned, however unlikely it is.
  void want(TokenId token) { wanted_.push_back(token); }

  bool is_banned(TokenId token) const;
  /// The tokens that can follow; nullopt if every token can that is not banned.
  std::optional<std::vector<TokenId>> allowed() const;
  /// Whether no token of a vocabulary of this size can follow.
  bool permits_none(int64_t vocabulary_size) const;
  /// Whether allowed() is a list.
  bool is_restricted() const { return only_.has_value(); }
  bool is_forced() const { return is_forced_; }
  /// The token's log-probability with the factors and what is added to it.
  double adjusted(TokenId token, double log_prob) const;

  const std::vector<TokenId>& banned() const { return banned_; }
  const std::vector<Bonus>& bonuses() const { return bonuses_; }
  const std::vector<Factor>& factors() const { return factors_; }
  const std::vector<TokenId>& wanted() const { return wanted_; }

 private:
  std::vector<TokenId> banned_;
  std::optional<std::vector<TokenId>> only_;
  bool is_forced_ = false;
  std::vector<Bonus> bonuses_;
  std::vector<Factor> factors_;
  std::vector<TokenId> wanted_;
};

/// Applies the rules to log-probabilities in place: log_probs [rows, vocab], contiguous, with rules for each row.
/// Tokens that cannot follow get -infinity. Does not wait for a GPU. Returns log_probs.
torch::Tensor apply_rules(torch::Tensor log_probs, std::span<const NextTokenRules> rules);

}  // namespace transformer
