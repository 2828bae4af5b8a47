#pragma once

#include <string>

#include "workplace.h"

namespace transformer {

/// Whether there is Chromium or Chrome; warns if not.
bool has_browser();

/// The document at the address, 1,280 pixels wide, after its scripts have run and their requests were answered. The
/// shell expands the address; `options` are further ones of Chromium.
std::string document_in_browser(const Workplace& place, const std::string& address, const std::string& options = "");

}  // namespace transformer
