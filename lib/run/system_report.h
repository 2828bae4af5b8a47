#pragma once

#include <string>
#include <vector>

namespace transformer {

/// One fact about the program or the machine.
struct Finding {
  std::string name;  // "cpu"
  std::string value;
};

/// What a bug report needs to know, in the order in which it is shown.
using SystemReport = std::vector<Finding>;

/// Finds out about libraries, processor, memory and devices. `version` is the program's.
SystemReport examine_system(const std::string& version);

/// One line for each finding.
std::string format_text(const SystemReport& report);
/// A JSON object.
std::string format_json(const SystemReport& report);

}  // namespace transformer
