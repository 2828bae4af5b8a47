#pragma once

#include <CLI/CLI.hpp>

namespace transformer {

/// To be called where an exception was caught: logs it as one sentence, without a stack trace, and returns the
/// program's exit status: 2 where the call or the config is wrong, 1 where the work failed, 0 for --help and --version.
int report_current_exception(const CLI::App& app, int argc, char** argv);

}  // namespace transformer
