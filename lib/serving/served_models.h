#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inference/translation_service.h"
#include "serving/languages.h"

namespace transformer {

/// A model that a server translates with.
struct ServedModel {
  std::string name;
  std::unique_ptr<TranslationService> service;
};

/// The models of a server, at least one, and which of them a request means. Any number of threads may use it.
class ServedModels {
 public:
  /// The first of the models is the one of requests without a name.
  explicit ServedModels(std::vector<ServedModel> models);

  /// In the order of the models.
  std::vector<std::string> names() const;
  /// The languages in the names of the models that have any.
  std::vector<LanguagePair> language_pairs() const;

  /// The model with this name; the first if it is empty. Throws ParameterError if there is none, which names similar
  /// ones.
  const ServedModel& named(const std::string& name) const;

  /// The model whose name has these codes of languages, of which the source may be "auto": whichever fits. The only
  /// model need not be named for its languages. Throws ParameterError if no model, or more than one, fits.
  const ServedModel& between(const std::string& source, const std::string& target) const;

 private:
  const std::vector<ServedModel> models_;
};

/// The language of the texts for a model, by its name or as the request calls it; empty if it is not known.
std::string source_language(const ServedModel& model, const std::string& source);

}  // namespace transformer
