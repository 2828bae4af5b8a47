#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transformer {

/// Writes the text of --help. Unlike CLI11's, the usage has the required options, and the range, the default and the
/// relations of an option to others follow its description.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace transformer
