#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transformer {

/// Writes the text of --help as CLI11 does, but for the usage, which has the options that are required, and for each
/// option, whose range, default and relation to other options follow its description.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace transformer
