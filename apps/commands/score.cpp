#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "commands/commands.h"
#include "data/line_pairs.h"
#include "decoding/scorer.h"
#include "platform/device.h"
#include "run/line_writer.h"
#include "run/loaded_model.h"
#include "options.h"

namespace transformer {
namespace {

struct ScoreOptions {
  std::string model, source, target;
  int64_t batch_tokens = 4096;
  bool json = false;
  DeviceOptions device;
};

double perplexity(const PairScore& total) { return std::exp(-total.log_prob / static_cast<double>(total.num_tokens)); }

std::string json(const std::vector<PairScore>& scores, const Scorer& scorer) {
  std::string members;
  for (const PairScore& score : scores) {
    members += concat(members.empty() ? "" : ", ", "{\"log_prob\": ", json_number(score.log_prob),
                      ", \"tokens\": ", score.num_tokens, "}");
  }
  return concat("{\"scores\": [", members, "], \"pairs\": ", scorer.num_pairs(),
                ", \"target_tokens\": ", scorer.total().num_tokens,
                ", \"log_prob\": ", json_number(scorer.total().log_prob),
                ", \"perplexity\": ", json_number(perplexity(scorer.total())), "}");
}

void log_summary(const Scorer& scorer) {
  if (scorer.num_invalid_lines() > 0) {
    log_warning(scorer.num_invalid_lines(), " lines held bytes that are not UTF-8; these were read as U+FFFD");
  }
  log_info(with_thousands(scorer.num_pairs()), " pairs, ", with_thousands(scorer.total().num_tokens),
           " pieces: log-probability ", fixed(scorer.total().log_prob, 4), ", perplexity ",
           fixed(perplexity(scorer.total()), 4));
}

void run_score(const ScoreOptions& options) {
  static constexpr size_t kPairsAtOnce = 4096;  // sorted by length among themselves
  if (options.source == "-" && options.target == "-") {
    throw UsageError("score: stdin cannot be both --source and --target; give one of them as a file");
  }
  set_num_threads(options.device.threads);
  const std::vector<std::string> sources = {options.source}, targets = {options.target};
  LinePairReader reader(sources, targets);
  LoadedModel model = load_for_inference(options.model, select_device(options.device.device));
  Scorer scorer(model.network, model.tokenizer, options.batch_tokens, options.source, options.target);
  LineWriter writer("-");
  std::vector<PairScore> all;  // for --json alone
  for (auto pairs = reader.next(kPairsAtOnce); !pairs.empty(); pairs = reader.next(kPairsAtOnce)) {
    const auto scores = scorer.score(pairs);
    if (options.json) {
      all.insert(all.end(), scores.begin(), scores.end());
    } else {
      std::vector<std::string> lines;
      for (const PairScore& score : scores) lines.push_back(fixed(score.log_prob, 6));
      writer.write(lines);
    }
  }
  if (scorer.num_pairs() == 0) throw Error(options.source, ": is empty; give at least one line");
  if (options.json) writer.write({json(all, scorer)});
  log_summary(scorer);
}

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = app.add_subcommand(
      "score", "Log-probability of each given pair of lines, and perplexity per word piece as in Table 3");
  command->add_option("--model", options->model, "A model file or checkpoint")->required()->type_name("FILE");
  command->add_option("--source", options->source, "Text, plain or .gz; -: stdin")->required()->type_name("FILE");
  command->add_option("--target", options->target, "Its translations, line by line; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_flag("--json", options->json, "One JSON object");
  command
      ->add_option("--batch-tokens", options->batch_tokens, "Source or target pieces scored together, padding included")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer score --model runs/sample/averaged.pt --source data/sample/test.en --target "
      "data/sample/test.de");
  command->callback([options] { run_score(*options); });
}

}  // namespace transformer
