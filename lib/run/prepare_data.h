#pragma once

#include <string>

#include "base/directory_lock.h"
#include "config/config.h"

namespace transformer {

/// `prepare`, with the vocabularies that the config names: those in `data.vocabulary`, or those of the model in
/// `training.init_from`.
DirectoryLock prepare_data(const Config& config, int num_threads, const std::string& config_file);

}  // namespace transformer
