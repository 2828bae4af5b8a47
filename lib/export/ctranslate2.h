#pragma once

#include <string>

#include "base/fields.h"
#include "data/tokenizer.h"
#include "model/transformer.h"

namespace transformer {

/// The type of the exported matrices: fp32, or 8-bit integers with a scale for each row.
enum class Quantization { float32, int8 };

template <>
struct EnumNames<Quantization> {
  static constexpr std::array names = {"float32", "int8"};
};

/// The files of a directory that CTranslate2 loads: `model.bin` contains the parameters, `config.json` the names of the
/// symbols, `shared_vocabulary.json` the pieces in the order of their ids. `sentencepiece.model` converts text to
/// pieces and back, which CTranslate2 leaves to its caller.
struct CTranslate2Files {
  explicit CTranslate2Files(const std::string& directory);

  std::string parameters, config, vocabulary, pieces;
};

/// Writes each file atomically. Throws Error, before it writes anything, if CTranslate2 does not support this network.
void export_ctranslate2(const Transformer& network, const Tokenizer& tokenizer, Quantization quantization,
                        const std::string& directory);

}  // namespace transformer
