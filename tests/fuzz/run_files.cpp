#include "fuzz.h"
#include "reporting/metrics.h"
#include "reporting/run_facts.h"
#include "reporting/sample_translations.h"
#include "reporting/step_lines.h"

namespace transformer {

/// A file of a run: metrics.jsonl, samples.jsonl or run.json.
void fuzz(std::string_view input) {
  const InputFile file(input);
  allow_error([&] { read_step_lines<MetricsLine>(file.path()); });
  allow_error([&] { read_step_lines<ValidationSamples>(file.path()); });
  allow_error([&] { read_run_facts(file.path()); });
}

}  // namespace transformer
