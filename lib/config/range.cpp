#include "config/range.h"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "text/tokenizer.h"

namespace transformer {
namespace {

Range at_least(double least) { return {.least = least}; }
Range above(double limit) { return {.least = limit, .includes_least = false}; }
Range from_to(double least, double most) { return {.least = least, .most = most}; }

constexpr double kMaxSize = 1 << 20;
const Range kSize = from_to(1, kMaxSize);
const Range kTokens = from_to(1, 1e9);
const Range kFraction = {.least = 0, .most = 1, .includes_least = false, .includes_most = false};
const Range kProbability = {.least = 0, .most = 1, .includes_most = false};

const std::map<std::string, Range>& ranges() {
  static const std::map<std::string, Range> all = {
      {"model.N", kSize},
      {"model.d_model", kSize},
      {"model.d_ff", kSize},
      {"model.h", kSize},
      {"model.d_k", kSize},
      {"model.d_v", kSize},
      {"model.r", kSize},
      {"model.max_positions", kTokens},
      {"model.P_drop", kProbability},
      {"model.attention_dropout", kProbability},
      {"model.relu_dropout", kProbability},
      {"data.train.weight", from_to(0, 1000)},
      {"data.vocabulary_size", at_least(kMinVocabularySize)},
      {"data.character_coverage", from_to(0.98, 1)},  // SentencePiece's limits
      {"data.max_length", kTokens},
      {"data.max_length_ratio", at_least(1)},
      {"data.sampling_alpha", kFraction},
      {"data.max_dropped", from_to(0, 1)},
      {"training.train_steps", at_least(1)},
      {"training.batch_tokens", kTokens},
      {"training.device_tokens", kTokens},
      {"training.max_epochs", at_least(1)},
      {"training.max_hours", above(0)},
      {"training.learning_rate", above(0)},
      {"training.warmup_steps", at_least(0)},
      {"training.learning_rate_scale", above(0)},
      {"training.plateau_factor", kFraction},
      {"training.plateau_patience", at_least(1)},
      {"training.beta1", kProbability},
      {"training.beta2", kProbability},
      {"training.epsilon", above(0)},
      {"training.weight_decay", at_least(0)},
      {"training.eps_ls", kProbability},
      {"training.log_every", at_least(1)},
      {"training.validate_every", at_least(1)},
      {"training.checkpoint_every", at_least(1)},
      {"training.checkpoint_minutes", above(0)},
      {"training.keep_checkpoints", at_least(1)},
      {"training.ema_decay", kFraction},
      {"training.patience", at_least(1)},
      {"training.gradient_clip", above(0)},
      {"decoding.beam_size", from_to(1, 1024)},
      {"decoding.alpha", from_to(0, 100)},
      {"decoding.max_extra_tokens", from_to(0, 100'000)},
  };
  return all;
}

}  // namespace

bool Range::contains(double number) const {
  return (includes_least ? number >= least : number > least) && (includes_most ? number <= most : number < most);
}

std::string Range::text() const {
  if (std::isinf(most)) return fmt::format("{} {:.15g}", includes_least ? "at least" : "above", least);
  if (!includes_least)
    return fmt::format("above {:.15g} and {} {:.15g}", least, includes_most ? "at most" : "below", most);
  if (!includes_most) return fmt::format("at least {:.15g} and below {:.15g}", least, most);
  return fmt::format("from {:.15g} to {:.15g}", least, most);
}

const Range* range_of(const std::string& key) {
  const auto found = ranges().find(key);
  return found == ranges().end() ? nullptr : &found->second;
}

std::string accepted_values(const Key& key) {
  const Range* range = range_of(key.name);
  if (range == nullptr) return key.type + (key.nullable ? " or null" : "");
  return fmt::format("{}, {}{}", key.type, range->text(), key.nullable ? ", or null" : "");
}

}  // namespace transformer
