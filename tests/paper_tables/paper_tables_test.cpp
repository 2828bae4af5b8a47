#include "paper_tables/paper_tables.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/read_file.h"
#include "catch.h"
#include "repository.h"

namespace transformer {
namespace {

using Catch::Contains;

/// The figures as the comments of the configs state them: "PPL 4.92, BLEU 25.8, 65 M parameters".
std::string figures_of(const Table3Row& row) {
  std::string text = fmt::format("PPL {:.2f}, BLEU {:.1f}", row.perplexity.value(), row.bleu.value());
  if (row.parameters_millions) text += fmt::format(", {:g} M parameters", *row.parameters_millions);
  return text;
}

TEST_CASE("table 3 has the paper's twenty rows, each with a perplexity and a BLEU score") {
  CHECK(table3().size() == 20);
  CHECK(table3().front().name == "base");
  CHECK(table3().back().name == "big");
  for (const Table3Row& row : table3()) {
    CAPTURE(row.name);
    CHECK(row.perplexity.has_value());
    CHECK(row.bleu.has_value());
  }
}

TEST_CASE("table 3 has no row name and no config twice") {
  std::set<std::string_view> names, files;
  for (const Table3Row& row : table3()) {
    names.insert(row.name);
    files.insert(row.config);
  }
  CHECK(names.size() == table3().size());
  CHECK(files.size() == table3().size());
}

TEST_CASE("table 3 rows have a config that states the same figures") {
  for (const Table3Row& row : table3()) {
    CAPTURE(row.name);
    CHECK_THAT(read_file(kConfigs / row.config), Contains(figures_of(row)));
  }
}

TEST_CASE("table 3 has a row for every config in configs/table3") {
  std::set<std::string> files;
  for (const Table3Row& row : table3()) files.insert(std::string(row.config));
  for (const auto& file : std::filesystem::directory_iterator(kConfigs / "table3")) {
    CAPTURE(file.path().string());
    CHECK(files.contains("table3/" + file.path().filename().string()));
  }
}

}  // namespace
}  // namespace transformer
