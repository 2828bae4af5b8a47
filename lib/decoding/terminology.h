#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/logits_processor.h"
#include "decoding/term.h"
#include "text/tokenizer.h"

namespace transformer {

/// The terms of a text's domain.
class Terminology {
 public:
  /// Throws Error if two terms have the same source and other targets, if a side of a term is empty, or if the
  /// vocabulary lacks a character of a target. The tokenizer of the target must outlive this object.
  Terminology(const std::vector<Term>& terms, const Tokenizer& target);
  Terminology(const Terminology&) = delete;
  Terminology& operator=(const Terminology&) = delete;

  const std::vector<Term>& terms() const { return terms_; }

  /// The terms of the phrases that the text has, in their order, once for each time: where words begin and end, with
  /// case. Of phrases that lie within a longer one that the text has, only the longer one counts; others may overlap.
  std::vector<const Term*> find(std::string_view text) const;

  /// The processor for a sentence with these terms.
  std::shared_ptr<const LogitsProcessor> processor(const std::vector<const Term*>& terms) const;

 private:
  std::vector<Term> terms_;  // their targets in the form that outputs have, such as in lower case
  std::map<std::string, std::vector<const Term*>, std::less<>> by_first_bytes_;  // of the source
  const Tokenizer& tokenizer_;
};

/// The terms whose target the text lacks; a term that is given several times must occur as often.
std::vector<Term> unmet_terms(const std::vector<Term>& terms, std::string_view text);

/// Lets a beam search look for hypotheses that have the targets of terms: each is a goal, once for each time that the
/// source has the term. A target is met where the hypothesis' text has it and a word begins, in whatever pieces; what
/// follows is left to the model, so that the last word of a target may be inflected by an ending.
class TermProcessor : public LogitsProcessor {
 public:
  TermProcessor(const std::vector<const Term*>& terms, const Tokenizer& target);

  SharedState initial_state() const override;
  SharedState next_state(const SharedState& state, TokenId token) const override;
  int64_t num_goals() const override { return num_goals_; }
  Progress progress(const std::vector<TokenId>& tokens, const State* state) const override;
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  struct Text;

  /// The target of terms, and how often an output should have it.
  struct Goal {
    std::string target;
    std::vector<TokenId> pieces;  // as the tokenizer divides it, with which the search begins it
    int64_t times = 0;
  };

  /// How many of the goal's pieces the hypothesis ends with.
  static size_t num_begun(const Goal& goal, const std::vector<TokenId>& tokens);

  std::vector<Goal> goals_;
  int64_t num_goals_ = 0;
  const Tokenizer& tokenizer_;
};

}  // namespace transformer
