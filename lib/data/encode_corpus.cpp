#include "data/encode_corpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <span>
#include <string>
#include <utility>

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
  std::u32string unwritable = {};  // lost_characters of the target
};

struct Block {
  std::vector<LinePair> lines;
  std::vector<EncodedPair> pairs = {};  // of the lines, in their order
};

/// Encodes a block on several threads, while the calling thread may do something else.
class BlockEncoder {
 public:
  /// Starts the other threads. The block's lines must not change until `finish` has returned.
  BlockEncoder(const Tokenizers& tokenizers, Block& block, int num_threads) : tokenizers_(tokenizers), block_(block) {
    block.pairs.resize(block.lines.size());
    for (int t = 1; t < num_threads; ++t) {
      threads_.push_back(std::async(std::launch::async, [this] { encode_shares(); }));
    }
  }

  /// Encodes what is left and waits for the other threads. Throws the error of any of them.
  void finish() {
    encode_shares();
    for (auto& thread : threads_) thread.get();
  }

 private:
  static constexpr size_t kShare = 128;  // lines that a thread takes at once

  void encode_shares() {
    const size_t num_lines = block_.lines.size();
    for (size_t begin = next_.fetch_add(kShare); begin < num_lines; begin = next_.fetch_add(kShare)) {
      for (size_t i = begin; i < std::min(begin + kShare, num_lines); ++i) block_.pairs[i] = encode(block_.lines[i]);
    }
  }

  EncodedPair encode(const LinePair& line) const {
    const std::string target = clean_line(line.target).text;
    EncodedPair pair{.source = tokenizers_.source().encode(clean_line(line.source).text),
                     .target = tokenizers_.target().encode(target)};
    pair.unwritable = lost_characters(target, pair.target, tokenizers_.target());
    return pair;
  }

  const Tokenizers& tokenizers_;
  Block& block_;
  std::atomic<size_t> next_ = 0;  // the first line that no thread has taken
  std::vector<std::future<void>> threads_;
};

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
  static constexpr size_t kBlock = 10000;
  const auto& [name, num_lines, text, tags] = task;
  CorpusRecord corpus{.num_lines = num_lines, .pairs_of_files = std::vector<int64_t>(text.size())};
  int64_t done = 0, pairs = 0, unknown_source = 0, unknown_target = 0;
  const auto start = Clock::now();
  const std::string activity = "encoding the " + name;
  log_info("{}, {}", activity, counted(num_lines, "pair"));
  status.begin(activity);
  PairFilter filter(config);
  UnwritableCharacters unwritable;
  const auto add = [&](const LinePair& line, EncodedPair& encoded) {
    auto& [source, target, lost] = encoded;
    const size_t tag_size = tags.empty() || source.empty() ? 0 : tags[line.file].size();
    if (tag_size > 0) source.insert(source.begin(), tags[line.file].begin(), tags[line.file].end());
    if (!filter.keep(source.size(), target.size(), text[line.file].source, line.line_of_file)) return;
    if (for_each_pair) for_each_pair(line.file, {std::span(source).subspan(tag_size), target});
    writer.add({source, target, line.line});
    ++pairs;
    ++corpus.pairs_of_files[line.file];
    corpus.source_pieces += std::ssize(source);
    corpus.target_pieces += std::ssize(target);
    unknown_source += count_unknown(source, tokenizers.source());
    unknown_target += count_unknown(target, tokenizers.target());
    if (!lost.empty()) unwritable.add(lost, fmt::format("{}:{}", text[line.file].target, line.line_of_file));
  };
  LinePairReader reader(text);
  Block encoded, block{reader.next(kBlock)};
  while (!block.lines.empty() || !encoded.lines.empty()) {
    BlockEncoder encoder(tokenizers, block, num_threads);
    // Meanwhile this thread writes the block before, and reads the one behind.
    for (size_t i = 0; i < encoded.lines.size(); ++i) add(encoded.lines[i], encoded.pairs[i]);
    done += std::ssize(encoded.lines);
    status.update(progress_text(activity, "pairs", done, num_lines, seconds_since(start)));
    Block next{block.lines.empty() ? std::vector<LinePair>() : reader.next(kBlock)};
    encoder.finish();
    encoded = std::move(block);
    block = std::move(next);
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
