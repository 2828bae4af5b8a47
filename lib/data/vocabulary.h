#pragma once

#include <cstdint>
#include <string>

#include "base/status_line.h"
#include "data/data_config.h"
#include "data/prepared_files.h"
#include "text/tokenizers.h"

namespace transformer {

/// A vocabulary to use instead of learning one.
struct GivenVocabulary {
  std::string model_bytes;  // of a SentencePiece model
  std::string path;         // the file they are from
};

using GivenVocabularies = SourceAndTarget<GivenVocabulary>;

/// The tokenizers of given vocabularies. Throws Error as Tokenizer does.
Tokenizers make_tokenizers(const GivenVocabularies& vocabularies);

/// Logs the files and the sizes of given vocabularies; `tokenizers` are those that make_tokenizers() returns for them.
void log_given_vocabularies(const GivenVocabularies& vocabularies, const Tokenizers& tokenizers);

/// Learns a vocabulary that both sides share from the training text, of each file at most so many lines. Throws Error
/// as Tokenizer::learn does, and UsageError if `data.whole_target_words` is set and the target text has more than 1,000
/// distinct words.
Tokenizers learn_vocabulary(const DataConfig& config, StatusLine& status, int64_t max_lines_of_file = INT64_MAX);

/// Writes the models of the vocabularies and the lists of their pieces; removes those of the source if both sides share
/// a vocabulary. Throws Error if a file cannot be written.
void write_vocabularies(const PreparedFiles& files, const Tokenizers& tokenizers);

/// The tokenizers of the vocabularies that were written. Throws Error if a file is missing or damaged.
Tokenizers load_tokenizers(const PreparedFiles& files);

}  // namespace transformer
