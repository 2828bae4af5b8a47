#include "decoding/logits_processor.h"

#include <algorithm>

namespace transformer {

bool raise_scores(const LogitsProcessors& processors) {
  return std::any_of(processors.begin(), processors.end(),
                     [](const auto& processor) { return processor->raises_scores(); });
}

int64_t num_goals(const LogitsProcessors& processors) {
  int64_t sum = 0;
  for (const auto& processor : processors) sum += processor->num_goals();
  return sum;
}

Progress progress(const LogitsProcessors& processors, const std::vector<TokenId>& tokens,
                  const ProcessorStates& states) {
  Progress sum;
  for (size_t i = 0; i < processors.size(); ++i) {
    if (processors[i]->num_goals() == 0) continue;
    const Progress own = processors[i]->progress(tokens, states.empty() ? nullptr : states[i].get());
    sum.reached += own.reached;
    sum.begun += own.begun;
  }
  return sum;
}

ProcessorStates initial_states(const LogitsProcessors& processors) {
  ProcessorStates states;
  for (const auto& processor : processors) states.push_back(processor->initial_state());
  const bool has_state = std::any_of(states.begin(), states.end(), [](const auto& state) { return state != nullptr; });
  return has_state ? states : ProcessorStates();
}

ProcessorStates next_states(const LogitsProcessors& processors, const ProcessorStates& states, TokenId token) {
  ProcessorStates next = states;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i]) next[i] = processors[i]->next_state(states[i], token);
  }
  return next;
}

NextTokenRules next_token_rules(const LogitsProcessors& processors, const std::vector<TokenId>& tokens,
                                const ProcessorStates& states) {
  NextTokenRules rules;
  for (size_t i = 0; i < processors.size(); ++i) {
    const size_t num_before = rules.bonuses().size();
    processors[i]->process(tokens, states.empty() ? nullptr : states[i].get(), rules);
    for (size_t j = num_before; j < rules.bonuses().size(); ++j) {
      TORCH_CHECK(rules.bonuses()[j].value <= 0 || processors[i]->raises_scores(), "a bonus of ",
                  rules.bonuses()[j].value, " from a processor that does not raise scores");
    }
    if (rules.is_forced()) break;
  }
  return rules;
}

}  // namespace transformer
