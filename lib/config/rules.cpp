#include "config/rules.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/format.h"
#include "base/same_path.h"
#include "model/model_rules.h"
#include "text/script.h"

namespace transformer {
namespace {

void check_validation_sets(const std::vector<ValidationSet>& sets, Rules& rules) {
  std::set<std::string> names;
  for (const ValidationSet& set : sets) {
    if (!set.name) continue;  // of a single set
    const std::string& name = *set.name;
    const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
    rules.require(is_word, {"data.valid.name"}, "may contain only letters, digits, - and _, got '{}'",
                  shown_value(name));
    rules.require(names.insert(name).second, {"data.valid.name"},
                  "has '{}' twice; give each validation set a name of its own", shown_value(name));
  }
}

void check_script(const char* key, const std::optional<std::string>& name, Rules& rules) {
  rules.require(!name || Script::find(*name).has_value(), {key},
                "must be the name of a script, such as Latin or Cyrl, or of a language, such as ja, got '{}'",
                shown_value(name.value_or("")));
}

void check_data(const DataConfig& d, Rules& rules) {
  const auto has_no_weight = [](const TrainingCorpus& corpus) { return corpus.weight == 0.0; };
  rules.require(d.train.empty() || !std::all_of(d.train.begin(), d.train.end(), has_no_weight), {"data.train.weight"},
                "is 0 for every file; give at least one a larger weight");
  for (const TrainingCorpus& corpus : d.train) {
    const std::string tag = corpus.tag.value_or("");
    rules.require(tag.find_first_of(" \t\n") == std::string::npos, {"data.train.tag"}, "must be single words, got '{}'",
                  shown_value(tag));
  }
  check_validation_sets(d.valid, rules);
  rules.require(
      d.vocabulary.source.has_value() == d.vocabulary.target.has_value(),
      {"data.vocabulary.source", "data.vocabulary.target"},
      "has no counterpart: give both data.vocabulary.source and data.vocabulary.target, or data.vocabulary for "
      "a shared one");
  rules.require(d.test_source.has_value() == d.test_target.has_value(), {"data.test.source", "data.test.target"},
                "has no counterpart: give both data.test.source and data.test.target");
  rules.require(is_normalization_rule(d.normalization) || d.normalization.ends_with(".tsv"), {"data.normalization"},
                "must be {} or the path of a .tsv file, got '{}'", fmt::join(kNormalizationRules, ", "),
                shown_value(d.normalization));
  check_script("data.source_script", d.source_script, rules);
  check_script("data.target_script", d.target_script, rules);
  rules.require(d.all_caps.value_or(0) + d.title_case.value_or(0) <= 1, {"data.all_caps", "data.title_case"},
                "and data.title_case are shares of the same pairs, so that their sum is at most 1, got {} and {}",
                number_text(d.all_caps.value_or(0)), number_text(d.title_case.value_or(0)));
  const auto needs_letter_case = [&](const std::optional<double>& share, const char* key) {
    rules.require(!share || d.vocabulary.target || !folds_case(d.normalization), {key, "data.normalization"},
                  "has no effect with data.normalization: {}, which makes all letters lower-case; remove one of both",
                  d.normalization);
  };
  needs_letter_case(d.all_caps, "data.all_caps");
  needs_letter_case(d.title_case, "data.title_case");
  rules.require(!d.prepared.empty(), {"data.prepared"}, "must name a directory");
}

void check_training(const TrainingConfig& t, const DataConfig& d, Rules& rules) {
  rules.require(!t.directory.empty(), {"training.directory"}, "must name a directory");
  rules.require(!is_same_path(t.directory, d.prepared), {"training.directory", "data.prepared"},
                "must be another directory than data.prepared, got '{}' for both", shown_value(t.directory));
  rules.require(t.checkpoint_every || t.checkpoint_minutes,
                {"training.checkpoint_every", "training.checkpoint_minutes"},
                "and training.checkpoint_minutes are both null; give one, because a run without checkpoints cannot be "
                "resumed");
  const auto needs_validation = [&](bool is_set, const char* key) {
    rules.require(!is_set || (t.validate_every && !d.valid.empty()),
                  {key, "training.validate_every", "data.valid.source"},
                  "has no effect without training.validate_every and data.valid.source; give both, or remove it");
  };
  needs_validation(t.patience.has_value(), "training.patience");
  needs_validation(t.best_by != ValidationMetric::loss, "training.best_by");
  needs_validation(t.schedule == Schedule::plateau, "training.schedule");
}

/// The keys that a learning-rate schedule needs, and those that have no effect with it.
void check_schedule(const TrainingConfig& t, Rules& rules) {
  const TrainingConfig defaults;
  const char* schedule = name_of(t.schedule);
  const auto no_effect = [&](bool has_effect, auto value, auto default_value, const char* key) {
    rules.require(has_effect || value == default_value, {key, "training.schedule"},
                  "has no effect with the schedule {}; remove it, or set it to its default, {}", schedule,
                  number_text(static_cast<double>(default_value)));
  };
  const bool is_noam = t.schedule == Schedule::noam;
  rules.require(t.warmup_steps >= (is_noam || t.schedule == Schedule::inverse_sqrt ? 1 : 0),
                {"training.warmup_steps", "training.schedule"}, "must be at least 1 with the schedule {}, got {}",
                schedule, t.warmup_steps);
  rules.require(!is_noam || !t.learning_rate, {"training.learning_rate", "training.schedule"},
                "has no effect with the schedule noam, whose peak follows from d_model and warmup_steps; set "
                "training.learning_rate_scale, or training.schedule: inverse_sqrt");
  rules.require(is_noam || t.learning_rate, {"training.learning_rate", "training.schedule"},
                "must be given with the schedule {}: it is the peak learning rate, such as 5e-4", schedule);
  no_effect(is_noam, t.learning_rate_scale, defaults.learning_rate_scale, "training.learning_rate_scale");
  rules.require(!ends_at_zero(t.schedule) || t.train_steps > t.warmup_steps,
                {"training.train_steps", "training.warmup_steps", "training.schedule"},
                "must be above training.warmup_steps ({}) with the schedule {}, got {}", t.warmup_steps, schedule,
                t.train_steps);
  const bool is_plateau = t.schedule == Schedule::plateau;
  no_effect(is_plateau, t.plateau_factor, defaults.plateau_factor, "training.plateau_factor");
  no_effect(is_plateau, t.plateau_patience, defaults.plateau_patience, "training.plateau_patience");
}

void check_decoding(const DecodingConfig& d, Rules& rules) {
  const double default_alpha = DecodingConfig().alpha;
  rules.require(d.length_penalty != LengthPenaltyForm::none || d.alpha == default_alpha,
                {"decoding.alpha", "decoding.length_penalty"},
                "has no effect without a length penalty; remove it, or set it to its default, {}",
                number_text(default_alpha));
  rules.require(!d.renormalize || !d.forbidden_pieces || !d.forbidden_pieces->empty(),
                {"decoding.renormalize", "decoding.forbidden_pieces"},
                "has no effect without forbidden pieces; remove it");
}

void check_evaluation(const EvaluationConfig& e, Rules& rules) {
  rules.require(!needs_model(e.tokenize) || e.tokenizer_model, {"evaluation.tokenizer_model", "evaluation.tokenize"},
                "must name the SentencePiece model that evaluation.tokenize: {} needs, which is not a part of this "
                "program",
                name_of(e.tokenize));
  rules.require(needs_model(e.tokenize) || !e.tokenizer_model, {"evaluation.tokenizer_model", "evaluation.tokenize"},
                "has no effect with evaluation.tokenize: {}; remove it", name_of(e.tokenize));
}

}  // namespace

std::vector<BrokenRule> find_broken_model_rules(const Config& config) {
  Rules rules;
  check_model(config.model, config.data.max_length, rules);
  return rules.broken();
}

std::vector<BrokenRule> find_broken_rules(const Config& config) {
  Rules rules;
  check_model(config.model, config.data.max_length, rules);
  check_data(config.data, rules);
  check_training(config.training, config.data, rules);
  check_schedule(config.training, rules);
  check_decoding(config.decoding, rules);
  check_evaluation(config.evaluation, rules);
  return rules.broken();
}

std::vector<BrokenRule> find_broken_list_rules(const Settings& settings) {
  const auto count = [&](const char* key) {
    const auto setting = settings.values.find(key);
    return setting == settings.values.end() ? int64_t{0} : std::ssize(setting->second.value.items);
  };
  Rules rules;
  const int64_t corpora = count("data.train.source"), sets = count("data.valid.source");
  const auto check_targets = [&](const char* key, const char* source, int64_t sources) {
    rules.require(count(key) == sources, {key, source},
                  "names {}, but {} names {}; give one target file for each source file", counted(count(key), "file"),
                  source, sources);
  };
  const auto check_items = [&](const char* key) {
    rules.require(count(key) == 0 || count(key) == corpora, {key, "data.train.source"},
                  "has {}, but data.train.source names {}; give one item for each file, or none",
                  counted(count(key), "item"), counted(corpora, "file"));
  };
  check_targets("data.train.target", "data.train.source", corpora);
  check_items("data.train.weight");
  check_items("data.train.tag");
  check_targets("data.valid.target", "data.valid.source", sets);
  const int64_t names = count("data.valid.name");
  rules.require(names == sets || (names == 0 && sets == 1), {"data.valid.name", "data.valid.source"},
                "has {}, but data.valid.source names {}; give one name for each validation set", counted(names, "item"),
                counted(sets, "file"));
  return rules.broken();
}

}  // namespace transformer
