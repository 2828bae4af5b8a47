#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/line_reader.h"
#include "catch.h"
#include "repository.h"

namespace transformer {
namespace {

/// One folder includes a header of another.
using Edge = std::pair<std::string, std::string>;
using Edges = std::set<Edge>;

/// "apps", and the folders of lib/.
std::set<std::string> folders() {
  std::set<std::string> names = {"apps"};
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "lib")) {
    if (entry.is_directory()) names.insert(entry.path().filename());
  }
  return names;
}

bool is_source(const std::filesystem::path& file) {
  return file.extension() == ".h" || file.extension() == ".cpp" || file.extension() == ".cu";
}

/// The folders that the file includes headers of.
std::set<std::string> included_folders(const std::filesystem::path& file) {
  const std::string prefix = "#include \"";
  std::set<std::string> names;
  for (const std::string& line : read_lines(file)) {
    if (!line.starts_with(prefix)) continue;
    const std::string header = line.substr(prefix.size());
    if (header.find('/') != std::string::npos) names.insert(header.substr(0, header.find('/')));
  }
  return names;
}

Edges includes_between_folders() {
  Edges edges;
  for (const std::string& folder : folders()) {
    const auto root = folder == "apps" ? kRepository / "apps" : kRepository / "lib" / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (!is_source(entry.path())) continue;
      for (const std::string& included : included_folders(entry.path())) {
        if (included != folder && folders().contains(included)) edges.insert({folder, included});
      }
    }
  }
  return edges;
}

/// Whether `from` reaches `to` over edges, the one between the two left out.
bool reaches_indirectly(const Edges& edges, const std::string& from, const std::string& to) {
  std::set<std::string> reached;
  std::vector<std::string> open = {from};
  while (!open.empty()) {
    const std::string folder = open.back();
    open.pop_back();
    for (const Edge& edge : edges) {
      if (edge.first != folder || edge == Edge(from, to) || !reached.insert(edge.second).second) continue;
      open.push_back(edge.second);
    }
  }
  return reached.contains(to);
}

/// The edges that no path of others replaces.
Edges without_shortcuts(const Edges& edges) {
  Edges kept;
  for (const Edge& edge : edges) {
    if (!reaches_indirectly(edges, edge.first, edge.second)) kept.insert(edge);
  }
  return kept;
}

/// The layers that CONTRIBUTING.md documents, each folder with the number of its layer; apps has number 0. They stand
/// in an indented block as "apps -> run -> training, decoding -> base".
std::map<std::string, int> documented_layers() {
  std::string block;
  for (const std::string& line : read_lines(kRepository / "CONTRIBUTING.md")) {
    if (line.starts_with("    ") && line.find("->") != std::string::npos) block += line;
  }
  std::map<std::string, int> layers;
  std::istringstream words(block);
  int layer = 0;
  for (std::string word; words >> word;) {
    if (word == "->") {
      ++layer;
    } else {
      if (word.ends_with(',')) word.pop_back();
      CHECK(layers.emplace(word, layer).second);
    }
  }
  return layers;
}

/// The arrows of docs/structure.md's diagram, which are lines such as "  model --> ops".
Edges documented_diagram() {
  Edges edges;
  for (const std::string& line : read_lines(kRepository / "docs/structure.md")) {
    std::istringstream words(line);
    std::string from, arrow, to;
    if (words >> from >> arrow >> to && arrow == "-->") edges.insert({from, to});
  }
  return edges;
}

std::string as_diagram(const Edges& edges) {
  std::string lines;
  for (const auto& [from, to] : edges) lines += "  " + from + " --> " + to + "\n";
  return lines;
}

}  // namespace

TEST_CASE("folders include headers of lower layers only, as CONTRIBUTING documents them") {
  const auto layers = documented_layers();
  for (const std::string& folder : folders()) {
    INFO(folder);
    CHECK(layers.contains(folder));
  }
  CHECK(layers.size() == folders().size());
  for (const auto& [from, to] : includes_between_folders()) {
    INFO(from << " includes " << to);
    CHECK(layers.at(from) < layers.at(to));
  }
}

TEST_CASE("structure page describes every folder and draws the includes between them") {
  const auto lines = read_lines(kRepository / "docs/structure.md");
  for (const std::string& folder : folders()) {
    const std::string row = folder == "apps" ? "| `apps/` |" : "| `lib/" + folder + "/` |";
    INFO(row);
    CHECK(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(row); }));
  }
  CHECK(as_diagram(documented_diagram()) == as_diagram(without_shortcuts(includes_between_folders())));
}

TEST_CASE("sources include the headers of LibTorch that they use, not all of them") {
  for (const char* folder : {"apps", "lib", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRepository / folder)) {
      if (!is_source(entry.path())) continue;
      INFO(entry.path());
      for (const std::string& line : read_lines(entry.path())) CHECK(line != "#include <torch/torch.h>");
    }
  }
}

}  // namespace transformer
