#pragma once

#include <string>
#include <vector>

namespace transformer {

/// The name that other toolkits have for what a key does.
struct ForeignName {
  std::string name;      // "label_smoothing"
  std::string toolkits;  // "fairseq and Marian"; empty for a name that is common in general
  std::string key;       // "training.eps_ls"
  std::string remark;    // where the meaning differs; may be empty
};

/// All names; docs/coming_from.md has each of them that belongs to a toolkit, in the same line as the key.
const std::vector<ForeignName>& foreign_names();

}  // namespace transformer
