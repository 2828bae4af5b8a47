#include "text/bpe_pieces.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace transformer {
namespace {

constexpr int32_t kNone = -1;  // no place, symbol or count

/// A character's script by SentencePiece's table, which is that of Unicode 9 but for a few characters.
int script_of(char32_t character) {
  static constexpr int kTableVersion = 9;
  const auto c = static_cast<UChar32>(character);
  UVersionInfo age;
  u_charAge(c, age);
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  if (age[0] > kTableVersion || script == USCRIPT_UNKNOWN || c == 0x0589 || c == 0x061C) return USCRIPT_COMMON;
  if (c == 0x0953 || c == 0x0954) return USCRIPT_DEVANAGARI;
  const bool is_kana = script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA || c == 0x30FC;
  return is_kana ? USCRIPT_HAN : script;
}

/// Whether SentencePiece makes a piece of these characters with the trainer's default settings.
bool may_be_piece(std::u32string_view characters) {
  static constexpr size_t kMaxLength = 16;
  if (characters.size() > kMaxLength) return false;
  int script = kNone;
  for (size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = characters[i];
    if (c == kUnknownCharacter || c == '\0' || c == '\t' || c == ' ') return false;
    if (c == kSpaceMarkCharacter) {
      if (i > 0) return false;
      continue;
    }
    int own = script_of(c);
    if (own == USCRIPT_INHERITED) own = script;
    if (script != kNone && own != kNone && own != script) return false;
    script = own;
  }
  return true;
}

/// A character, or a pair of adjacent symbols.
struct Symbol {
  int32_t left = kNone, right = kNone;  // of a pair
  int32_t begin = 0, length = 0;        // an occurrence of its characters in the text
  std::vector<int32_t> places = {};     // where it begins, in ascending order, and where it began before other merges
  int64_t count_at_update = 0;          // of a pair of equal symbols
  int32_t update = 0;                   // the update of the candidates before the pair was found
  bool is_outdated = false;             // its count, of a pair of equal symbols
  bool was_gone = false;                // found again after it was removed, without its places

  bool is_double() const { return left != kNone && left == right; }
};

class BpeLearner {
 public:
  BpeLearner(const std::vector<CountedWord>& words, bool counts_overlaps)
      : counts_overlaps_(counts_overlaps), candidates_(IsWorse{this}) {
    for (const CountedWord& word : words) add_word(word);
    for (int32_t place = 0; place < std::ssize(text_); ++place) add_pair(place);
    add_new_candidates();
  }

  std::optional<std::vector<std::u32string>> learn(size_t num_pieces) {
    static constexpr size_t kUpdateEvery = 100;  // the trainer then chooses the pairs that it compares
    std::vector<std::u32string> pieces;
    while (pieces.size() < num_pieces) {
      if (pieces.size() % kUpdateEvery == 0) {
        update_candidates();
      } else {
        recount_doubles();
      }
      const int32_t best = is_ambiguous_ ? kNone : take_best();
      if (best == kNone || is_ambiguous_) return std::nullopt;
      if (known_pieces_.insert(characters(best)).second) {
        pieces.emplace_back(characters(best));
        merge(best);
      }
      remove(best);
    }
    return pieces;
  }

 private:
  struct Candidate {
    int64_t count;
    int32_t symbol;
  };
  struct IsWorse {
    const BpeLearner* learner;
    bool operator()(const Candidate& one, const Candidate& other) const { return learner->is_better(other, one); }
  };

  Symbol& symbol(int32_t id) { return symbols_[static_cast<size_t>(id)]; }
  const Symbol& symbol(int32_t id) const { return symbols_[static_cast<size_t>(id)]; }
  int64_t& count(int32_t id) { return counts_[static_cast<size_t>(id)]; }
  int32_t& symbol_at(int32_t place) { return symbol_at_[static_cast<size_t>(place)]; }
  int32_t& next(int32_t place) { return next_[static_cast<size_t>(place)]; }
  int32_t& previous(int32_t place) { return previous_[static_cast<size_t>(place)]; }
  int64_t word_count(int32_t place) const { return count_at_[static_cast<size_t>(place)]; }
  static uint64_t key_of(int32_t left, int32_t right) {
    return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  }
  std::u32string_view characters(int32_t id) const {
    return std::u32string_view(text_).substr(static_cast<size_t>(symbol(id).begin),
                                             static_cast<size_t>(symbol(id).length));
  }

  /// The order in which the trainer makes pieces: by count, length and code points.
  bool is_better(const Candidate& one, const Candidate& other) const {
    if (one.count != other.count) return one.count > other.count;
    const int32_t length = symbol(one.symbol).length, other_length = symbol(other.symbol).length;
    return length != other_length ? length < other_length : characters(one.symbol) < characters(other.symbol);
  }

  void add_word(const CountedWord& word) {
    const auto begin = static_cast<int32_t>(text_.size()), end = begin + static_cast<int32_t>(word.characters.size());
    text_ += word.characters;
    for (int32_t place = begin; place < end; ++place) {
      const char32_t character = text_[static_cast<size_t>(place)];
      const auto [found, is_new] = characters_.emplace(character, static_cast<int32_t>(symbols_.size()));
      if (is_new) add_symbol({.begin = place, .length = 1}, kNone);
      symbol_at_.push_back(found->second);
      previous_.push_back(place == begin ? kNone : place - 1);
      next_.push_back(place + 1 == end ? kNone : place + 1);
      count_at_.push_back(word.count);
    }
  }

  void add_symbol(Symbol symbol, int64_t count) {
    symbols_.push_back(std::move(symbol));
    counts_.push_back(count);
  }

  /// The symbol of the pair whose left symbol is at this place; kNone if the pair cannot become a piece.
  int32_t pair_at(int32_t place) {
    const int32_t left = symbol_at(place), right = symbol_at(next(place));
    const auto [found, is_new] = pairs_.emplace(key_of(left, right), kNone);
    if (!is_new) return found->second;
    const int32_t length = symbol(left).length + symbol(right).length;
    const std::u32string_view text(text_);
    if (!may_be_piece(text.substr(static_cast<size_t>(place), static_cast<size_t>(length)))) return kNone;
    ++num_pairs_;
    found->second = static_cast<int32_t>(symbols_.size());
    if (left == right) doubles_.push_back(found->second);
    add_symbol({.left = left, .right = right, .begin = place, .length = length, .update = num_updates_}, 0);
    symbols_.back().was_gone = gone_pairs_.contains(found->first);
    new_pairs_.push_back(found->second);
    return found->second;
  }

  /// Counts the pair whose left symbol is at this place.
  void add_pair(int32_t place) {
    if (place == kNone || next(place) == kNone) return;
    const int32_t id = pair_at(place);
    if (id == kNone) return;
    Symbol& pair = symbol(id);
    pair.places.push_back(place);
    if (pair.is_double()) {
      mark_outdated(id);
    } else {
      count(id) += word_count(place);
    }
  }

  /// Uncounts the pair whose left symbol is at this place, because one of its symbols is merged with another.
  void remove_pair(int32_t place, int32_t best) {
    if (place == kNone || next(place) == kNone) return;
    const int32_t id = pair_at(place);
    if (id == kNone || id == best || symbol(id).was_gone) return;
    if (symbol(id).is_double()) {
      mark_outdated(id);
    } else {
      count(id) -= word_count(place);
    }
  }

  void mark_outdated(int32_t id) {
    if (!symbol(id).is_outdated) outdated_.push_back(id);
    symbol(id).is_outdated = true;
  }

  /// The trainer counts a pair of equal symbols anew when it compares the pair next, and then drops those of its places
  /// that overlap, for good. So it matters when that is.
  void recount(int32_t id) {
    Symbol& pair = symbol(id);
    pair.is_outdated = false;
    if (count(id) == kNone) return;
    count(id) = 0;
    int32_t end = kNone;  // the right symbol of the place before
    std::erase_if(pair.places, [&](int32_t place) {
      const bool overlaps = !counts_overlaps_ && place == end;
      if (overlaps || !is_pair_at(pair, place)) {
        end = kNone;
        return true;
      }
      count(id) += word_count(place);
      end = next(place);
      return false;
    });
    if (count(id) > 0) candidates_.push({count(id), id});
  }

  bool is_pair_at(const Symbol& pair, int32_t place) {
    return symbol_at(place) == pair.left && next(place) != kNone && symbol_at(next(place)) == pair.right;
  }

  bool has_overlaps(const Symbol& pair) {
    return std::any_of(pair.places.begin(), pair.places.end(), [&](int32_t place) {
      return is_pair_at(pair, place) && std::binary_search(pair.places.begin(), pair.places.end(), next(place));
    });
  }

  /// Recounts the pairs of equal symbols that the trainer compares now, and those for which it does not matter when.
  void recount_doubles() {
    std::vector<int32_t> later;
    for (const int32_t id : outdated_) {
      const Symbol& pair = symbol(id);
      const bool is_compared = pair.update == num_updates_ || pair.count_at_update > least_count_;
      if (is_compared || counts_overlaps_ || !has_overlaps(pair)) {
        recount(id);
        continue;
      }
      // Which pairs of those with the least count are compared depends on the order of a hash table.
      if (pair.count_at_update == least_count_) is_ambiguous_ = true;
      later.push_back(id);
    }
    outdated_ = std::move(later);
  }

  /// Finds the count that a pair must exceed to be compared until the next update; all pairs found later are.
  void update_candidates() {
    static constexpr int kFewest = 1000;
    static constexpr float kShare = 0.05f;
    for (const int32_t id : outdated_) recount(id);
    outdated_.clear();
    for (const int32_t id : doubles_) symbol(id).count_at_update = count(id);
    ++num_updates_;
    const size_t num_symbols = characters_.size() + num_pairs_;
    const auto num_compared =
        static_cast<size_t>(std::max(kFewest, static_cast<int>(static_cast<float>(num_symbols) * kShare)));
    std::vector<int64_t> counts;
    // All pairs, but first only those with large counts, which nearly always are enough.
    for (const int64_t least : {least_count_ / 2, int64_t{0}}) {
      counts.clear();
      std::copy_if(counts_.begin(), counts_.end(), std::back_inserter(counts),
                   [&](int64_t count) { return count >= least; });
      if (counts.size() > num_compared) break;
    }
    least_count_ = kNone;
    if (num_compared >= counts.size()) return;
    const auto least = counts.begin() + static_cast<ptrdiff_t>(num_compared) - 1;
    std::nth_element(counts.begin(), least, counts.end(), std::greater<>());
    least_count_ = *least;
  }

  /// Drops candidates that were removed, and corrects counts, until the first one is right.
  void correct_first_candidate() {
    while (!candidates_.empty()) {
      const Candidate first = candidates_.top();
      const int64_t now = count(first.symbol);
      if (now == first.count) return;
      candidates_.pop();
      if (now > 0) candidates_.push({now, first.symbol});
    }
  }

  /// The pair that becomes the next piece; kNone if there is none, or more than one.
  int32_t take_best() {
    correct_first_candidate();
    if (candidates_.empty()) return kNone;
    const Candidate best = candidates_.top();
    candidates_.pop();
    if (best.count <= least_count_) return kNone;
    // The same pair may be a candidate twice.
    do {
      correct_first_candidate();
      if (candidates_.empty() || candidates_.top().symbol != best.symbol) break;
      candidates_.pop();
    } while (true);
    return !candidates_.empty() && !is_better(best, candidates_.top()) ? kNone : best.symbol;
  }

  void merge(int32_t best) {
    const std::vector<int32_t> places = std::move(symbol(best).places);
    for (const int32_t place : places) {
      if (!is_pair_at(symbol(best), place)) continue;
      const int32_t right = next(place), behind = next(right), before = previous(place);
      remove_pair(before, best);
      remove_pair(right, best);
      symbol_at(place) = best;
      symbol_at(right) = kNone;
      next(place) = behind;
      if (behind != kNone) previous(behind) = place;
      add_pair(before);
      add_pair(place);
    }
    add_new_candidates();
  }

  void add_new_candidates() {
    for (const int32_t id : new_pairs_) {
      if (count(id) > 0) candidates_.push({count(id), id});
    }
    new_pairs_.clear();
  }

  /// Removes a pair that was merged or is equal to an earlier piece.
  void remove(int32_t id) {
    Symbol& pair = symbol(id);
    count(id) = kNone;
    pair.places = {};
    const uint64_t key = key_of(pair.left, pair.right);
    pairs_.erase(key);
    gone_pairs_.insert(key);
    --num_pairs_;
  }

  const bool counts_overlaps_;
  // The text of all words, one behind the other; for each place in it the symbol that begins there, if one does, the
  // places of the symbols of the word before and behind it, and the word's count.
  std::u32string text_;
  std::vector<int32_t> symbol_at_, previous_, next_;
  std::vector<int64_t> count_at_;

  std::vector<Symbol> symbols_;
  std::vector<int64_t> counts_;   // of the symbols that are pairs; kNone for the others and for those that were removed
  std::vector<int32_t> doubles_;  // the pairs of equal symbols
  std::unordered_map<char32_t, int32_t> characters_;  // the symbols of characters
  std::unordered_map<uint64_t, int32_t> pairs_;       // the symbols of pairs, kNone for one that cannot be a piece
  std::unordered_set<uint64_t> gone_pairs_;
  size_t num_pairs_ = 0;            // that can be pieces
  std::vector<int32_t> new_pairs_;  // found by the merge in progress
  std::vector<int32_t> outdated_;   // pairs to recount
  std::unordered_set<std::u32string_view> known_pieces_;
  std::priority_queue<Candidate, std::vector<Candidate>, IsWorse>
      candidates_;  // with counts that are right or too high
  int32_t num_updates_ = 0;
  int64_t least_count_ = kNone;  // of the pairs that were compared at the last update; kNone if all were
  bool is_ambiguous_ = false;
};

}  // namespace

std::optional<std::vector<std::u32string>> learn_bpe_pieces(const std::vector<CountedWord>& words, size_t num_pieces,
                                                            bool counts_overlaps) {
  return BpeLearner(words, counts_overlaps).learn(num_pieces);
}

}  // namespace transformer
