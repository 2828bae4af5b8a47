#pragma once

#include <CLI/CLI.hpp>

namespace transformer {

/// Logs the exception that is being handled as one sentence and returns the program's exit status. Call it in a catch
/// block.
int report_current_exception(const CLI::App& app);

}  // namespace transformer
