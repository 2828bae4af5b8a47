#pragma once

#include <optional>
#include <string>

#include "base/directory_lock.h"
#include "data/data_config.h"
#include "data/join_shards.h"
#include "data/vocabulary.h"

namespace transformer {

/// Where the pieces of the training corpus are from: the text is encoded, or shards of it that were encoded before are
/// joined, which gives the same files.
enum class CorpusOrigin { text, shards };

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
/// settings. With CorpusOrigin::shards, throws Error if the shards are incomplete or do not fit (EncodedShards), and
/// removes them at the end.
DirectoryLock prepare(const DataConfig& config, int num_threads,
                      const std::optional<GivenVocabularies>& vocabularies = std::nullopt,
                      const std::string& config_file = "", OtherCorpus other_corpus = OtherCorpus::replace,
                      CorpusOrigin origin = CorpusOrigin::text);

/// Encodes one shard of the training text for `prepare` with CorpusOrigin::shards, and writes it into
/// `config.prepared`, unless it is there already. Several processes, on several machines that share the directory, may
/// each encode one. A vocabulary that must be learned is that of another shard, if there is one yet; otherwise each
/// process learns it, always the same. Throws as `prepare` does.
void encode_shard(const DataConfig& config, int num_threads, const std::optional<GivenVocabularies>& vocabularies,
                  const std::string& config_file, const ShardNumber& shard);

}  // namespace transformer
