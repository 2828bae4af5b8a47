#pragma once

#include <string>
#include <vector>

#include "decoding/decoding_config.h"
#include "model/model_config.h"

namespace transformer {

/// What the config in a model file says about the model and its search.
struct InferenceConfig {
  ModelConfig model;
  DecodingConfig decoding;
  std::vector<std::string> tags = {};  // data.train.tag: of the training corpora, "" for none; empty: none has one
};

/// Reads the sections `model` and `decoding` of a model file's config, as YAML, and the tags of its training text;
/// `path` is the file in messages, `program` the one that wrote it, empty if it is not known. Other keys do not matter,
/// so that they may be those of any version of this program. A key of `decoding` that this version does not know, or
/// whose value it does not accept, is ignored with a warning: the model is the same, but its search lacks that setting.
/// Throws DamagedFile if the text is not YAML, if `model` has an unknown key, which may be about the architecture, or a
/// value of another type or out of range, and if the values are no architecture.
InferenceConfig read_inference_config(const std::string& yaml, const std::string& path,
                                      const std::string& program = "");

/// The section `model` alone, for what does not search; throws as read_inference_config does.
ModelConfig read_model_config(const std::string& yaml, const std::string& path, const std::string& program = "");

}  // namespace transformer
