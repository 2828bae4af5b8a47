#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace transformer {

/// What of a line is translated by itself.
enum class LineParts { lines, sentences };

template <>
struct EnumNames<LineParts> {
  static constexpr std::array names = {"lines", "sentences"};
};

/// How lines are divided into parts, whose translations are joined.
struct PartOptions {
  LineParts split = LineParts::lines;
  std::string split_language = {};              // the source language's code, for abbreviations; empty: the document's
  bool protect = false;                         // the usual placeholders
  std::vector<std::string> protect_regex = {};  // others

  bool keep_placeholders() const { return protect || !protect_regex.empty(); }
  bool divide_lines() const { return split != LineParts::lines || keep_placeholders(); }
};

/// Throws ParameterError if the language has no effect or is none; Placeholders checks the regular expressions.
void check_part_options(const PartOptions& options);

}  // namespace transformer
