#pragma once

#include <string>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "config/config.h"
#include "model/model_file.h"
#include "tiny_model.h"
#include "word_tokenizer.h"

namespace transformer {

/// A directory with the file "model.pt": an untrained model whose vocabulary knows the words of `kTinyText`.
inline const std::string kTinyText = "the cat sat on the mat\nein Hund saß auf der Matte\n";

class TinyModelFile {
 public:
  TinyModelFile() {
    write("text", kTinyText);
    write_model("model.pt", 40);
  }

  /// Writes a model file whose vocabulary has this many pieces.
  void write_model(const std::string& name, int64_t vocabulary_size) const {
    Config config;
    config.model = tiny_config();
    config.decoding.max_extra_tokens = 8;
    const Tokenizer tokenizer = tokenizer_of(kTinyText, vocabulary_size);
    const auto network = tiny_model(config.model, tokenizer.size());
    save_model(directory / name, {dump_config(config), {tokenizer.model_bytes()}, copy_parameters(*network)});
  }
  void write(const std::string& name, const std::string& text) const { write_file_atomically(directory / name, text); }
  std::string operator/(const std::string& name) const { return directory / name; }

  TemporaryDirectory directory;
};

}  // namespace transformer
