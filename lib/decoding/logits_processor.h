#pragma once

#include <memory>
#include <vector>

#include "decoding/next_token_rules.h"
#include "decoding/progress.h"
#include "text/special_tokens.h"

namespace transformer {

/// Decides, in each step of a search, which tokens may follow a hypothesis of one sentence, and changes their scores:
/// it can ban tokens, allow only some, and add to log-probabilities. It does not know the other hypotheses. A processor
/// may be used by several threads and for several sentences at once. If it throws, all sentences of its search end.
class LogitsProcessor {
 public:
  /// What a processor remembers of a hypothesis. Hypotheses with a common beginning share states, so they never change.
  class State {
   public:
    virtual ~State() = default;
  };
  using SharedState = std::shared_ptr<const State>;

  virtual ~LogitsProcessor() = default;

  /// The state of the empty hypothesis; null if the processor needs none.
  virtual SharedState initial_state() const { return nullptr; }
  /// The state of a hypothesis with the state `state` after one more token. Not called if initial_state() is null.
  virtual SharedState next_state(const SharedState& state, TokenId /*token*/) const { return state; }

  /// Whether it may add something positive to a log-probability. A beam search whose scores only fall ends early.
  virtual bool raises_scores() const { return false; }

  /// How many goals an output of this sentence has, such as words that it should contain. A beam search divides its
  /// beam among hypotheses that have come less or more far, and prefers outputs that have reached more goals.
  virtual int64_t num_goals() const { return 0; }
  /// How far a hypothesis has come towards them; goals that are reached stay so. Not called if num_goals() is 0.
  virtual Progress progress(const std::vector<TokenId>& /*tokens*/, const State* /*state*/) const { return {}; }

  /// Adds its decisions about the token after `tokens`, the hypothesis so far, to `rules`.
  virtual void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const = 0;
};

/// The processors of a sentence, which apply together: what one bans is banned.
using LogitsProcessors = std::vector<std::shared_ptr<const LogitsProcessor>>;

/// The states of all processors in one hypothesis; empty if none of them has a state.
using ProcessorStates = std::vector<LogitsProcessor::SharedState>;

/// Whether one of them may raise scores.
bool raise_scores(const LogitsProcessors& processors);

/// The goals of all processors, and the progress of a hypothesis towards them.
int64_t num_goals(const LogitsProcessors& processors);
Progress progress(const LogitsProcessors& processors, const std::vector<TokenId>& tokens,
                  const ProcessorStates& states);

ProcessorStates initial_states(const LogitsProcessors& processors);
/// The states after one more token.
ProcessorStates next_states(const LogitsProcessors& processors, const ProcessorStates& states, TokenId token);
/// What all processors decide about the token after `tokens`.
NextTokenRules next_token_rules(const LogitsProcessors& processors, const std::vector<TokenId>& tokens,
                                const ProcessorStates& states);

}  // namespace transformer
