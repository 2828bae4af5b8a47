#pragma once

#include <string>
#include <vector>

namespace transformer {

/// The name that other toolkits have for what a key of the config, or an option, does.
struct ForeignName {
  std::string name;      // "label_smoothing"
  std::string toolkits;  // "fairseq and Marian"; empty for a name that is common in general
  std::string key;       // "training.eps_ls", or the option "top_k"
  std::string remark;    // where the meaning differs; may be empty
};

/// All names of keys; docs/coming_from.md has each of them that belongs to a toolkit, in the same line as the key.
const std::vector<ForeignName>& foreign_names();

/// The same for options of commands and of requests that are no keys.
const std::vector<ForeignName>& foreign_options();

/// Without case, underscores and dashes, in which toolkits differ. Cut to a length that no key has, because the time of
/// comparisons grows with it.
std::string normalized_name(const std::string& name);

/// The first one with this name; null if there is none.
const ForeignName* find_foreign_name(const std::vector<ForeignName>& names, const std::string& name);

}  // namespace transformer
