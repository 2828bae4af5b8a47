#include "data/encode_text.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "base/splitmix64.h"
#include "base/words.h"
#include "data/unwritable_characters.h"
#include "text/clean_line.h"
#include "text/script.h"

namespace transformer {
namespace {

std::optional<Script> script_of(const std::optional<std::string>& name) {
  return name ? Script::find(*name) : std::nullopt;
}

uint64_t hash_of(std::string_view source, std::string_view target) {
  const std::hash<std::string_view> hash;
  return splitmix64(hash(source)) ^ hash(target);
}

class PairEncoder {
 public:
  PairEncoder(const Tokenizers& tokenizers, const DataConfig& config)
      : tokenizers_(tokenizers),
        target_pieces_(tokenizers.target()),
        source_script_(script_of(config.source_script)),
        target_script_(script_of(config.target_script)) {}

  /// Replaces `pair` and keeps the memory of its lists: pairs are encoded and used by different threads, and with
  /// memory that one thread allocates and another frees, the threads would wait for each other.
  void encode(const LinePair& line, EncodedPair& pair) const {
    const CleanLine source = clean_line(line.source), target = clean_line(line.target);
    const auto has_other = [](const std::optional<Script>& script, const CleanLine& side) {
      return script && !script->writes(side.text);
    };
    const auto source_pieces = tokenizers_.source().encode(source.text),
               target_pieces = tokenizers_.target().encode(target.text);
    pair.line = line.line;
    pair.file = line.file;
    pair.line_of_file = line.line_of_file;
    pair.source.assign(source_pieces.begin(), source_pieces.end());
    pair.target.assign(target_pieces.begin(), target_pieces.end());
    pair.hash = hash_of(trimmed(source.text), trimmed(target.text));
    pair.is_copy = is_copy(source.text, target.text);
    pair.is_source_invalid = source.was_invalid;
    pair.is_target_invalid = target.was_invalid;
    pair.has_other_script = has_other(source_script_, source) || has_other(target_script_, target);
    pair.unwritable = target_pieces_.lost_characters(target.text, target_pieces);
  }

 private:
  const Tokenizers& tokenizers_;
  PieceTexts target_pieces_;
  std::optional<Script> source_script_, target_script_;
};

/// Encodes a block on several threads, while the calling thread may do something else.
class BlockEncoder {
 public:
  /// Starts the other threads, which replace the pairs of `block`, any block. The lines must not change until `finish`
  /// has returned.
  BlockEncoder(const PairEncoder& encoder, const std::vector<LinePair>& lines, EncodedBlock block, int num_threads)
      : encoder_(encoder), lines_(lines), pairs_(std::move(block)) {
    pairs_.resize(lines.size());
    for (int t = 1; t < num_threads; ++t) {
      threads_.push_back(std::async(std::launch::async, [this] { encode_shares(); }));
    }
  }

  /// Encodes what is left, waits for the other threads and returns the pairs. Throws the error of any of the threads.
  EncodedBlock finish() {
    encode_shares();
    for (auto& thread : threads_) thread.get();
    return std::move(pairs_);
  }

 private:
  static constexpr size_t kShare = 128;  // lines that a thread takes at once

  void encode_shares() {
    const size_t num_lines = lines_.size();
    for (size_t begin = next_.fetch_add(kShare); begin < num_lines; begin = next_.fetch_add(kShare)) {
      for (size_t i = begin; i < std::min(begin + kShare, num_lines); ++i) encoder_.encode(lines_[i], pairs_[i]);
    }
  }

  const PairEncoder& encoder_;
  const std::vector<LinePair>& lines_;
  EncodedBlock pairs_;
  std::atomic<size_t> next_ = 0;  // the first line that no thread has taken
  std::vector<std::future<void>> threads_;
};

/// Reads the blocks of a part of a text.
class BlockReader {
 public:
  BlockReader(const std::vector<ParallelFiles>& text, const TextPart& part)
      : reader_(text, part.max_lines_of_file), part_(part) {}

  /// The next block of the part; empty at the end.
  std::vector<LinePair> next() {
    while (true) {
      auto lines = reader_.next(TextPart::kBlockLines);
      if (lines.empty() || part_.has(num_blocks_++)) return lines;
    }
  }
  /// The number of blocks so far, those of other parts included.
  int64_t num_blocks() const { return num_blocks_; }

 private:
  LinePairReader reader_;
  TextPart part_;
  int64_t num_blocks_ = 0;
};

}  // namespace

int64_t encode_text(const std::vector<ParallelFiles>& text, const Tokenizers& tokenizers, const DataConfig& config,
                    int num_threads, const BlockCallback& add, const TextPart& part) {
  const PairEncoder pair_encoder(tokenizers, config);
  BlockReader reader(text, part);
  EncodedBlock encoded, passed_on;
  std::vector<LinePair> lines = reader.next(), encoded_lines;
  while (!lines.empty() || !encoded.empty()) {
    BlockEncoder encoder(pair_encoder, lines, std::move(passed_on), num_threads);
    // Meanwhile this thread passes on the block before, frees its lines, and reads the block behind.
    if (!encoded.empty()) add(encoded);
    passed_on = std::move(encoded);
    encoded_lines.clear();
    std::vector<LinePair> next = lines.empty() ? std::vector<LinePair>() : reader.next();
    encoded = encoder.finish();
    encoded_lines = std::exchange(lines, std::move(next));
  }
  return reader.num_blocks();
}

}  // namespace transformer
