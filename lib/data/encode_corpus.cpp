#include "data/encode_corpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/splitmix64.h"
#include "data/pair_filter.h"
#include "data/unwritable_characters.h"
#include "text/source_tags.h"

namespace transformer {
namespace {

int64_t count_unknown(const std::vector<TokenId>& pieces, const Tokenizer& tokenizer) {
  return std::count(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown);
}

/// Warns if so many of the `pieces` of one side of a corpus are unknown that the vocabulary was hardly made for it.
void check_unknown_pieces(const std::string& corpus, const std::string& side, int64_t unknown, int64_t pieces) {
  static constexpr int64_t kTolerated = 100;  // one in so many pieces
  if (kTolerated * unknown <= pieces) return;
  log_warning(
      "{}: {:.1f} % of its {} pieces are unknown to the vocabulary; learn one from this text if the vocabulary was "
      "given, or increase data.character_coverage if it was learned",
      corpus, 100 * static_cast<double>(unknown) / static_cast<double>(pieces), side);
}

}  // namespace

std::vector<std::vector<TokenId>> encode_tags(const std::vector<TrainingCorpus>& text, const Tokenizer& tokenizer) {
  std::vector<std::vector<TokenId>> encoded;
  for (const TrainingCorpus& corpus : text) {
    const std::string tag = corpus.tag.value_or("");
    encoded.push_back(tokenizer.encode(tag));
    if (count_unknown(encoded.back(), tokenizer) == 0) continue;
    throw UsageError("data.train.tag: '{}' has a character that the vocabulary lacks; give another tag", tag);
  }
  return encoded;
}

size_t add_tag(const std::vector<std::vector<TokenId>>& tags, EncodedPair& pair) {
  if (tags.empty()) return 0;
  const size_t size = put_tag_before(pair.source, tags[pair.file]);
  for (size_t i = 0; i < size; ++i) pair.hash = splitmix64(pair.hash + static_cast<uint64_t>(pair.source[i]));
  return size;
}

CorpusRecord collect_corpus(const CorpusTask& task, const EncodedText& encode, const Tokenizers& tokenizers,
                            const DataConfig& config, CorpusWriter& writer, StatusLine& status,
                            const PiecesCallback& for_each_pair) {
  const std::string& name = task.name;  // clang 15 and older capture no structured bindings
  const std::vector<ParallelFiles>& text = task.text;
  const int64_t num_lines = task.num_lines;
  CorpusRecord corpus{.num_lines = num_lines, .pairs_of_files = std::vector<int64_t>(text.size())};
  int64_t done = 0, pairs = 0, unknown_source = 0, unknown_target = 0;
  const auto start = Clock::now();
  const std::string activity = "encoding the " + name;
  log_info("{}, {}", activity, counted(num_lines, "pair"));
  status.begin(activity);
  PairFilter filter(config);
  UnwritableCharacters unwritable;
  const auto add = [&](EncodedPair& pair) {
    std::vector<TokenId>&source = pair.source, &target = pair.target;
    const size_t tag_size = add_tag(task.tags, pair);
    const PairPieces pieces{std::span(source).subspan(tag_size), target};
    const auto place = [&](const std::string& path) { return fmt::format("{}:{}", path, pair.line_of_file); };
    if (!filter.keep(pair, text[pair.file])) return;
    if (for_each_pair && for_each_pair(pair.file, pieces)) filter.add_held_out(place(text[pair.file].source));
    writer.add({source, target, pair.line});
    ++pairs;
    ++corpus.pairs_of_files[pair.file];
    corpus.source_pieces += std::ssize(source);
    corpus.target_pieces += std::ssize(target);
    unknown_source += count_unknown(source, tokenizers.source());
    unknown_target += count_unknown(target, tokenizers.target());
    if (!pair.unwritable.empty()) unwritable.add(pair.unwritable, place(text[pair.file].target));
  };
  encode([&](EncodedBlock& block) {
    for (EncodedPair& pair : block) add(pair);
    done += std::ssize(block);
    status.update(progress_text(activity, "pairs", done, num_lines, seconds_since(start)));
  });
  corpus.account = filter.account();
  check_dropped_pairs(corpus.account.dropped, num_lines, name, config);
  check_unknown_pieces(name, "source", unknown_source, corpus.source_pieces);
  check_unknown_pieces(name, "target", unknown_target, corpus.target_pieces);
  if (const std::string warning = unwritable.warning(name, tokenizers.target()); !warning.empty()) {
    log_warning("{}", warning);
  }
  log_info("{}: {}, {} + {} pieces; {}  (took {}){}", name, counted(pairs, "pair"),
           with_thousands(corpus.source_pieces), with_thousands(corpus.target_pieces), filter.summary(),
           human_duration(seconds_since(start)), corpus.account.lines());
  return corpus;
}

CorpusRecord encode_corpus(const CorpusTask& task, const Tokenizers& tokenizers, const DataConfig& config,
                           int num_threads, CorpusWriter& writer, StatusLine& status) {
  const auto encode = [&](const BlockCallback& add) { encode_text(task.text, tokenizers, config, num_threads, add); };
  return collect_corpus(task, encode, tokenizers, config, writer, status);
}

}  // namespace transformer
