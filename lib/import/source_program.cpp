#include "import/source_program.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "base/line_reader.h"
#include "base/run_program.h"
#include "inference/loaded_model.h"
#include "inference/translator.h"

namespace transformer {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> translations_of(const std::string& model, const std::vector<std::string>& lines) {
  const LoadedEnsemble loaded = load_for_search({model}, {torch::kCPU}, WeightType::fp32);
  const Translator translator(loaded.replicas, loaded.tokenizers, loaded.config.decoding, {});
  return best_texts(translator.translate(requests_of(lines)));
}

}  // namespace

std::string python_text(const std::string& text) { return json_text(Json(text)); }

std::string compare_with(const SourceProgram& program, const std::string& model, const std::string& text) {
  std::string report = fmt::format("# python3, with the text as stdin:\n{}", program.script);
  const std::vector<std::string> sources = read_lines(text);
  const ProgramOutput output = run_program({"python3", "-c", program.script}, text);
  if (output.status != 0) {
    return report + fmt::format(
                        "not compared: this python3 does not run that (exit status {}); put one with the package {} "
                        "first in PATH\n",
                        output.status, program.package);
  }
  const std::vector<std::string> theirs = lines_of(output.out), ours = translations_of(model, sources);
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
