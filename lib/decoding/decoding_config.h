#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoding/length_penalty.h"
#include "decoding/stopping.h"
#include "settings/key_traits.h"

namespace transformer {

/// §6.1: beam search with length penalty; outputs of at most input length + 50 tokens.
struct DecodingConfig {
  int64_t beam_size = 4;
  double alpha = 0.6;
  LengthPenaltyForm length_penalty = LengthPenaltyForm::gnmt;
  Stopping stopping = Stopping::exact;
  int64_t max_extra_tokens = 50;
  bool trees = false;
  std::optional<std::vector<std::string>> forbidden_pieces;
  bool renormalize = false;

  LengthPenalty penalty() const { return {length_penalty, alpha}; }
  bool operator==(const DecodingConfig&) const = default;
};

template <class Visitor>
void visit_fields(Visitor& visit, DecodingConfig& c) {
  visit("beam_size", c.beam_size, {.range = from_to(1, 1024), .may_change = true},
        "beam size, the number of live hypotheses; 1: greedy search (§6.1)");
  visit("alpha", c.alpha, {.range = from_to(0, 100), .may_change = true}, "exponent of the length penalty (§6.1)");
  visit("length_penalty", c.length_penalty, {.may_change = true},
        "divisor of the log-probability: gnmt, ((5 + length) / 6)^alpha (§6.1), average, length^alpha, or none");
  visit("stopping", c.stopping, {.may_change = true},
        "when a sentence's search ends: exact, when no live hypothesis can win (D10), or as in other programs: full, "
        "outscored, shrinking or topmost");
  visit("max_extra_tokens", c.max_extra_tokens, {.range = from_to(0, 100'000), .may_change = true},
        "maximal output length beyond the input length, in tokens (§6.1)");
  visit("trees", c.trees, {.may_change = true},
        "restrict outputs to well-formed trees with one leaf for each input word, for the parser (§6.3)");
  visit("forbidden_pieces", c.forbidden_pieces, {.may_change = true},
        "pieces that outputs never contain; null: the padding, unknown and begin symbols");
  visit("renormalize", c.renormalize, {.may_change = true},
        "whether the probabilities of the pieces that are not forbidden sum to 1, as if the others were not there");
}

}  // namespace transformer
