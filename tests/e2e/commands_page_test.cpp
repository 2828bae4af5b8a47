#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/line_reader.h"
#include "base/read_file.h"
#include "catch.h"
#include "docs/pages.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

const std::filesystem::path kCommandsPage = kRepository / "docs/commands.md";

/// Names of options, such as "--output" and "-o", and of arguments.
using Options = std::set<std::string>;

/// Adds the options and arguments of a command, whose words these are, and of the commands below it from its help text.
void add_options(const Workplace& place, const std::vector<std::string>& words,
                 std::map<std::string, Options>& commands) {
  std::string name, section;
  for (const auto& word : words) name += (name.empty() ? "" : " ") + word;
  for (const auto& line : lines_of(only_output_of(place.run(with({"help"}, words))))) {
    if (!line.starts_with(' ')) section = line;
    const auto terms = matches(line, "^  ([^ ]+)");
    if (terms.empty() || section == "Example:") continue;
    const std::string& term = terms.front();
    if (section == "Commands:") {
      add_options(place, with(words, {term}), commands);
    } else if (!words.empty()) {  // of the program itself, only the commands
      for (const auto& option : matches(term, "([^,]+)")) commands[name].insert(option);
    }
  }
}

/// The options and arguments of each command, such as "trees restore".
const std::map<std::string, Options>& options_of_commands() {
  static const std::map<std::string, Options> commands = [] {
    const Workplace place;
    std::map<std::string, Options> found;
    add_options(place, {}, found);
    return found;
  }();
  return commands;
}

/// "trees" for "trees restore".
std::string first_word(const std::string& command) { return command.substr(0, command.find(' ')); }

/// The lines of prose below each heading "## command" of the page.
std::map<std::string, std::vector<std::string>> sections_of_commands() {
  std::map<std::string, std::vector<std::string>> sections;
  std::string command;
  for (const auto& line : prose(kCommandsPage)) {
    if (line.starts_with("## ")) command = line.substr(3);
    if (!command.empty()) sections[command].push_back(line);
  }
  return sections;
}

/// The words in code: "--input", "FILE" and "-o" in "`--input FILE`, `-o`".
std::set<std::string> words_in_code(const std::string& text) {
  std::set<std::string> words;
  for (const auto& code : in_backticks(text)) {
    for (const auto& word : matches(code, "([^ ,]+)")) words.insert(word);
  }
  return words;
}

/// The commands that a line of a shell calls, with all that follows them, such as "train --config FILE".
std::vector<std::string> calls_in(const std::string& line) {
  if (!std::regex_search(line, std::regex("^ *(?:\\$ )?transformer [a-z]"))) return {};
  return matches(line, "\\btransformer ([a-z][^|]*)");
}

/// The page's lines, where one that ends in a backslash goes on in the next.
std::vector<std::string> joined_lines(const std::filesystem::path& page) {
  std::vector<std::string> lines;
  bool goes_on = false;
  for (const auto& line : read_lines(page)) {
    if (goes_on) {
      lines.back().back() = ' ';
      lines.back() += line;
    } else {
      lines.push_back(line);
    }
    goes_on = lines.back().ends_with('\\');
  }
  return lines;
}

}  // namespace

TEST_CASE("commands page has a section for each command, with its options and arguments and no others") {
  const auto& commands = options_of_commands();
  const auto sections = sections_of_commands();
  std::map<std::string, Options> documented, existing;
  for (const auto& [command, lines] : sections) {
    for (const auto& line : lines) documented[command].merge(words_in_code(line));
  }
  int names = 0;
  for (const auto& [command, options] : commands) {
    INFO("transformer " << command);
    existing[first_word(command)].insert(options.begin(), options.end());
    REQUIRE(documented.contains(first_word(command)));
    const auto& words = documented.at(first_word(command));
    if (command != first_word(command)) CHECK(words.contains(command.substr(command.find(' ') + 1)));
    for (const auto& name : options) {
      INFO(name);
      if (name == "-h" || name == "--help") continue;
      CHECK((words.contains(name) || words.contains("--" + name)));  // an argument may stand for an option
      ++names;
    }
  }
  CHECK(names >= 100);
  CHECK(documented.size() == existing.size());
  for (const auto& [command, lines] : sections) {
    for (const auto& line : lines) {
      const auto row = cells(line);
      if (row.empty()) continue;
      INFO("transformer " << command << ": " << line);
      for (const auto& word : words_in_code(row.front())) {
        if (word.starts_with("--")) CHECK(existing.at(command).contains(word));
      }
    }
  }
}

TEST_CASE("commands page names the commands that have a common option") {
  const auto& commands = options_of_commands();
  int options = 0;
  for (const auto& line : prose(kCommandsPage)) {
    if (line.starts_with("## ")) break;
    const auto row = cells(line);
    if (row.size() != 3 || !row.front().starts_with("`")) continue;
    const auto named = matches(row[1], "([a-z][a-z -]*)");
    const std::string option = matches(row.front(), "(--[a-z]+)").at(0);
    for (const auto& [command, its_options] : commands) {
      INFO("transformer " << command << ": " << option);
      const bool is_named = std::any_of(named.begin(), named.end(), [&](const std::string& name) {
        return command == name || command.starts_with(name + " ");
      });
      const bool has_commands = its_options == Options{"-h", "--help"};
      if (!has_commands) CHECK(its_options.contains(option) == is_named);
    }
    ++options;
  }
  CHECK(options >= 7);
}

TEST_CASE("commands in documents have options that their command has") {
  const auto& commands = options_of_commands();
  int options = 0;
  for (const auto& page : pages()) {
    for (const auto& line : joined_lines(page)) {
      for (const auto& call : calls_in(line)) {
        INFO(page << ": transformer " << call);
        const auto words = matches(call, "([^ ]+)");
        const std::string two_words = words.size() < 2 ? "" : words[0] + " " + words[1];
        const std::string command = commands.contains(two_words) ? two_words : words[0];
        REQUIRE(commands.contains(command));
        for (const auto& option : matches(call, " (--[a-z][a-z0-9-]*)")) {
          CHECK(commands.at(command).contains(option));
          ++options;
        }
      }
    }
  }
  CHECK(options >= 50);
}

TEST_CASE("every option occurs in the program's tests") {
  std::string tests;
  for (const auto& file : std::filesystem::directory_iterator(kRepository / "tests/e2e")) {
    const bool is_test = file.path().extension() == ".cpp" && file.path().filename() != "commands_page_test.cpp";
    if (is_test) tests += read_file(file.path());
  }
  const auto used = matches(tests, "(--[a-z][a-z0-9-]*)");
  const Options options(used.begin(), used.end());
  for (const auto& [command, its_options] : options_of_commands()) {
    for (const auto& option : its_options) {
      INFO("transformer " << command << " " << option);
      if (option.starts_with("--")) CHECK(options.contains(option));
    }
  }
}

}  // namespace transformer
