#include "data/encode_corpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <future>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "data/pair_filter.h"
#include "data/unwritable_characters.h"
#include "text/clean_line.h"
#include "text/line_pairs.h"

namespace transformer {
namespace {

struct EncodedPair {
  std::vector<TokenId> source, target;
  std::u32string unwritable;  // lost_characters of the target
};

std::vector<EncodedPair> encode_in_parallel(const Tokenizers& tokenizers, const std::vector<LinePair>& block,
                                            int num_threads) {
  std::vector<EncodedPair> encoded(block.size());
  const auto encode_share = [&](size_t first) {
    for (size_t i = first; i < block.size(); i += static_cast<size_t>(num_threads)) {
      const std::string target = clean_line(block[i].target).text;
      EncodedPair& pair = encoded[i];
      pair.source = tokenizers.source().encode(clean_line(block[i].source).text);
      pair.target = tokenizers.target().encode(target);
      pair.unwritable = lost_characters(target, pair.target, tokenizers.target());
    }
  };
  std::vector<std::future<void>> shares;
  for (int t = 1; t < num_threads; ++t) {
    shares.push_back(std::async(std::launch::async, encode_share, static_cast<size_t>(t)));
  }
  encode_share(0);
  for (auto& share : shares) share.get();  // rethrows an error of the thread
  return encoded;
}

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

CorpusRecord encode_corpus(const CorpusTask& task, const Tokenizers& tokenizers, const DataConfig& config,
                           int num_threads, CorpusWriter& writer, StatusLine& status,
                           const PiecesCallback& for_each_pair) {
  static constexpr size_t kBlock = 20000;
  const auto& [name, num_lines, text, tags] = task;
  CorpusRecord corpus{.num_lines = num_lines, .pairs_of_files = std::vector<int64_t>(text.size())};
  int64_t done = 0, pairs = 0, unknown_source = 0, unknown_target = 0;
  const auto start = Clock::now();
  const std::string activity = "encoding the " + name;
  log_info("{}, {}", activity, counted(num_lines, "pair"));
  status.begin(activity);
  PairFilter filter(config);
  UnwritableCharacters unwritable;
  LinePairReader reader(text);
  for (auto block = reader.next(kBlock); !block.empty(); block = reader.next(kBlock)) {
    auto encoded = encode_in_parallel(tokenizers, block, num_threads);
    for (size_t i = 0; i < block.size(); ++i) {
      auto& [source, target, lost] = encoded[i];
      const size_t tag_size = tags.empty() || source.empty() ? 0 : tags[block[i].file].size();
      if (tag_size > 0) source.insert(source.begin(), tags[block[i].file].begin(), tags[block[i].file].end());
      if (!filter.keep(source.size(), target.size(), text[block[i].file].source, block[i].line_of_file)) continue;
      if (for_each_pair) for_each_pair(block[i].file, {std::span(source).subspan(tag_size), target});
      writer.add({source, target, block[i].line});
      ++pairs;
      ++corpus.pairs_of_files[block[i].file];
      corpus.source_pieces += std::ssize(source);
      corpus.target_pieces += std::ssize(target);
      unknown_source += count_unknown(source, tokenizers.source());
      unknown_target += count_unknown(target, tokenizers.target());
      if (lost.empty()) continue;
      unwritable.add(lost, fmt::format("{}:{}", text[block[i].file].target, block[i].line_of_file));
    }
    done += std::ssize(block);
    status.update(progress_text(activity, "pairs", done, num_lines, seconds_since(start)));
  }
  corpus.dropped = filter.dropped();
  check_dropped_pairs(corpus.dropped, num_lines, name, config);
  check_unknown_pieces(name, "source", unknown_source, corpus.source_pieces);
  check_unknown_pieces(name, "target", unknown_target, corpus.target_pieces);
  if (const std::string warning = unwritable.warning(name, tokenizers.target()); !warning.empty()) {
    log_warning("{}", warning);
  }
  log_info("{}: {}, {} + {} pieces; {}  (took {})", name, counted(pairs, "pair"), with_thousands(corpus.source_pieces),
           with_thousands(corpus.target_pieces), filter.summary(), human_duration(seconds_since(start)));
  return corpus;
}

}  // namespace transformer
