#include "inference/score_file.h"

#include <fmt/core.h>

#include <vector>

#include "base/command_files.h"
#include "base/error.h"
#include "base/format.h"
#include "base/found_lines.h"
#include "base/json.h"
#include "base/line_writer.h"
#include "base/log.h"
#include "inference/encode_line.h"
#include "inference/loaded_model.h"
#include "inference/scorer.h"
#include "text/clean_line.h"
#include "text/line_pairs.h"
#include "text/source_tags.h"
#include "text/text_form.h"
#include "text/units_without_text.h"
#include "text/untagged_lines.h"

namespace transformer {
namespace {

/// What is known of all pairs.
struct Summary {
  Summary(const ScoringTask& task, const LoadedModel& model)
      : source_without_text(task.source),
        target_without_text(task.target),
        source_form(model.tokenizers.source().takes_divided_texts()),
        target_form(model.tokenizers.target().takes_divided_texts()),
        untagged_source(model.config.tags, task.tag) {}

  int64_t num_pairs = 0;
  LogProb total;
  FoundLines invalid_source_lines, invalid_target_lines;
  UnitsWithoutText source_without_text, target_without_text;
  TextForm source_form, target_form;
  UntaggedLines untagged_source;
  UnknownPieces unknown_source, unknown_target;

  void add(const LinePair& pair, const PairScore& score) {
    source_without_text.add(pair.source);
    target_without_text.add(pair.target);
    source_form.add(pair.source);
    target_form.add(pair.target);
    untagged_source.add(pair.source);
    ++num_pairs;
    total += score;
    if (score.source_was_invalid) invalid_source_lines.add(num_pairs);
    if (score.target_was_invalid) invalid_target_lines.add(num_pairs);
    unknown_source.add(num_pairs, score.unknown_source);
    unknown_target.add(num_pairs, score.unknown_target);
  }
};

Json json_of(const std::vector<PairScore>& scores, const Summary& summary) {
  Json list = Json::array();
  for (const PairScore& score : scores) list.push_back({{"log_prob", score.log_prob}, {"tokens", score.num_tokens}});
  return {{"scores", list},
          {"pairs", summary.num_pairs},
          {"target_tokens", summary.total.num_tokens},
          {"log_prob", summary.total.log_prob},
          {"perplexity", summary.total.perplexity()}};
}

std::vector<std::string> lines_of(const std::vector<PairScore>& scores) {
  std::vector<std::string> lines;
  for (const PairScore& score : scores) lines.push_back(fmt::format("{:.6f}", score.log_prob));
  return lines;
}

void log_summary(const ScoringTask& task, const Summary& summary) {
  warn_of_invalid_lines(shown_path(task.source), summary.invalid_source_lines);
  warn_of_invalid_lines(shown_path(task.target), summary.invalid_target_lines);
  static constexpr const char* kWithoutText = "such a pair was scored with an empty side";
  summary.source_without_text.warn(kWithoutText);
  summary.target_without_text.warn(kWithoutText);
  static constexpr const char* kConsequence = "it was scored as it is";
  summary.source_form.warn(shown_path(task.source), kConsequence);
  summary.target_form.warn(shown_path(task.target), kConsequence);
  summary.untagged_source.warn(shown_path(task.source), kRemedyForUntagged);
  warn_of_unknown_pieces(shown_path(task.source), summary.unknown_source);
  warn_of_unknown_pieces(shown_path(task.target), summary.unknown_target);
  log_info("{}, {}: log-probability {:.4f}, perplexity {:.4f}", counted(summary.num_pairs, "pair"),
           counted(summary.total.num_tokens, "target token"), summary.total.log_prob, summary.total.perplexity());
}

}  // namespace

void score_file(const ScoringTask& task, torch::Device device) {
  static constexpr size_t kBlockPairs = 4096;  // sorted by length among themselves
  check_input_texts({task.source, task.target});
  LinePairReader reader({ParallelFiles{task.source, task.target}});
  const LoadedModel model = load_for_inference(task.model, device);
  const Scorer scorer(model.network, model.tokenizers, task.batch_tokens, shown_path(task.source),
                      shown_path(task.target), SourceTags(model.tokenizers.source(), model.config.tags, task.tag));
  LineWriter writer("-");
  Summary summary(task, model);
  std::vector<PairScore> all;  // for JSON
  for (auto pairs = reader.next(kBlockPairs); !pairs.empty(); pairs = reader.next(kBlockPairs)) {
    const auto scores = scorer.score(pairs);
    for (size_t i = 0; i < pairs.size(); ++i) summary.add(pairs[i], scores[i]);
    if (task.json) {
      all.insert(all.end(), scores.begin(), scores.end());
    } else {
      writer.write(lines_of(scores));
    }
  }
  if (summary.num_pairs == 0) throw Error("{}: is empty; give at least one line", shown_path(task.source));
  if (task.json) writer.write({json_text(json_of(all, summary))});
  log_summary(task, summary);
}

}  // namespace transformer
