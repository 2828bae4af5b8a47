#include <cmath>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "commands/commands.h"
#include "decoding/scorer.h"
#include "device/device.h"
#include "model.h"
#include "options.h"

namespace transformer {
namespace {

struct ScoreOptions {
  std::string model, source, target;
  int64_t batch_tokens = 4096;
  bool json = false;
  DeviceOptions device;
};

/// The next lines of both files, at most `limit`. Throws Error where one file ends before the other.
struct LinePairs {
  std::vector<std::string> sources, targets;

  static LinePairs next(LineReader& source, LineReader& target, size_t limit, const ScoreOptions& options) {
    LinePairs pairs;
    std::string source_line, target_line;
    while (pairs.sources.size() < limit) {
      const bool has_source = source.next(source_line), has_target = target.next(target_line);
      if (has_source != has_target) {
        throw Error(has_source ? options.target : options.source, " ends after line ",
                    std::min(source.line_number(), target.line_number()), ", but ",
                    has_source ? options.source : options.target,
                    " goes on; line n of one must be the translation of line n of the other");
      }
      if (!has_source) break;
      pairs.sources.push_back(source_line);
      pairs.targets.push_back(target_line);
    }
    return pairs;
  }
};

/// One number a line, or the members of a JSON array of objects.
class ScoreWriter {
 public:
  explicit ScoreWriter(bool json) : json_(json) {
    if (json_) std::cout << "{\"scores\": [";
  }

  void write(const std::vector<PairScore>& scores) {
    for (const PairScore& score : scores) {
      if (json_) {
        std::cout << separator_ << "{\"log_prob\": " << json_number(score.log_prob)
                  << ", \"tokens\": " << score.num_tokens << "}";
        separator_ = ", ";
      } else {
        std::cout << fixed(score.log_prob, 6) << "\n";
      }
    }
  }

  void finish(const Scorer& scorer, double perplexity) {
    if (!json_) return;
    std::cout << "], \"pairs\": " << scorer.num_pairs() << ", \"target_tokens\": " << scorer.total().num_tokens
              << ", \"log_prob\": " << json_number(scorer.total().log_prob)
              << ", \"perplexity\": " << json_number(perplexity) << "}\n";
  }

 private:
  bool json_;
  const char* separator_ = "";
};

void run_score(const ScoreOptions& options) {
  static constexpr size_t kPairsAtOnce = 4096;  // sorted by length among themselves
  set_num_threads(options.device.threads);
  LineReader source(options.source), target(options.target);
  LoadedModel model = load_for_inference(options.model, select_device(options.device.device));
  Scorer scorer(model.network, model.tokenizer, options.batch_tokens, options.source, options.target);
  ScoreWriter writer(options.json);
  for (;;) {
    const LinePairs pairs = LinePairs::next(source, target, kPairsAtOnce, options);
    if (pairs.sources.empty()) break;
    writer.write(scorer.score(pairs.sources, pairs.targets));
  }
  if (scorer.num_pairs() == 0) throw Error(options.source, ": is empty; give at least one line");
  const auto num_tokens = static_cast<double>(scorer.total().num_tokens);
  const double perplexity = std::exp(-scorer.total().log_prob / num_tokens);
  writer.finish(scorer, perplexity);
  if (scorer.num_invalid_lines() > 0) {
    log_warning(scorer.num_invalid_lines(), " lines held bytes that are not UTF-8; these were read as U+FFFD");
  }
  log_info(with_thousands(scorer.num_pairs()), " pairs, ", with_thousands(scorer.total().num_tokens),
           " pieces: log-probability ", fixed(scorer.total().log_prob, 4), ", perplexity ", fixed(perplexity, 4));
}

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = app.add_subcommand(
      "score", "Log-probability of each given pair of lines, and perplexity per word piece as in Table 3");
  command->add_option("--model", options->model, "A model file or checkpoint")->required()->type_name("FILE");
  command->add_option("--source", options->source, "Text, plain or .gz")->required()->type_name("FILE");
  command->add_option("--target", options->target, "Its translations, line by line")->required()->type_name("FILE");
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
