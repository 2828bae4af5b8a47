#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inference/loaded_model.h"

namespace transformer {

/// What is unusual about a text of a request, of which TranslationSummary warns for a whole input: it lacks the tag of
/// the training text's lines, and none is put before it; it is split into subwords already, or has a tab.
std::vector<std::string> remarks_on(const std::string& text, const LoadedEnsemble& models,
                                    const std::optional<std::string>& tag);

}  // namespace transformer
