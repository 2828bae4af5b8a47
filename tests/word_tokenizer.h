#pragma once

#include "base/atomic_file.h"
#include "data/tokenizer.h"
#include "temporary_directory.h"

namespace transformer {

/// A tokenizer of 40 pieces that was learned from a few words.
inline Tokenizer word_tokenizer() {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", "the cat sat on the mat\nein Hund saß auf der Matte\n");
  return {Tokenizer::learn({directory / "text"}, {.size = 40, .character_coverage = 1.0}), "v"};
}

}  // namespace transformer
