#include "command_line/manual_page.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cctype>

namespace transformer {
namespace {

/// Text without roff's special characters. `is_literal`: keep hyphens and quotes as a user types them.
std::string roff(const std::string& text, bool is_literal) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '\'':
        result += is_literal ? "\\(aq" : "'";
        break;
      case '-':
        result += is_literal ? "\\-" : "-";
        break;
      default:
        result += c;
    }
  }
  // A line that begins with a point or a quotation mark would be a request.
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

/// The hyphens of options within a sentence are literal, for example those of "--source-file" in "With --source-file:".
std::string roff_sentence(const std::string& text) {
  std::string result = roff(text, /*is_literal=*/false);
  for (size_t at = result.find("--"); at != std::string::npos; at = result.find("--", at)) {
    for (; at < result.size() && (result[at] == '-' || std::isalnum(static_cast<unsigned char>(result[at])) != 0);
         ++at) {
      if (result[at] == '-') result.insert(at++, 1, '\\');
    }
  }
  return result;
}

/// "\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR".
std::string roff_heading(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name, true));
  }
  if (!option.value_name.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value_name, true));
  return names + (option.takes_list ? " ..." : "");
}

std::string roff_option(const OptionDescription& option) {
  std::string text = fmt::format(".TP\n{}\n{}", roff_heading(option), roff_sentence(option.help));
  if (!text.ends_with('.')) text += ".";
  text += "\n";
  if (option.required) text += "Required.\n";
  if (!option.range.empty()) text += fmt::format("Range: {}.\n", roff_sentence(option.range));
  if (!option.default_value.empty()) text += fmt::format("Default: {}.\n", roff(option.default_value, true));
  return text;
}

std::string roff_synopsis(const CommandDescription& command) {
  return fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", roff(call_of(command.name), true),
                     roff(synopsis(command).substr(call_of(command.name).size()), true));
}

std::string roff_commands(const CommandDescription& command) {
  std::string text;
  for (const CommandDescription& sub_command : command.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}.\n", roff(manual_page_name(sub_command), true),
                        roff_sentence(sub_command.help));
  }
  return text;
}

std::string roff_examples(const CommandDescription& command) {
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : command.examples) text += roff(line, true) + "\n";
  return text + ".fi\n";
}

}  // namespace

std::string manual_page_name(const CommandDescription& command) {
  std::string name = call_of(command.name);
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string manual_page(const CommandDescription& command, const std::string& version) {
  const std::string name = roff(manual_page_name(command), true);
  std::string text = fmt::format(".TH {} 1 \"\" \"transformer {}\" \"User Commands\"\n", name, roff(version, true));
  text += fmt::format(".SH NAME\n{} \\- {}\n", name, roff_sentence(command.help));
  text += roff_synopsis(command);
  if (!command.commands.empty()) text += ".SH COMMANDS\n" + roff_commands(command);
  text += ".SH OPTIONS\n";
  for (const OptionDescription& argument : command.arguments) text += roff_option(argument);
  for (const OptionDescription& option : command.options) text += roff_option(option);
  if (!command.examples.empty()) text += roff_examples(command);
  text +=
      ".SH EXIT STATUS\n0: the command succeeded or was stopped with a checkpoint. 1: the work failed. 2: the call or "
      "the config is wrong, and nothing was started.\n";
  if (!command.name.empty()) text += ".SH SEE ALSO\n\\fBtransformer\\fR(1)\n";
  return text;
}

}  // namespace transformer
