#include "text/units_without_text.h"

#include <fmt/core.h>

#include "base/format.h"
#include "base/log.h"
#include "base/words.h"

namespace transformer {

UnitsWithoutText::UnitsWithoutText(const std::string& path) : shown_path_(shown_path(path)) {
  const TextPath text(path);
  if (!text.file.ends_with(".zip")) part_ = text.part;
}

void UnitsWithoutText::add(std::string_view line) {
  ++num_units_;
  if (is_blank(line)) without_text_.add(num_units_);
}

std::string UnitsWithoutText::warning(const std::string& consequence) const {
  if (part_.empty() || without_text_.count == 0) return "";
  return fmt::format("{}:{}: {} of {} {} no text in '{}', this one first; {}", shown_path_, without_text_.first,
                     with_thousands(without_text_.count), counted(num_units_, "unit"),
                     without_text_.count == 1 ? "has" : "have", part_, consequence);
}

void UnitsWithoutText::warn(const std::string& consequence) const {
  if (const std::string text = warning(consequence); !text.empty()) log_warning("{}", text);
}

}  // namespace transformer
