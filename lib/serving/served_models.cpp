#include "serving/served_models.h"

#include <optional>
#include <utility>

#include "base/format.h"
#include "base/parameter_error.h"
#include "base/similar_names.h"
#include "text/sentences.h"

namespace transformer {

ServedModels::ServedModels(std::vector<ServedModel> models) : models_(std::move(models)) {}

std::vector<std::string> ServedModels::names() const {
  std::vector<std::string> names;
  for (const ServedModel& model : models_) names.push_back(model.name);
  return names;
}

std::vector<LanguagePair> ServedModels::language_pairs() const {
  std::vector<LanguagePair> pairs;
  for (const ServedModel& model : models_) {
    if (auto pair = languages_in(model.name)) pairs.push_back(std::move(*pair));
  }
  return pairs;
}

const ServedModel& ServedModels::named(const std::string& name) const {
  if (name.empty()) return models_.front();
  for (const ServedModel& model : models_) {
    if (model.name == name) return model;
  }
  const auto similar = similar_names(name, names());
  throw ParameterError(
      "there is no model '{}'; {}", shown_value(name),
      similar.empty() ? "there are " + enumeration(names(), "and") : "did you mean " + alternatives(similar) + "?");
}

const ServedModel& ServedModels::between(const std::string& source, const std::string& target) const {
  const ServedModel* found = nullptr;
  for (const ServedModel& model : models_) {
    const auto pair = languages_in(model.name);
    const bool fits = pair ? pair->target == target && (pair->source == source || source == "auto")
                           : models_.size() == 1;  // which need not be named for its languages
    if (!fits) continue;
    if (found) {
      throw ParameterError("'source': several models translate into '{}'; name the language of the text",
                           shown_value(target));
    }
    found = &model;
  }
  if (found) return *found;
  throw ParameterError("no model translates from '{}' to '{}'; there are {}", shown_value(source), shown_value(target),
                       enumeration(names(), "and"));
}

std::string source_language(const ServedModel& model, const std::string& source) {
  const auto pair = languages_in(model.name);
  const std::string& code = pair ? pair->source : source;
  return is_language_code(code) ? code : "";
}

}  // namespace transformer
