#include "import/yaml_vocabulary.h"

#include "fuzz.h"

namespace transformer {

/// A vocabulary of Marian in YAML.
void fuzz(std::string_view input) {
  const PieceList list = read_yaml_vocabulary(input, "vocab.yml");
  require(list.pieces.at(static_cast<size_t>(list.end)) == "</s>");
}

}  // namespace transformer
