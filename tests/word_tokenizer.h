#pragma once

#include <cstdint>
#include <string>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "text/tokenizer.h"

namespace transformer {

/// A tokenizer of `size` pieces that was learned from the text.
inline Tokenizer tokenizer_of(const std::string& text, int64_t size) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", text);
  return {Tokenizer::learn({directory / "text"}, {.size = size, .character_coverage = 1.0}), "v"};
}

/// A tokenizer of 40 pieces that was learned from a few words.
inline Tokenizer word_tokenizer() {
  return tokenizer_of("the cat sat on the mat\nein Hund saß auf der Matte\n", /*size=*/40);
}

}  // namespace transformer
