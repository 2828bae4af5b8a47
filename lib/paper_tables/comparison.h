#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "paper_tables/model_results.h"

namespace transformer {

/// A row of one of the paper's tables with our results beside the paper's.
template <class PaperRow>
struct Comparison {
  std::string name;                  // the paper's row, or a run directory that belongs to none
  PaperRow paper;                    // empty for such a run
  std::optional<ModelResults> ours;  // missing for a system of others
};

/// The rows of the table in the paper's order, then the runs that fit none of them. Throws as `collect_results` does.
template <class PaperRow>
std::vector<Comparison<PaperRow>> compare(const std::vector<PaperRow>& table, const TableSources& sources) {
  std::vector<Comparison<PaperRow>> rows;
  std::vector<PaperModel> models;
  for (const PaperRow& paper : table) {
    rows.push_back({std::string(paper.name), paper, std::nullopt});
    if (!paper.config.empty()) models.push_back({paper.name, paper.config});
  }
  size_t next = 0;
  for (ModelResults& results : collect_results(models, sources)) {
    while (next < table.size() && table[next].config.empty()) ++next;
    if (next < table.size()) {
      rows[next++].ours = std::move(results);
    } else {
      rows.push_back({results.name, {}, results});
    }
  }
  return rows;
}

/// A JSON object with the list "rows".
template <class PaperRow>
std::string json_of_rows(const std::vector<Comparison<PaperRow>>& rows,
                         Json (*json_of)(const Comparison<PaperRow>& row)) {
  Json json = {{"rows", Json::array()}};
  for (const auto& row : rows) json["rows"].push_back(json_of(row));
  return json_text(json);
}

}  // namespace transformer
