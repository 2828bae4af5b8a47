#pragma once

#include <optional>
#include <string>

#include "base/directory_lock.h"
#include "config/config.h"
#include "data/prepare.h"
#include "text/source_and_target.h"

namespace transformer {

/// The model file that `training.init_from` names, which may be a run directory (find_model); empty without that key.
/// A command calls it once and passes the file on, because a run that is still training writes newer checkpoints.
/// Throws Error if the file is missing.
std::string find_initial_model(const Config& config, const std::string& config_file);

/// The vocabularies that the config names: those in `data.vocabulary`, or those of `initial_model`
/// (find_initial_model); null if one is to be learned. Throws Error if a file is missing or damaged.
std::optional<GivenVocabularies> find_vocabularies(const Config& config, const std::string& initial_model,
                                                   const std::string& config_file);

/// `prepare` with these vocabularies (find_vocabularies). Throws Error as both functions do.
DirectoryLock prepare_data(const Config& config, const std::string& initial_model, int num_threads,
                           const std::string& config_file, OtherCorpus other_corpus = OtherCorpus::replace,
                           CorpusOrigin origin = CorpusOrigin::text);

/// Checks, before hours of preparation, that training can start with `initial_model` (find_initial_model), unless it is
/// empty. Throws Error if the file is damaged, or has another architecture or vocabulary than the config.
void check_initial_model(const Config& config, const std::string& initial_model, const std::string& config_file);

/// Throws UsageError if the config asks for random segmentations (`data.sampling_alpha`) and names a vocabulary that
/// has none, and Error if a file with a vocabulary is missing or damaged.
void check_can_sample(const Config& config, const std::string& initial_model, const ConfigSource& source);

/// The sizes of the vocabularies that `data.vocabulary` or `training.init_from` names, or `data.vocabulary_size` if the
/// config names none or, with a warning, if a file that it names is missing or no model.
/// Throws Error if a file is damaged.
VocabularySizes vocabulary_sizes(const Config& config);

}  // namespace transformer
