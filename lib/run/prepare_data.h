#pragma once

#include <string>

#include "base/directory_lock.h"
#include "config/config.h"
#include "data/prepare.h"
#include "text/source_and_target.h"

namespace transformer {

/// `prepare`, with the vocabularies that the config names: those in `data.vocabulary`, or those of the model in
/// `training.init_from`, which may be a run directory (find_model). Throws Error as `prepare` does, and if a file with
/// a vocabulary is missing or damaged.
DirectoryLock prepare_data(const Config& config, int num_threads, const std::string& config_file,
                           OtherCorpus other_corpus = OtherCorpus::replace);

/// Checks, before hours of preparation, that training can start with the model in `training.init_from`, if there is
/// one. Throws Error if its file is missing or damaged, or has another architecture or vocabulary than the config.
void check_initial_model(const Config& config, const std::string& config_file);

/// The sizes of the vocabularies that `data.vocabulary` or `training.init_from` names, or `data.vocabulary_size` if the
/// config names none or, with a warning, if a file that it names is missing or no model.
/// Throws Error if a file is damaged.
VocabularySizes vocabulary_sizes(const Config& config);

}  // namespace transformer
