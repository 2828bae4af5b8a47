#pragma once

#include <optional>
#include <string>

#include "base/directory_lock.h"
#include "data/data_config.h"
#include "data/vocabulary.h"

namespace transformer {

/// What to do with a corpus in `config.prepared` that was made of other text or with other settings.
enum class OtherCorpus { replace, refuse };

/// Learns a shared vocabulary from the text, unless vocabularies are given, and encodes the text into a binary corpus
/// (§5.1) in `config.prepared`. Does nothing if the manifest there shows that the files were made from the same inputs
/// with the same settings. A process uses the files while it holds the shared lock on the directory that the function
/// returns.
///
/// Throws Error if a text is missing (the message says whether it exists relative to the directory of `config_file` or
/// to one above it, where the program was perhaps meant to run), is no regular file, or cannot be used (`check_text`);
/// if a given vocabulary cannot be used or the text is too short for the vocabulary to learn; if more than
/// `config.max_dropped` of a corpus's pairs are dropped, also if the files are up to date; if the files must be made
/// again while another process uses them; and if they cannot be written. Throws UsageError if the config names no text,
/// if the directory has files of these names without a manifest, if a tag has a character that the vocabulary lacks,
/// and if too many words are to become pieces. Files that are there already are kept if the text or the vocabulary
/// cannot be used or too many pairs are dropped.
///
/// If the prepared files are up to date, the training text need not exist any more; the validation text must. With
/// OtherCorpus::refuse, throws Error instead of replacing a corpus that was made of other training text or with other
/// settings.
DirectoryLock prepare(const DataConfig& config, int num_threads,
                      const std::optional<GivenVocabularies>& vocabularies = std::nullopt,
                      const std::string& config_file = "", OtherCorpus other_corpus = OtherCorpus::replace);

}  // namespace transformer
