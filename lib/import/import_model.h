#pragma once

#include <optional>
#include <string>

namespace transformer {

/// Writes a model file from a model of another program or from a directory that `export` wrote. What `path` is, is
/// recognized by its content: a directory in the safetensors format of this program; a directory of MarianMT models of
/// Hugging Face; a model of Marian; a model of CTranslate2, also as a package of argos-translate; or a checkpoint of
/// fairseq, OpenNMT-py or eole. Throws Error if it is none of these, if this program has no network that computes the
/// model, or if its parts do not fit together; UsageError if `output` is no place for a model file
/// (check_model_output).
///
/// With `check_text`, the path of a text, returns how the model's own program is asked for translations of it, and how
/// they compare with those of the model file, if `python3` has that program; otherwise "".
std::string import_model(const std::string& path, const std::string& output,
                         const std::optional<std::string>& check_text = {});

}  // namespace transformer
