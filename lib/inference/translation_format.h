#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "inference/translation.h"

namespace transformer {

enum class OutputFormat { text, nbest, jsonl, document };

template <>
struct EnumNames<OutputFormat> {
  static constexpr std::array names = {"text", "nbest", "jsonl", "document"};
};

/// How translations are written: as plain text, as Moses' n-best lists ("0 ||| translation ||| score"), as a JSON
/// object for each input line, or as the document that the input is, with translated segments.
struct TranslationFormat {
  OutputFormat kind = OutputFormat::text;
  bool scores = false;       // for text; nbest and jsonl always have them
  bool word_scores = false;  // of tokens, for text and nbest; jsonl always has them
  bool word_alignment = false;
  bool words = false;  // the words and their probabilities

  /// Not for documents: the output for input line `number`, which counts from 1: one line, or with `nbest` one line for
  /// each translation; with the translations' alignments, if `alignment` is set, and those of words, if
  /// `word_alignment` is set.
  std::vector<std::string> lines(int64_t number, const TranslatedLine& translated, bool alignment) const;
};

}  // namespace transformer
