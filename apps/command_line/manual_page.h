#pragma once

#include <string>

#include "command_line/command_description.h"

namespace transformer {

/// The name of the manual page in section 1: "transformer-trees-linearize".
std::string manual_page_name(const CommandDescription& command);

/// The manual page of the program or of one of its commands, for `man`, in roff. `version` is the program's.
std::string manual_page(const CommandDescription& command, const std::string& version);

}  // namespace transformer
