#include "command_line/help_formatter.h"

#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "command_line/command_description.h"

namespace transformer {
namespace {

/// Appends "RELATION OPTION" for each option.
void add_related(const std::set<CLI::Option*>& options, const char* relation, std::vector<std::string>& remarks) {
  for (const CLI::Option* option : options) remarks.push_back(fmt::format("{} {}", relation, option->get_name()));
}

}  // namespace

std::string HelpFormatter::make_usage(const CLI::App* app, std::string /*name*/) const {
  return "Usage: " + synopsis(describe_command(*app)) + "\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const OptionDescription description = describe_option(*option);
  if (description.value_name.empty()) return "";
  return " " + description.value_name + (description.takes_list ? " ..." : "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  const OptionDescription description = describe_option(*option);
  std::vector<std::string> remarks;
  if (description.required) remarks.emplace_back("required");
  if (!description.range.empty()) remarks.push_back(description.range);
  if (!description.default_value.empty()) remarks.push_back("default: " + description.default_value);
  if (description.repeatable && !description.takes_list) remarks.emplace_back("may be repeated");
  add_related(option->get_needs(), "only with", remarks);
  add_related(option->get_excludes(), "not with", remarks);
  return description.help + (remarks.empty() ? "" : fmt::format(" ({})", fmt::join(remarks, "; ")));
}

}  // namespace transformer
