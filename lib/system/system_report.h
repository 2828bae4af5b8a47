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

/// Finds out about the program, libraries, processor, memory and devices.
SystemReport examine_system();

/// One line for each finding.
std::string format_text(const SystemReport& report);
/// A JSON object.
std::string format_json(const SystemReport& report);

}  // namespace transformer
