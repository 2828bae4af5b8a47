#include "data/preview.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/status_line.h"
#include "data/encode_corpus.h"
#include "data/held_out_check.h"
#include "data/input_file.h"
#include "data/pair_filter.h"
#include "data/text_check.h"
#include "data/unwritable_characters.h"

namespace transformer {
namespace {

/// The number of lines of a text, estimated from its first ones.
double estimate_lines(const std::string& path, int64_t lines_to_read) {
  LineReader reader(path);
  std::string line;
  while (reader.line_number() < lines_to_read) {
    if (!reader.next(line)) return static_cast<double>(reader.line_number());
  }
  const bool has_more = reader.next(line);
  return static_cast<double>(reader.line_number()) / (has_more ? reader.share_read() : 1);
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::vector<std::string> pieces;
  for (const TokenId id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

void add_some_pieces(const Tokenizer& tokenizer, CorpusPreview& preview) {
  static constexpr TokenId kShown = 20;
  const auto size = static_cast<TokenId>(tokenizer.size());
  for (TokenId id = 0; id < std::min(kShown, size); ++id) preview.first_pieces.push_back(tokenizer.piece(id));
  for (TokenId id = std::max(kShown, size - kShown); id < size; ++id) {
    preview.last_pieces.push_back(tokenizer.piece(id));
  }
}

/// Ranges whose ends are powers of 2, up to `data.max_length`.
std::vector<CorpusPreview::Lengths> length_ranges(int64_t max_length) {
  std::vector<CorpusPreview::Lengths> ranges;
  for (int64_t longest = 4; longest < max_length; longest *= 2) ranges.push_back({longest});
  ranges.push_back({max_length});
  return ranges;
}

/// What was read of a pair of files.
struct FileCounts {
  int64_t read = 0, kept = 0, source_tokens = 0, target_tokens = 0;  // of the pairs that were kept
};

/// Estimates all text by what was read of each file.
void estimate(const DataConfig& config, const std::vector<FileCounts>& counts, int64_t lines_of_file, double seconds,
              CorpusPreview& preview) {
  double source_tokens = 0, target_tokens = 0, pieces = 0, pairs_in_corpus = 0;
  for (size_t file = 0; file < counts.size(); ++file) {
    const auto& [read, kept, source, target] = counts[file];
    if (read == 0) continue;
    const double lines = estimate_lines(config.train[file].source, lines_of_file),
                 factor = lines / static_cast<double>(read), weighted = factor * config.train[file].weight.value_or(1);
    preview.is_whole = preview.is_whole && std::llround(lines) == read;
    preview.estimated_lines += lines;
    preview.estimated_pairs += weighted * static_cast<double>(kept);
    source_tokens += weighted * static_cast<double>(source);
    target_tokens += weighted * static_cast<double>(target);
    pieces += factor * static_cast<double>(source + target - 2 * kept);
    pairs_in_corpus += factor * static_cast<double>(kept);
  }
  if (preview.estimated_pairs > 0) {
    preview.tokens_per_pair = std::max(source_tokens, target_tokens) / preview.estimated_pairs;
  }
  static constexpr double kPairBytes = 24;  // beside its pieces
  preview.estimated_bytes = sizeof(TokenId) * pieces + kPairBytes * pairs_in_corpus;
  preview.estimated_seconds = seconds * preview.estimated_lines / static_cast<double>(preview.pairs_read);
}

/// "  1-4   123   2.5 %  ####": a range of lengths.
std::string length_row(int64_t shortest, const CorpusPreview::Lengths& range, int64_t num_pairs) {
  static constexpr int kWidth = 30;
  const auto column = [&](int64_t count) {
    const double share = num_pairs == 0 ? 0 : static_cast<double>(count) / static_cast<double>(num_pairs);
    const std::string bar(static_cast<size_t>(std::lround(kWidth * share)), '#');
    return fmt::format("{:>9} {:5.1f} %  {:<{}}", with_thousands(count), 100 * share, bar, kWidth);
  };
  std::string row = fmt::format("    {:>11} {}{}", fmt::format("{}-{}", shortest, range.longest), column(range.sources),
                                column(range.targets));
  row.erase(row.find_last_not_of(' ') + 1);
  return row + '\n';
}

}  // namespace

double CorpusPreview::steps_per_epoch(int64_t batch_tokens) const {
  return estimated_pairs * tokens_per_pair / static_cast<double>(batch_tokens);
}

CorpusPreview preview_corpus(const DataConfig& config, int num_threads,
                             const std::optional<GivenVocabularies>& vocabularies, const std::string& config_file) {
  static constexpr size_t kExamples = 5;
  for (const TrainingCorpus& corpus : config.train) {
    check_input_file("data.train.source", TextPath(corpus.source).file, config_file);
    check_input_file("data.train.target", TextPath(corpus.target).file, config_file);
  }
  for (const ValidationSet& set : config.valid) {
    check_input_file("data.valid.source", TextPath(set.source).file, config_file);
    check_input_file("data.valid.target", TextPath(set.target).file, config_file);
  }
  const auto start = Clock::now();
  const int64_t lines_of_file = std::max<int64_t>(1, CorpusPreview::kPairs / std::ssize(config.train));
  check_training_texts(config, lines_of_file);
  StatusLine status;
  const Tokenizers tokenizers =
      vocabularies ? make_tokenizers(*vocabularies) : learn_vocabulary(config, status, lines_of_file);
  CorpusPreview preview;
  preview.is_learned = !vocabularies;
  preview.source_vocabulary_size = tokenizers.sizes().source();
  preview.target_vocabulary_size = tokenizers.sizes().target();
  preview.lengths = length_ranges(config.max_length);
  add_some_pieces(tokenizers.target(), preview);
  const std::vector<ParallelFiles> text(config.train.begin(), config.train.end());
  const auto tags = encode_tags(config.train, tokenizers.source());
  std::vector<FileCounts> counts(text.size());
  PairFilter filter(config);
  HeldOutCheck held_out(config, tokenizers);
  UnwritableCharacters unwritable;
  const auto range_of = [&](const std::vector<TokenId>& side) -> CorpusPreview::Lengths& {
    const auto fits = [&](const CorpusPreview::Lengths& range) { return std::ssize(side) <= range.longest; };
    return *std::find_if(preview.lengths.begin(), preview.lengths.end(), fits);
  };
  const auto add = [&](EncodedPair& pair) {
    FileCounts& file = counts[pair.file];
    ++file.read;
    ++preview.pairs_read;
    const size_t tag_size = add_tag(tags, pair);
    const auto place = [&](const std::string& path) { return fmt::format("{}:{}", path, pair.line_of_file); };
    if (!filter.keep(pair, text[pair.file])) return;
    if (held_out.add_training_pair(pair.file, {std::span(pair.source).subspan(tag_size), pair.target})) {
      filter.add_held_out(place(text[pair.file].source));
    }
    if (!pair.unwritable.empty()) unwritable.add(pair.unwritable, place(text[pair.file].target));
    ++preview.pairs_kept;
    ++file.kept;
    file.source_tokens += std::ssize(pair.source) + 1;
    file.target_tokens += std::ssize(pair.target) + 1;
    ++range_of(pair.source).sources;
    ++range_of(pair.target).targets;
    if (preview.examples.size() == kExamples) return;
    preview.examples.push_back(
        {pieces_of(tokenizers.source(), pair.source), pieces_of(tokenizers.target(), pair.target)});
  };
  const auto add_block = [&](EncodedBlock& block) {
    for (EncodedPair& pair : block) add(pair);
  };
  encode_text(text, tokenizers, config, num_threads, add_block, {.max_lines_of_file = lines_of_file});
  for (const std::string& warning : held_out.warnings()) log_warning("{}", warning);
  if (const std::string warning = unwritable.warning("training corpus", tokenizers.target()); !warning.empty()) {
    log_warning("{}", warning);
  }
  preview.dropped = filter.summary();
  preview.account = filter.account();
  estimate(config, counts, lines_of_file, seconds_since(start), preview);
  return preview;
}

std::string format_text(const CorpusPreview& preview, int64_t batch_tokens, int64_t train_steps) {
  const auto about = [&](double number) {
    return (preview.is_whole ? "" : "about ") + with_thousands(std::llround(number));
  };
  const bool are_shared = preview.source_vocabulary_size == preview.target_vocabulary_size;
  std::string text =
      fmt::format("vocabulary    {} pieces{}, {}\n    {}\n", with_thousands(preview.target_vocabulary_size),
                  are_shared ? "" : fmt::format(" ({} of the source)", with_thousands(preview.source_vocabulary_size)),
                  preview.is_learned ? fmt::format("learned from {}", counted(preview.pairs_read, "pair")) : "given",
                  fmt::join(preview.first_pieces, " "));
  if (!preview.last_pieces.empty()) text += fmt::format("    ... {}\n", fmt::join(preview.last_pieces, " "));
  text += "first pairs\n";
  for (const auto& [source, target] : preview.examples) {
    text += fmt::format("    source {}\n    target {}\n", fmt::join(source, " "), fmt::join(target, " "));
  }
  text += fmt::format("pairs         read {} of {}, kept {}; {}{}\n", with_thousands(preview.pairs_read),
                      about(preview.estimated_lines), with_thousands(preview.pairs_kept), preview.dropped,
                      preview.account.lines());
  text += fmt::format("pieces        {:<48}{}\n", "    source", "target");
  int64_t shortest = 1;
  for (const CorpusPreview::Lengths& range : preview.lengths) {
    if (range.sources + range.targets > 0) text += length_row(shortest, range, preview.pairs_kept);
    shortest = range.longest + 1;
  }
  const double steps = preview.steps_per_epoch(batch_tokens);
  text += fmt::format(
      "epoch         {} pairs of {:.1f} tokens on the longer side, {} steps of {} tokens; {} steps are {:.1f} epochs\n",
      about(preview.estimated_pairs), preview.tokens_per_pair, about(std::max(1.0, steps)),
      with_thousands(batch_tokens), with_thousands(train_steps), static_cast<double>(train_steps) / steps);
  text += fmt::format("preparation   about {} on this machine, {} for the training corpus",
                      human_duration(preview.estimated_seconds), human_bytes(std::llround(preview.estimated_bytes)));
  return text;
}

std::string format_json(const CorpusPreview& preview, int64_t batch_tokens) {
  Json examples = Json::array(), lengths = Json::array(), dropped = Json::object(), kept = Json::object();
  for (const auto& [source, target] : preview.examples) examples.push_back({{"source", source}, {"target", target}});
  for (const auto& [longest, sources, targets] : preview.lengths) {
    lengths.push_back({{"longest", longest}, {"sources", sources}, {"targets", targets}});
  }
  for (size_t i = 0; i < kNumPairFaults; ++i) {
    const auto fault = static_cast<PairFault>(i);
    if (preview.account.dropped[fault].count > 0) dropped[name_of(fault)] = preview.account.dropped[fault].count;
    if (preview.account.kept[fault].count > 0) kept[name_of(fault)] = preview.account.kept[fault].count;
  }
  return json_text({{"vocabulary_size", preview.target_vocabulary_size},
                    {"source_vocabulary_size", preview.source_vocabulary_size},
                    {"first_pieces", preview.first_pieces},
                    {"last_pieces", preview.last_pieces},
                    {"examples", examples},
                    {"pairs_read", preview.pairs_read},
                    {"pairs_kept", preview.pairs_kept},
                    {"dropped", dropped},
                    {"kept", kept},
                    {"lengths", lengths},
                    {"is_whole", preview.is_whole},
                    {"estimated_lines", preview.estimated_lines},
                    {"estimated_pairs", preview.estimated_pairs},
                    {"tokens_per_pair", preview.tokens_per_pair},
                    {"steps_per_epoch", preview.steps_per_epoch(batch_tokens)},
                    {"estimated_bytes", preview.estimated_bytes},
                    {"estimated_preparation_seconds", preview.estimated_seconds}});
}

}  // namespace transformer
