#include "text/word_cache.h"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

struct Word {
  std::string text;
  TokenId piece;
};

/// Pairs of different words that have the same first slot.
std::vector<std::pair<Word, Word>> words_that_share_a_slot(size_t num_pairs) {
  std::vector<std::pair<Word, Word>> pairs;
  std::unordered_map<size_t, Word> unpaired;
  for (TokenId number = 0; pairs.size() < num_pairs; ++number) {
    const Word word{std::to_string(number), number};
    const size_t slot = std::hash<std::string_view>()(word.text) % WordCache::kNumSlots;
    const auto [other, is_new] = unpaired.emplace(slot, word);
    if (is_new) continue;
    pairs.emplace_back(other->second, word);
    unpaired.erase(other);
  }
  return pairs;
}

bool has_no_other_pieces(const WordCache& cache, const Word& word) {
  const auto pieces = cache.find(word.text);
  return !pieces || (pieces->size() == 1 && pieces->front() == word.piece);
}

}  // namespace

TEST_CASE("word cache finds no pieces of another word that a thread adds meanwhile") {
  WordCache cache;
  const auto pairs = words_that_share_a_slot(100000);
  static constexpr size_t kBlock = 100;
  std::atomic<size_t> num_arrived = 0;
  std::atomic<int> num_wrong = 0;
  const auto look_up_and_add = [&](const Word std::pair<Word, Word>::*side) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Word& word = pairs[i].*side;
      if (i % kBlock == 0) {  // so that both threads use a slot at about the same time
        ++num_arrived;
        while (num_arrived < 2 * (i / kBlock + 1)) std::this_thread::yield();
      }
      for (int times = 0; times < 5; ++times) num_wrong += has_no_other_pieces(cache, word) ? 0 : 1;
      cache.add(word.text, {&word.piece, 1});
      num_wrong += has_no_other_pieces(cache, word) ? 0 : 1;
    }
  };
  std::thread other(look_up_and_add, &std::pair<Word, Word>::second);
  look_up_and_add(&std::pair<Word, Word>::first);
  other.join();
  CHECK(num_wrong == 0);
  for (const auto& [first, second] : pairs) {
    for (const Word& word : {first, second}) REQUIRE(cache.find(word.text).value().front() == word.piece);
  }
}

TEST_CASE("word cache keeps no long words") {
  WordCache cache;
  const TokenId piece = 7;
  for (const size_t size : {64, 65}) {
    const std::string word(size, 'a');
    cache.add(word, {&piece, 1});
    CHECK(cache.find(word).has_value() == (size == 64));
  }
}

}  // namespace transformer
