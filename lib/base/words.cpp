#include "base/words.h"

#include <iterator>
#include <sstream>

namespace transformer {

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace transformer
