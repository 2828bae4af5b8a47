#include "config/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/same_path.h"

namespace transformer {
namespace {

class Rules {
 public:
  /// Adds a broken rule unless the rule holds. The message continues the first of the keys.
  template <class... Args>
  void require(bool holds, std::vector<std::string> keys, fmt::format_string<Args...> message, Args&&... args) {
    if (holds) return;
    const std::string text = keys.front() + " " + fmt::format(message, std::forward<Args>(args)...);
    broken.push_back({std::move(keys), text});
  }

  std::vector<BrokenRule> broken;
};

void check_model(const ModelConfig& m, const DataConfig& d, Rules& rules) {
  if (m.h >= 1 && !(m.d_k && m.d_v)) {
    rules.require(m.d_model % m.h == 0, {"model.h", "model.d_model", "model.d_k", "model.d_v"},
                  "does not divide d_model: {} / {}; choose another h, or give d_k and d_v", m.d_model, m.h);
  }
  if (m.position == Position::learned) {
    rules.require(m.max_positions.has_value(), {"model.position", "model.max_positions", "data.max_length"},
                  "is learned, which needs a maximum; give model.max_positions, above data.max_length ({})",
                  d.max_length);
    rules.require(!m.max_positions || *m.max_positions > d.max_length,
                  {"model.max_positions", "model.position", "data.max_length"},
                  "must be above data.max_length ({}) to leave room for the end symbol", d.max_length);
  } else {
    rules.require(!m.max_positions, {"model.max_positions", "model.position"},
                  "has no effect with sinusoidal positions; remove it");
  }
}

void check_validation_sets(const ValidationText& v, Rules& rules) {
  const int64_t sets = std::ssize(v.source);
  rules.require(std::ssize(v.target) == sets, {"data.valid.target", "data.valid.source"},
                "names {}, but data.valid.source names {}; give one target file for each source file",
                counted(std::ssize(v.target), "file"), sets);
  rules.require(std::ssize(v.name) == sets || (v.name.empty() && sets == 1), {"data.valid.name", "data.valid.source"},
                "has {}, but data.valid.source names {}; give one name for each validation set",
                counted(std::ssize(v.name), "item"), counted(sets, "file"));
  std::set<std::string> names;
  for (const std::string& name : v.name) {
    const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
    rules.require(is_word, {"data.valid.name"}, "may contain only letters, digits, - and _, got '{}'",
                  shown_value(name));
    rules.require(names.insert(name).second, {"data.valid.name"},
                  "has '{}' twice; give each validation set a name of its own", shown_value(name));
  }
}

void check_data(const DataConfig& d, Rules& rules) {
  rules.require(d.train.source.size() == d.train.target.size(), {"data.train.target", "data.train.source"},
                "names {}, but data.train.source names {}; give one target file for each source file",
                counted(std::ssize(d.train.target), "file"), d.train.source.size());
  const auto one_for_each_file = [&](size_t count, const char* key) {
    rules.require(count == 0 || count == d.train.source.size(), {key, "data.train.source"},
                  "has {}, but data.train.source names {}; give one item for each file, or none",
                  counted(static_cast<int64_t>(count), "item"), counted(std::ssize(d.train.source), "file"));
  };
  one_for_each_file(d.train.weight.size(), "data.train.weight");
  one_for_each_file(d.train.tag.size(), "data.train.tag");
  rules.require(d.train.weight.empty() || *std::max_element(d.train.weight.begin(), d.train.weight.end()) > 0,
                {"data.train.weight"}, "is 0 for every file; give at least one a larger weight");
  for (const std::string& tag : d.train.tag) {
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
    rules.require(!is_set || (t.validate_every && !d.valid.source.empty()),
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
}

}  // namespace

std::vector<BrokenRule> find_broken_model_rules(const Config& config) {
  Rules rules;
  check_model(config.model, config.data, rules);
  return rules.broken;
}

std::vector<BrokenRule> find_broken_rules(const Config& config) {
  Rules rules;
  check_model(config.model, config.data, rules);
  check_data(config.data, rules);
  check_training(config.training, config.data, rules);
  check_schedule(config.training, rules);
  check_decoding(config.decoding, rules);
  return rules.broken;
}

}  // namespace transformer
