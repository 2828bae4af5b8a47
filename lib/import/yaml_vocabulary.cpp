#include "import/yaml_vocabulary.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/parse_number.h"

namespace transformer {
namespace {

struct Entry {
  std::string piece, id;
  int64_t line = 0;  // from 1
};

/// Reads a map from scalars to scalars. A tree of YAML::Node would need 1 kB of memory for each entry.
class MapReader : public YAML::EventHandler {
 public:
  explicit MapReader(const std::string& path) : path_(path) {}

  /// std::nullopt if the document is not a map.
  std::optional<std::vector<Entry>> read(std::string_view text) {
    std::istringstream stream{std::string(text)};
    YAML::Parser(stream).HandleNextDocument(*this);
    return is_map_ ? std::optional(std::move(entries_)) : std::nullopt;
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override {
    if (!is_map_) return;
    if (is_key_) {
      entries_.push_back({.piece = value, .id = "", .line = mark.line + 1});
    } else {
      entries_.back().id = value;
    }
    is_key_ = !is_key_;
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    if (is_map_) refuse(mark);
    is_map_ = true;
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (is_map_) refuse(mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    refuse(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapEnd() override {}
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark) const {
    const int64_t line = is_key_ ? mark.line + 1 : entries_.back().line;  // a missing id stands behind its line
    throw Error("{}:{}: expected a piece and its id; use the vocabulary of the model", path_, line);
  }

  const std::string& path_;
  bool is_map_ = false, is_key_ = true;
  std::vector<Entry> entries_;
};

std::vector<Entry> read_entries(std::string_view text, const std::string& path) {
  try {
    if (auto entries = MapReader(path).read(text)) return *std::move(entries);
  } catch (const YAML::Exception& misfit) {
    throw Error("{}: not valid YAML ({}); use the vocabulary of the model", path, first_line(misfit.what()));
  }
  throw Error("{}: not a map from pieces to ids; use the vocabulary of the model", path);
}

}  // namespace

PieceList read_yaml_vocabulary(std::string_view text, const std::string& path) {
  PieceList list;
  std::vector<Entry> entries = read_entries(text, path);
  const size_t num_ids = 2 * entries.size();  // a few ids may have no piece, but a large one needs memory for all below
  for (Entry& entry : entries) {
    const size_t id = parse_number<size_t>(entry.id).value_or(num_ids);
    if (id >= num_ids) {
      throw Error("{}:{}: expected a piece and its id below {}; use the vocabulary of the model", path, entry.line,
                  num_ids);
    }
    if (id >= list.pieces.size()) list.pieces.resize(id + 1);
    if (!list.pieces[id].empty()) {
      throw Error("{}:{}: '{}' and '{}' have the same id {}; use the vocabulary of the model", path, entry.line,
                  shown_value(list.pieces[id]), shown_value(entry.piece), id);
    }
    list.pieces[id] = std::move(entry.piece);
  }
  list.end = find_piece(list, "</s>");
  list.unknown = find_piece(list, "<unk>");
  if (list.end == kNoToken || list.unknown == kNoToken) {
    throw Error("{}: has no piece '{}', which every vocabulary needs; use the model's own file", path,
                list.end == kNoToken ? "</s>" : "<unk>");
  }
  return list;
}

}  // namespace transformer
