#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace transformer {

/// The server's paths, their parameters and answers, as OpenAPI 3.1 describes them.
Json api_description(const std::vector<std::string>& model_names, const std::string& version);

}  // namespace transformer
