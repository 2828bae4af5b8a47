#pragma once

#include <string>

#include "base/fields.h"
#include "data/tokenizer.h"
#include "model/transformer.h"

namespace transformer {

/// How CTranslate2 is given the matrices: as they are, or in 8 bits with a scale for each row.
enum class Quantization { float32, int8 };

template <>
struct EnumNames<Quantization> {
  static constexpr std::array names = {"float32", "int8"};
};

/// A model as CTranslate2 loads it, as a directory: `model.bin` holds the parameters, `config.json` the symbols' names,
/// `shared_vocabulary.json` the pieces in the order of their ids. `sentencepiece.model`, which CTranslate2 leaves to
/// its caller, makes text into pieces and back.
struct CTranslate2Files {
  explicit CTranslate2Files(const std::string& directory);

  std::string parameters, config, vocabulary, pieces;
};

/// Writes each file atomically. Throws Error, before it writes anything, where CTranslate2 cannot compute this network.
void export_ctranslate2(const Transformer& network, const Tokenizer& tokenizer, Quantization quantization,
                        const std::string& directory);

}  // namespace transformer
