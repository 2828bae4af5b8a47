#pragma once

#include <string>
#include <vector>

namespace transformer {

/// How the program that a model comes from translates with it.
struct SourceProgram {
  std::string package;  // of Python, which has the program
  std::string script;   // in Python: defines translate(lines), which returns a translation for each of the lines
};

/// A text in Python.
std::string python_text(const std::string& text);

/// Translates lines with the model file by its settings, in fp32, and with the program, if `python3` has it. Returns
/// the script and how the translations compare, as text.
std::string compare_with(const SourceProgram& program, const std::string& model, const std::vector<std::string>& lines);

}  // namespace transformer
