#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "decoding/translator.h"

namespace transformer {

enum class OutputFormat { text, nbest, jsonl };

template <>
struct EnumNames<OutputFormat> {
  static constexpr std::array names = {"text", "nbest", "jsonl"};
};

/// How `translate` writes what it found.
struct TranslationFormat {
  OutputFormat kind = OutputFormat::text;
  bool scores = false, word_scores = false;  // of text and nbest; jsonl has both
  bool alignment = false;

  /// The output lines for input line `number`, from 1: one, or with `nbest` one for each translation.
  std::vector<std::string> lines(int64_t number, const std::vector<Translation>& translations) const;
};

}  // namespace transformer
