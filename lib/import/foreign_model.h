#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "export/module_names.h"
#include "import/foreign_tensors.h"
#include "import/source_program.h"
#include "inference/inference_config.h"
#include "model/model_file.h"
#include "settings/fields.h"

namespace transformer {

/// A model of another program in the terms of this one.
struct ForeignModel {
  InferenceConfig config;
  VocabularyModels vocabularies = std::string();
  NamedTensors parameters = NamedTensors();     // by the names of docs/files.md
  std::string path = {}, vocabulary_path = {};  // the files that messages name
  std::string provenance = {};                  // that of the model file
  std::optional<SourceProgram> program = {};    // that translates with it, if it is known how
};

/// Throws Error, which names `path`, if a value of this section of the config, such as "model", is out of the range of
/// its key.
template <class Section>
void check_ranges(const std::string& name, Section section, const std::string& path) {
  for (const Field& field : fields_of(name, section)) {
    try {
      field.set(field.get());
    } catch (const Error& misfit) {
      throw Error("{}: {}; copy or download the whole model", path, misfit.what());
    }
  }
}

/// The matrices of another program's model with a row for each piece.
struct ForeignEmbeddings {
  torch::Tensor source, target;         // [vocabulary, d_model]
  std::optional<torch::Tensor> output;  // if it may differ from `target`
  std::optional<torch::Tensor> bias;    // of the output projection, with any shape
};

/// Adds the matrices to the parameters. Those that have the same values become one, as `model.tied_embeddings` then
/// says.
void add_embeddings(const ForeignEmbeddings& embeddings, ForeignModel& model);

/// Copies the weights and biases of these modules. Throws Error if one is missing.
void copy_modules(ForeignTensors& from, const std::vector<ModuleName>& modules, ForeignModel& model);

}  // namespace transformer
