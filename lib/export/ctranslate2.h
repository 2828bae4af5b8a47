#pragma once

#include <string>

#include "base/enum_names.h"
#include "model/transformer.h"
#include "text/tokenizers.h"

namespace transformer {

/// The type of the exported matrices: fp32, or 8-bit integers with a scale for each row.
enum class Quantization { float32, int8 };

template <>
struct EnumNames<Quantization> {
  static constexpr std::array names = {"float32", "int8"};
};

/// The files of a directory that CTranslate2 loads: `model.bin` contains the parameters, `config.json` the names of the
/// symbols, `shared_vocabulary.json` the pieces in the order of their ids. The SentencePiece models convert text to
/// pieces and back, which CTranslate2 leaves to its caller. If the source has a vocabulary of its own, there are
/// `source_vocabulary.json` and `target_vocabulary.json` instead of the shared one. `source.bpe` and `target.bpe` are
/// the BPE codes of subword-nmt, if these divide text instead of SentencePiece.
struct CTranslate2Files {
  explicit CTranslate2Files(const std::string& directory);

  std::string parameters, config;
  std::string shared_vocabulary, source_vocabulary, target_vocabulary;
  std::string source_codes, target_codes;
};

/// Whether `config.json` is one that `export` writes; it always is beside a `model.bin` of `export`.
bool is_export(const CTranslate2Files& files);

/// Writes the files into the directory, which it creates if there is none; after a failure there is no `model.bin`.
/// Returns the paths of the files. Throws Error if CTranslate2 does not support this network, which is found before
/// anything is written, or if a file cannot be written.
std::vector<std::string> export_ctranslate2(const Transformer& network, const Tokenizers& tokenizers,
                                            Quantization quantization, const std::string& directory);

}  // namespace transformer
