#include "config/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/log.h"
#include "config/yaml.h"

namespace transformer {
namespace {

/// Levenshtein distance: the number of insertions, deletions and replacements that turn `a` into `b`.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest_name(const std::string& name, const std::vector<Field>& fields) {
  static constexpr size_t kMaxCompared = 50;  // longer than any key; the time grows with it
  const std::string compared = name.substr(0, kMaxCompared);
  std::vector<size_t> distances;
  for (const Field& field : fields) distances.push_back(edit_distance(compared, field.name));
  return fields[static_cast<size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin())].name;
}

/// An invalid value: its key, and what is wrong with it.
struct Problem {
  std::string key, message;
};

/// The keys that belong to `training.schedule`, and those that have no effect with it.
void find_schedule_problems(const TrainingConfig& t, std::vector<Problem>& problems) {
  const TrainingConfig defaults;
  const auto require = [&](bool good, const char* key, const std::string& message) {
    if (!good) problems.push_back({key, message});
  };
  const auto no_effect = [&](bool is_set, const char* key) {
    require(!is_set, key, fmt::format("has no effect with the schedule {}; remove it", name_of(t.schedule)));
  };
  const bool is_noam = t.schedule == Schedule::noam;
  require(t.warmup_steps >= (is_noam || t.schedule == Schedule::inverse_sqrt ? 1 : 0), "training.warmup_steps",
          fmt::format("is too small for the schedule {}, got {}", name_of(t.schedule), t.warmup_steps));
  require(t.learning_rate_scale > 0, "training.learning_rate_scale",
          fmt::format("must be above 0, got {:g}", t.learning_rate_scale));
  if (is_noam) {
    require(!t.learning_rate, "training.learning_rate",
            "has no effect with the schedule noam, whose peak follows from d_model and warmup_steps; set "
            "training.learning_rate_scale, or training.schedule: inverse_sqrt");
  } else {
    require(t.learning_rate.value_or(0) > 0, "training.learning_rate",
            fmt::format("must be given, above 0, with the schedule {}: it is the highest learning rate, such as 5e-4",
                        name_of(t.schedule)));
    no_effect(t.learning_rate_scale != defaults.learning_rate_scale, "training.learning_rate_scale");
  }
  if (t.schedule == Schedule::linear || t.schedule == Schedule::cosine) {
    require(t.train_steps > t.warmup_steps, "training.train_steps",
            fmt::format("must be above training.warmup_steps ({}) with the schedule {}, got {}", t.warmup_steps,
                        name_of(t.schedule), t.train_steps));
  }
  if (t.schedule == Schedule::plateau) {
    require(t.plateau_factor > 0 && t.plateau_factor < 1, "training.plateau_factor",
            fmt::format("must be above 0 and below 1, got {:g}", t.plateau_factor));
    require(t.plateau_patience >= 1, "training.plateau_patience",
            fmt::format("must be at least 1, got {}", t.plateau_patience));
  } else {
    no_effect(t.plateau_factor != defaults.plateau_factor, "training.plateau_factor");
    no_effect(t.plateau_patience != defaults.plateau_patience, "training.plateau_patience");
  }
}

std::vector<Problem> find_problems(const Config& c) {
  std::vector<Problem> problems;
  const auto require = [&]<class... Args>(bool good, const char* key, fmt::format_string<Args...> message,
                                          Args&&... args) {
    if (!good) problems.push_back({key, fmt::format(message, std::forward<Args>(args)...)});
  };
  const auto at_least = [&](int64_t value, int64_t least, const char* key) {
    require(value >= least, key, "must be at least {}, got {}", least, value);
  };
  const auto not_below = [&](double value, double least, const char* key) {
    require(value >= least, key, "must be at least {:g}, got {:g}", least, value);
  };
  const auto probability = [&](double value, const char* key) {
    require(value >= 0 && value < 1, key, "must be from 0 to below 1, got {:g}", value);
  };

  const ModelConfig& m = c.model;
  const auto size = [&](int64_t value, const char* key) {
    static constexpr int64_t kMaxSize = 1 << 20;
    require(value >= 1 && value <= kMaxSize, key, "must be from 1 to {}, got {}", kMaxSize, value);
  };
  size(m.N, "model.N");
  size(m.d_model, "model.d_model");
  size(m.d_ff, "model.d_ff");
  size(m.h, "model.h");
  if (m.h >= 1 && !(m.d_k && m.d_v)) {
    require(m.d_model % m.h == 0, "model.h", "does not divide d_model: {} / {}; choose another h, or give d_k and d_v",
            m.d_model, m.h);
  }
  size(m.d_k.value_or(1), "model.d_k");
  size(m.d_v.value_or(1), "model.d_v");
  size(m.r.value_or(1), "model.r");
  probability(m.P_drop, "model.P_drop");
  probability(m.attention_dropout, "model.attention_dropout");
  probability(m.relu_dropout, "model.relu_dropout");
  if (m.position == Position::learned) {
    require(m.max_positions.has_value(), "model.position",
            "learned positions need a maximum: give model.max_positions, for example {}", c.data.max_length + 1);
    require(m.max_positions.value_or(c.data.max_length + 1) > c.data.max_length, "model.max_positions",
            "must be above data.max_length ({}) to leave room for the end symbol", c.data.max_length);
  } else {
    require(!m.max_positions, "model.max_positions", "has no effect with sinusoidal positions; remove it");
  }

  const DataConfig& d = c.data;
  require(d.train.source.size() == d.train.target.size(), "data.train.target",
          "names {} files, but data.train.source names {}", d.train.target.size(), d.train.source.size());
  require(d.valid_source.has_value() == d.valid_target.has_value(), "data.valid.source",
          "has no counterpart: give both data.valid.source and data.valid.target");
  require(d.test_source.has_value() == d.test_target.has_value(), "data.test.source",
          "has no counterpart: give both data.test.source and data.test.target");
  require(!d.prepared.empty(), "data.prepared", "must name a directory");
  at_least(d.vocabulary_size, 8, "data.vocabulary_size");
  require(d.character_coverage > 0 && d.character_coverage <= 1, "data.character_coverage",
          "must be above 0 and at most 1, got {:g}", d.character_coverage);
  at_least(d.max_length, 1, "data.max_length");
  not_below(d.max_length_ratio.value_or(1), 1, "data.max_length_ratio");

  const TrainingConfig& t = c.training;
  require(!t.directory.empty(), "training.directory", "must name a directory");
  at_least(t.train_steps, 1, "training.train_steps");
  at_least(t.batch_tokens, 1, "training.batch_tokens");
  at_least(t.device_tokens.value_or(1), 1, "training.device_tokens");
  at_least(t.max_epochs.value_or(1), 1, "training.max_epochs");
  require(t.max_hours.value_or(1.0) > 0, "training.max_hours", "must be above 0");
  find_schedule_problems(t, problems);
  require(t.weight_decay >= 0, "training.weight_decay", "must be at least 0, got {:g}", t.weight_decay);
  probability(t.beta1, "training.beta1");
  probability(t.beta2, "training.beta2");
  require(t.epsilon > 0, "training.epsilon", "must be above 0, got {:g}", t.epsilon);
  probability(t.eps_ls, "training.eps_ls");
  at_least(t.log_every, 1, "training.log_every");
  at_least(t.validate_every.value_or(1), 1, "training.validate_every");
  at_least(t.checkpoint_every.value_or(1), 1, "training.checkpoint_every");
  require(t.checkpoint_minutes.value_or(1.0) > 0, "training.checkpoint_minutes", "must be above 0");
  require(t.checkpoint_every || t.checkpoint_minutes, "training.checkpoint_every",
          "and training.checkpoint_minutes are both null; give one, a run without checkpoints cannot be resumed");
  at_least(t.keep_checkpoints, 1, "training.keep_checkpoints");
  require(!t.ema_decay || (*t.ema_decay > 0 && *t.ema_decay < 1), "training.ema_decay",
          "must be above 0 and below 1, got {:g}", t.ema_decay.value_or(0));
  at_least(t.patience.value_or(1), 1, "training.patience");
  const bool validates = t.validate_every && d.valid_source;
  const auto needs_validation = [&](bool is_set, const char* key) {
    require(!is_set || validates, key, "has no effect without training.validate_every and data.valid.source");
  };
  needs_validation(t.patience.has_value(), "training.patience");
  needs_validation(t.best_by != ValidationMetric::loss, "training.best_by");
  needs_validation(t.schedule == Schedule::plateau, "training.schedule");
  require(t.gradient_clip.value_or(1.0) > 0, "training.gradient_clip", "must be above 0");

  at_least(c.decoding.beam_size, 1, "decoding.beam_size");
  not_below(c.decoding.alpha, 0, "decoding.alpha");
  at_least(c.decoding.max_extra_tokens, 0, "decoding.max_extra_tokens");
  return problems;
}

/// Gives settings with a former name of a key its present one. Returns a sentence for each.
std::vector<std::string> rename_former_keys(Settings& settings) {
  static const std::map<std::string, std::string> kFormerNames = {{"training.fused_kernels", "training.cpu_kernels"}};
  std::vector<std::string> notes;
  for (const auto& [former, present] : kFormerNames) {
    auto setting = settings.extract(former);
    if (setting.empty()) continue;
    notes.push_back(fmt::format("{}: the key '{}' is now called '{}'", setting.mapped().location, former, present));
    setting.key() = present;
    settings.insert(std::move(setting));
  }
  return notes;
}

Config build_config(const Settings& settings, const std::string& name) {
  Config config;
  std::vector<Field> fields = config_fields(config);
  for (const auto& [key, setting] : settings) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&wanted = key](const Field& candidate) { return candidate.name == wanted; });
    if (field == fields.end()) {
      throw UsageError("{}: unknown key '{}' (did you mean '{}'?)", setting.location, shown_value(key),
                       nearest_name(key, fields));
    }
    try {
      field->set(setting.value);
    } catch (const Error& misfit) {
      throw UsageError("{}: {}: {}", setting.location, key, misfit.what());
    }
  }
  for (const Problem& problem : find_problems(config)) {
    const auto setting = settings.find(problem.key);
    throw UsageError("{}: {} {}", setting == settings.end() ? name : setting->second.location, problem.key,
                     problem.message);
  }
  return config;
}

}  // namespace

std::vector<Field> config_fields(Config& config) {
  std::vector<Field> fields;
  const auto collect = [&](const char* section, auto& part) {
    FieldCollector collector(section, fields);
    visit_fields(collector, part);
  };
  collect("model", config.model);
  collect("data", config.data);
  collect("training", config.training);
  collect("decoding", config.decoding);
  return fields;
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  if (!std::filesystem::is_regular_file(path)) {
    throw UsageError("{}: there is no such config file; the ones that come with the program are in configs/", path);
  }
  Settings settings = read_yaml_file(path);
  for (const auto& assignment : overrides) apply_override(assignment, settings);
  for (const auto& note : rename_former_keys(settings)) log_warning("{}", note);
  return build_config(settings, path);
}

Config parse_config(const std::string& text, const std::string& name) {
  Settings settings = read_yaml_text(text, name);
  rename_former_keys(settings);
  return build_config(settings, name);
}

std::string dump_config(const Config& config) {
  Config copy = config;  // the fields need an object that can be changed
  return write_yaml(config_fields(copy));
}

std::vector<std::pair<std::string, std::string>> config_values(const Config& config) {
  Config copy = config;  // the fields need an object that can be changed
  std::vector<std::pair<std::string, std::string>> values;
  for (const Field& field : config_fields(copy)) {
    const Value value = field.get();
    std::string text = value.kind == Value::Kind::null ? "null" : "";
    for (const auto& item : value.items) text += fmt::format("{}{}", text.empty() ? "" : ", ", item);
    values.emplace_back(field.name, text);
  }
  return values;
}

std::vector<std::string> config_differences(const Config& there, const Config& here,
                                            const std::vector<std::string>& ignored) {
  const auto values_there = config_values(there), values_here = config_values(here);
  std::vector<std::string> differences;
  for (size_t i = 0; i < values_here.size(); ++i) {
    const auto& [name, value] = values_here[i];
    if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
    if (values_there[i].second != value) {
      differences.push_back(fmt::format("{}: {} there, {} here", name, values_there[i].second, value));
    }
  }
  return differences;
}

}  // namespace transformer
