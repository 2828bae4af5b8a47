#include "import/yaml_vocabulary.h"

#include <yaml-cpp/yaml.h>

#include "base/error.h"
#include "base/format.h"
#include "base/parse_number.h"

namespace transformer {

PieceList read_yaml_vocabulary(std::string_view text, const std::string& path) {
  PieceList list;
  try {
    const YAML::Node map = YAML::Load(std::string(text));
    if (!map.IsMap()) throw Error("{}: not a map from pieces to ids; use the vocabulary of the model", path);
    const size_t num_ids = 2 * map.size();  // a few ids may have no piece, but a large one needs memory for all below
    for (const auto& entry : map) {
      const std::string number = entry.second.IsScalar() ? entry.second.Scalar() : "";
      const size_t id = parse_number<size_t>(number).value_or(num_ids);
      if (!entry.first.IsScalar() || id >= num_ids) {
        throw Error("{}:{}: expected a piece and its id below {}; use the vocabulary of the model", path,
                    entry.first.Mark().line + 1, num_ids);
      }
      if (id >= list.pieces.size()) list.pieces.resize(id + 1);
      if (!list.pieces[id].empty()) {
        throw Error("{}:{}: '{}' and '{}' have the same id {}; use the vocabulary of the model", path,
                    entry.first.Mark().line + 1, shown_value(list.pieces[id]), shown_value(entry.first.Scalar()), id);
      }
      list.pieces[id] = entry.first.Scalar();
    }
  } catch (const YAML::Exception& misfit) {
    throw Error("{}: not valid YAML ({}); use the vocabulary of the model", path, first_line(misfit.what()));
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
