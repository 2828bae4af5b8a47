#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/json.h"
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

/// The translation with its scores and pieces, as the format `jsonl` has it: with the terms that it lacks, if there are
/// any `terms`, and, if they are set, with its alignment, its words and their alignment.
Json json_of(const Translation& translation, const std::vector<Term>& terms, const TranslationFormat& format,
             bool alignment);

}  // namespace transformer
