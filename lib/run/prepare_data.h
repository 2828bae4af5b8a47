#pragma once

#include <string>

#include "base/directory_lock.h"
#include "config/config.h"

namespace transformer {

/// `prepare`, with the vocabulary that the config names: `data.vocabulary`, or the one of the model in
/// `training.init_from`.
DirectoryLock prepare_data(const Config& config, int num_threads, const std::string& config_file);

}  // namespace transformer
