#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/line_reader.h"
#include "base/read_file.h"
#include "catch.h"
#include "config/config.h"
#include "docs/pages.h"
#include "repository.h"
#include "run/resume_rules.h"
#include "settings/foreign_names.h"

namespace transformer {
namespace {

/// The anchor that GitHub gives a heading: "Table 3, row `E`" is "table-3-row-e".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '_' || c == '-' || byte >= 0x80) anchor += static_cast<char>(std::tolower(byte));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors(const std::filesystem::path& page) {
  std::set<std::string> found;
  for (const auto& line : prose(page)) {
    if (line.starts_with("#")) found.insert(anchor_of(line.substr(line.find(' ') + 1)));
  }
  return found;
}

/// The files that "lib/model/masks" stands for: itself, or the header and the source of that name.
std::vector<std::filesystem::path> files_called(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const char* extension : {"", ".h", ".cpp"}) {
    const auto path = kRepository / (name + extension);
    if (std::filesystem::is_regular_file(path)) files.push_back(path);
  }
  return files;
}

/// Whether the C++ line, its comment left out, declares or defines the function or class; a mere call does not count.
bool declares(const std::string& line, const std::string& name) {
  const std::string code = line.substr(0, line.find("//"));
  if (code.find(name) == std::string::npos) return false;  // std::regex is slow
  const std::regex declaration("^ *(?!return )(?:[\\w:<>,&* ]*[\\w>&*] +)" + name + "\\(.*|^ *(?:class|struct) " +
                               name + "\\b.*");
  return std::regex_match(code, declaration);
}

/// Whether one of the files has the name: a function, a class, or a key of YAML.
bool stands_in(const std::string& name, const std::vector<std::filesystem::path>& files) {
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    const auto lines = read_lines(file);
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      if (file.extension() == ".yaml") return std::regex_match(line, std::regex(" *" + name + ":.*"));
      return declares(line, name);
    });
  });
}

}  // namespace

TEST_CASE("walkthrough names functions that stand in the files it names") {
  const std::regex step("(\\d+)\\. `([^`]+)` \\(`([^`]+)`\\).*");
  int number = 0;
  for (const auto& line : prose(kRepository / "docs/walkthrough.md")) {
    if (!std::regex_search(line, std::regex("^\\d+\\. "))) continue;
    INFO("docs/walkthrough.md: " << line);
    std::smatch parts;
    REQUIRE(std::regex_match(line, parts, step));
    CHECK(std::stoi(parts[1]) == ++number);
    const auto files = files_called(parts[3]);
    CHECK_FALSE(files.empty());
    CHECK(stands_in(parts[2], files));
  }
  CHECK(number >= 50);
}

TEST_CASE("paper map names functions and classes that stand in the files it names") {
  int names = 0, files = 0;
  for (const auto& line : prose(kRepository / "docs/paper_map.md")) {
    const auto row = cells(line);
    if (row.size() != 3) continue;
    INFO("docs/paper_map.md: " << line);
    for (const auto& file : in_backticks(row[2])) {
      INFO(file);
      CHECK_FALSE(files_called(file).empty());
      ++files;
      for (const auto& name : in_backticks(row[1])) {
        INFO(name);
        CHECK(stands_in(name, files_called(file)));
        ++names;
      }
    }
  }
  CHECK(names >= 35);
  CHECK(files >= 55);
}

TEST_CASE("documents link to files that exist, and name paths that exist") {
  const std::regex path("(?:apps|cmake|configs|data/sample|lib|scripts|tests)/[\\w./-]+");
  int links = 0, paths = 0;
  for (const auto& page : pages()) {
    for (const auto& line : prose(page)) {
      INFO(page << ": " << line);
      for (const auto& target : matches(line, "\\]\\(([^)#]+)(?:#[^)]*)?\\)")) {
        if (target.find("://") != std::string::npos) continue;
        INFO(target);
        CHECK(std::filesystem::exists(page.parent_path() / target));
        ++links;
      }
      for (const auto& name : in_backticks(line)) {
        if (!std::regex_match(name, path)) continue;
        INFO(name);
        CHECK((std::filesystem::exists(kRepository / name) || !files_called(name).empty()));
        ++paths;
      }
    }
  }
  CHECK(links >= 10);
  CHECK(paths >= 100);
}

TEST_CASE("links to headings of documents name headings that exist") {
  int links = 0;
  for (const auto& page : pages()) {
    for (const auto& line : prose(page)) {
      for (const auto& target : matches(line, "\\]\\(([^):]*#[^)]+)\\)")) {
        const auto hash = target.find('#');
        const auto linked = hash == 0 ? page : page.parent_path() / target.substr(0, hash);
        INFO(page << ": " << target);
        CHECK(anchors(linked).contains(target.substr(hash + 1)));
        ++links;
      }
    }
  }
  CHECK(links >= 10);
}

TEST_CASE("README and the site link to every page of docs") {
  const auto readme = read_file(kRepository / "README.md"), site = read_file(kRepository / "scripts/mkdocs.yml");
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "docs")) {
    if (entry.path().extension() != ".md") continue;
    INFO(entry.path());
    CHECK(readme.find("](docs/" + entry.path().filename().string() + ")") != std::string::npos);
    CHECK(site.find(": " + entry.path().filename().string() + "\n") != std::string::npos);
  }
}

TEST_CASE("configuration page has every key with its type, range and default, and no other key") {
  std::map<std::string, std::pair<std::string, std::string>> documented;  // what is accepted, and the default
  for (const auto& line : prose(kRepository / "docs/configuration.md")) {
    const auto row = cells(line);
    if (row.size() != 4 || !row[0].starts_with("`")) continue;
    const auto key = in_backticks(row[0]), value = in_backticks(row[2]);
    INFO(line);
    REQUIRE(key.size() == 1);
    REQUIRE(value.size() == 1);
    CHECK(documented.emplace(key[0], std::pair(row[1], value[0])).second);
  }
  const auto keys = config_values(Config());
  for (const KeyValue& key : keys) {
    INFO(key.name);
    REQUIRE(documented.contains(key.name));
    CHECK(documented.at(key.name) == std::pair(accepted_values(key), value_text(key.value)));
  }
  CHECK(documented.size() == keys.size());
}

TEST_CASE("configuration page lists the keys that may change when a run is resumed, and no other key") {
  std::set<std::string> documented;
  bool is_section = false;
  for (const auto& line : prose(kRepository / "docs/configuration.md")) {
    if (line.starts_with("## ")) is_section = line == "## What may change when a run is resumed";
    if (!is_section) continue;
    for (const auto& code : in_backticks(line)) {
      if (std::regex_match(code, std::regex("[a-z]+(?:\\.[a-z0-9_]+)+"))) documented.insert(code);
    }
  }
  const auto keys = keys_that_may_change(TrainingConfig());
  CHECK(documented == std::set<std::string>(keys.begin(), keys.end()));
}

TEST_CASE("page for users of other toolkits has each of their names beside what the program suggests") {
  const auto without_separators = [](std::string text) {
    std::erase_if(text, [](char c) { return c == '-' || c == '_'; });
    return text;
  };
  std::vector<std::set<std::string>> lines;  // the words in code of each line
  for (const auto& line : prose(kRepository / "docs/coming_from.md")) {
    std::set<std::string> words;
    for (const auto& code : in_backticks(line)) {
      for (const auto& word : matches(code, "([\\w-]+)")) words.insert(without_separators(word));
    }
    lines.push_back(words);
  }
  std::vector<ForeignName> names = foreign_names();
  names.insert(names.end(), foreign_options().begin(), foreign_options().end());
  for (const ForeignName& foreign : names) {
    if (foreign.toolkits.empty()) continue;
    const std::string name = without_separators(foreign.name);
    const std::string key = without_separators(foreign.key.substr(foreign.key.rfind('.') + 1));
    INFO(foreign.name << " is " << foreign.key);
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [&](const auto& words) { return words.contains(name) && words.contains(key); }));
  }
}

TEST_CASE("deviations that the sources refer to are explained") {
  const std::string explained = read_file(kRepository / "docs/deviations.md");
  int references = 0;
  std::set<std::string> referred_to;
  for (const char* folder : {"apps", "configs", "docs", "lib"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRepository / folder)) {
      if (!entry.is_regular_file()) continue;
      for (const auto& number : matches(read_file(entry.path()), "(?:Deviation |see |\\()D(\\d+)\\b")) {
        INFO(entry.path() << ": D" << number);
        CHECK(explained.find("\n## D" + number + ". ") != std::string::npos);
        ++references;
        if (folder != std::string("docs")) referred_to.insert(number);
      }
    }
  }
  CHECK(references >= 20);
  for (const auto& number : matches(explained, "\n## D(\\d+)\\. ")) {
    INFO("D" << number << " has no pointer from the code");
    CHECK(referred_to.contains(number));
  }
}

TEST_CASE("the wheel requires the torch that the build is made with") {
  const std::string version = read_file(kRepository / "cmake/torch_version.txt");
  const std::string minor = version.substr(0, version.rfind('.'));
  CHECK_THAT(read_file(kRepository / "pyproject.toml"), Catch::Contains("\"torch==" + minor + ".*\""));
}

}  // namespace transformer
