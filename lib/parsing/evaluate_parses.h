#pragma once

#include <string>

#include "parsing/evalb_report.h"

namespace transformer {

/// What the command `eval-parse` is asked to do. The path "-" is stdin.
struct ParseEvaluationTask {
  std::string gold;
  std::string predicted = {};   // empty: score right-branching trees over the gold words instead, as a baseline
  std::string parameters = {};  // an EVALB parameter file; empty: the values of COLLINS.prm
};

/// Scores the predicted trees against the gold trees, line by line. Throws Error if a file is damaged, empty or shorter
/// than the other, or at the error sentence where EVALB stops (EvalbParameters::max_errors).
ParseReport evaluate_parses(const ParseEvaluationTask& task);

}  // namespace transformer
