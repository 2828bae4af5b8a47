#pragma once

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/line_reader.h"

namespace transformer {

/// The first group of each match of `pattern`.
inline std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

inline std::vector<std::string> in_backticks(const std::string& text) { return matches(text, "`([^`]+)`"); }

/// README.md, CONTRIBUTING.md and every page of docs/.
inline std::vector<std::filesystem::path> pages() {
  const std::filesystem::path repository = TRANSFORMER_SOURCE_DIR;
  std::vector<std::filesystem::path> found = {repository / "README.md", repository / "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(repository / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

/// The page's lines, those of code blocks left out.
inline std::vector<std::string> prose(const std::filesystem::path& page) {
  std::vector<std::string> lines;
  bool code = false;
  for (const auto& line : read_lines(page)) {
    if (line.starts_with("```")) code = !code;
    if (!code) lines.push_back(line);
  }
  return lines;
}

/// "| a | b |" is {"a", "b"}; nothing for what is not a table's row.
inline std::vector<std::string> cells(const std::string& line) {
  if (!line.starts_with("|")) return {};
  return matches(line, "\\| *([^|]*[^| ]|) *(?=\\|)");
}

}  // namespace transformer
