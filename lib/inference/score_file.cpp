#include "inference/score_file.h"

#include <fmt/core.h>

#include <vector>

#include "base/command_files.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/line_writer.h"
#include "base/log.h"
#include "inference/loaded_model.h"
#include "inference/scorer.h"
#include "text/clean_line.h"
#include "text/line_pairs.h"

namespace transformer {
namespace {

Json json_of(const std::vector<PairScore>& scores, const Scorer& scorer) {
  Json list = Json::array();
  for (const PairScore& score : scores) list.push_back({{"log_prob", score.log_prob}, {"tokens", score.num_tokens}});
  return {{"scores", list},
          {"pairs", scorer.num_pairs()},
          {"target_tokens", scorer.total().num_tokens},
          {"log_prob", scorer.total().log_prob},
          {"perplexity", scorer.total().perplexity()}};
}

std::vector<std::string> lines_of(const std::vector<PairScore>& scores) {
  std::vector<std::string> lines;
  for (const PairScore& score : scores) lines.push_back(fmt::format("{:.6f}", score.log_prob));
  return lines;
}

void log_summary(const ScoringTask& task, const Scorer& scorer) {
  warn_of_invalid_lines(shown_path(task.source), scorer.invalid_source_lines());
  warn_of_invalid_lines(shown_path(task.target), scorer.invalid_target_lines());
  log_info("{}, {}: log-probability {:.4f}, perplexity {:.4f}", counted(scorer.num_pairs(), "pair"),
           counted(scorer.total().num_tokens, "target token"), scorer.total().log_prob, scorer.total().perplexity());
}

}  // namespace

void score_file(const ScoringTask& task, torch::Device device) {
  static constexpr size_t kBlockPairs = 4096;  // sorted by length among themselves
  check_input_texts({task.source, task.target});
  LinePairReader reader({ParallelFiles{task.source, task.target}});
  LoadedModel model = load_for_inference(task.model, device);
  Scorer scorer(model.network, model.tokenizers, task.batch_tokens, task.source, task.target);
  LineWriter writer("-");
  std::vector<PairScore> all;
  for (auto pairs = reader.next(kBlockPairs); !pairs.empty(); pairs = reader.next(kBlockPairs)) {
    const auto scores = scorer.score(pairs);
    if (task.json) {
      all.insert(all.end(), scores.begin(), scores.end());
    } else {
      writer.write(lines_of(scores));
    }
  }
  if (scorer.num_pairs() == 0) throw Error("{}: is empty; give at least one line", shown_path(task.source));
  if (task.json) writer.write({json_text(json_of(all, scorer))});
  log_summary(task, scorer);
}

}  // namespace transformer
