#include "import/source_program.h"

#include <fmt/core.h>

#include "base/atomic_file.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/run_program.h"
#include "base/temporary_directory.h"
#include "import/vocabulary.h"
#include "inference/loaded_model.h"
#include "inference/translator.h"

namespace transformer {
namespace {

std::vector<std::string> translations_of(const std::string& model, const std::vector<std::string>& lines) {
  const LoadedEnsemble loaded = load_for_search({model}, {torch::kCPU}, WeightType::fp32);
  const Translator translator(loaded.replicas, loaded.tokenizers, loaded.config.decoding, {});
  return best_texts(translator.translate(requests_of(lines)));
}

/// Translates the lines of stdin that are not blank.
constexpr const char* kTranslateStdin =
    "lines = [line.rstrip(\"\\n\") for line in sys.stdin]\n"
    "found = iter(translate([line for line in lines if line.strip()]))\n"
    "for line in lines:\n"
    "    print(next(found) if line.strip() else \"\")\n";

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_file_atomically(path, text);
}

/// Runs a script with the file `text` as its stdin; its stderr goes to the file `messages`.
ProgramOutput run_python(const std::string& script, const std::string& text, const std::string& messages) {
  return run_program({"sh", "-c", "exec python3 -c \"$1\" 2> \"$2\"", "sh", script, messages}, text);
}

/// Why the script of a program failed. `messages` is its stderr.
std::string reason_of_failure(const SourceProgram& program, int status, const std::string& messages) {
  const std::vector<std::string> lines = lines_of(read_file(messages));
  const std::string find = fmt::format("import {}", program.package);
  if (run_python(find, "/dev/null", messages).status != 0) {
    return fmt::format("this python3 does not run that (exit status {}); put one with the package {} first in PATH",
                       status, program.package);
  }
  return fmt::format("the script fails (exit status {}): {}", status, lines.empty() ? "" : lines.back());
}

}  // namespace

std::string python_text(const std::string& text) { return json_text(Json(text)); }

std::string compare_with(const SourceProgram& program, const std::string& model,
                         const std::vector<std::string>& lines) {
  const std::string script = "import sys\n" + program.script + kTranslateStdin;
  std::string report = fmt::format("# python3, with the text as stdin:\n{}", script);
  const TemporaryDirectory directory;
  write_lines(directory / "text", lines);
  const ProgramOutput output = run_python(script, directory / "text", directory / "messages");
  if (output.status != 0) {
    return report + "not compared: " + reason_of_failure(program, output.status, directory / "messages") + "\n";
  }
  const std::vector<std::string> theirs = lines_of(output.out), ours = translations_of(model, lines);
  if (theirs.size() != ours.size()) {
    return report + fmt::format("not compared: {} lines of output for {} of the text\n", theirs.size(), ours.size());
  }
  size_t num_same = 0;
  for (size_t i = 0; i < ours.size(); ++i) num_same += ours[i] == theirs[i] ? 1 : 0;
  report += fmt::format("{} of {} translations are the same\n", num_same, ours.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] != theirs[i])
      report += fmt::format("line {}\n  {}: {}\n  here: {}\n", i + 1, program.package, theirs[i], ours[i]);
  }
  return report;
}

}  // namespace transformer
