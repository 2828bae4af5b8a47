#include "evaluation/ter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>

#include "evaluation/characters.h"

namespace transformer {
namespace {

using Words = std::vector<uint32_t>;

constexpr size_t kMaxShiftedWords = 10, kMaxShiftDistance = 50, kMaxTriedShifts = 1000, kBeam = 25;

/// More than any edit distance: the distance where the beam does not come.
constexpr int32_t kOutsideBeam = std::numeric_limits<int32_t>::max() / 2;

/// Levenshtein distances between the beginnings of a hypothesis and those of a reference. Row i belongs to the first i
/// words of the hypothesis, column j to the first j words of the reference.
class EditDistances {
 public:
  EditDistances(size_t num_hypothesis_words, const Words& reference)
      : rows_(num_hypothesis_words),
        reference_(reference),
        slope_(static_cast<double>(reference.size()) / static_cast<double>(num_hypothesis_words)),
        beam_(slope_ / 2 > kBeam ? static_cast<size_t>(std::ceil(slope_ / 2 + kBeam)) : kBeam),
        table_((num_hypothesis_words + 1) * width()),
        trial_(2 * width()) {
    for (size_t j = 0; j < width(); ++j) table_[j] = static_cast<int32_t>(j);
  }

  /// Computes the table for a hypothesis that has the first `num_known` words of the previous one.
  void update(const Words& hypothesis, size_t num_known) {
    for (size_t i = num_known + 1; i <= rows_; ++i) compute_row(i, hypothesis[i - 1], row(i - 1), row(i));
  }

  /// The distance of the whole hypothesis of `update` to the whole reference.
  int32_t distance() const { return at(rows_, width() - 1); }

  /// The distance of another hypothesis, which has the first `num_known` words of that of `update`.
  int32_t distance_of(const Words& hypothesis, size_t num_known) {
    const int32_t* previous = row(num_known);
    for (size_t i = num_known + 1; i <= rows_; ++i) {
      int32_t* next = &trial_[i % 2 * width()];
      compute_row(i, hypothesis[i - 1], previous, next);
      previous = next;
    }
    return previous[width() - 1];
  }

  int32_t at(size_t i, size_t j) const { return table_[i * width() + j]; }

 private:
  size_t width() const { return reference_.size() + 1; }
  int32_t* row(size_t i) { return &table_[i * width()]; }

  void compute_row(size_t i, uint32_t word, const int32_t* previous, int32_t* next) const {
    const auto diagonal = static_cast<size_t>(static_cast<double>(i) * slope_);
    const size_t begin = diagonal > beam_ ? diagonal - beam_ : 0;
    const size_t end = i == rows_ ? width() : std::min(width(), diagonal + beam_);
    std::fill_n(next, width(), kOutsideBeam);
    for (size_t j = begin; j < end; ++j) {
      int32_t distance = std::min(kOutsideBeam, previous[j] + 1);
      if (j > 0) {
        distance = std::min({distance, next[j - 1] + 1, previous[j - 1] + (word == reference_[j - 1] ? 0 : 1)});
      }
      next[j] = distance;
    }
  }

  size_t rows_;
  const Words& reference_;
  double slope_;
  size_t beam_;
  std::vector<int32_t> table_, trial_;  // [rows + 1, width], [2, width]
};

/// An alignment of a hypothesis with a reference that has the least edit distance.
struct Alignment {
  // For each word of the reference: the position after the word of the hypothesis that is aligned with it, or, if the
  // hypothesis lacks the word, after the word before.
  std::vector<size_t> end_in_hypothesis;
  std::vector<bool> wrong_in_hypothesis, wrong_in_reference;
};

/// Of several alignments, prefers substitutions, then words that only the hypothesis has, from the end on.
Alignment align(const EditDistances& distances, const Words& hypothesis, const Words& reference) {
  size_t i = hypothesis.size(), j = reference.size();
  Alignment alignment{std::vector<size_t>(j), std::vector<bool>(i), std::vector<bool>(j)};
  while (i > 0 || j > 0) {
    const int32_t distance = distances.at(i, j);
    if (i > 0 && j > 0) {
      const bool differs = hypothesis[i - 1] != reference[j - 1];
      if (distance == distances.at(i - 1, j - 1) + (differs ? 1 : 0)) {
        alignment.end_in_hypothesis[j - 1] = i;
        alignment.wrong_in_hypothesis[i - 1] = alignment.wrong_in_reference[j - 1] = differs;
        --i;
        --j;
        continue;
      }
    }
    if (i > 0 && distance == distances.at(i - 1, j) + 1) {
      alignment.wrong_in_hypothesis[i - 1] = true;
      --i;
    } else {
      alignment.end_in_hypothesis[j - 1] = i;
      alignment.wrong_in_reference[j - 1] = true;
      --j;
    }
  }
  return alignment;
}

/// Moves `length` words from `start` to before the word `target`, or, if that is one of them or the next, by
/// target - start places to the right.
struct Shift {
  int32_t saved_edits = 0;
  size_t length = 0, start = 0, target = 0;

  size_t num_unchanged() const { return std::min(start, target); }  // words at the beginning
  /// Of shifts that save equally many edits, the longest is made, and of these the leftmost.
  bool is_better_than(const Shift& other) const {
    return std::tuple(saved_edits, length, other.start, other.target) >
           std::tuple(other.saved_edits, other.length, start, target);
  }
};

void apply(const Shift& shift, const Words& words, Words& shifted) {
  shifted = words;
  const auto position = [&](size_t i) { return shifted.begin() + static_cast<std::ptrdiff_t>(i); };
  const size_t end = shift.start + shift.length;
  if (shift.target < shift.start) {
    std::rotate(position(shift.target), position(shift.start), position(end));
  } else {
    const size_t last = shift.target > end ? shift.target : std::min(shift.target + shift.length, words.size());
    std::rotate(position(shift.start), position(end), position(last));
  }
}

/// Tries shifts of one hypothesis, and keeps the best that saves edits.
class ShiftSearch {
 public:
  ShiftSearch(const Words& hypothesis, const Words& reference, EditDistances& distances, size_t& num_tried)
      : hypothesis_(hypothesis),
        reference_(reference),
        distances_(distances),
        num_tried_(num_tried),
        alignment_(align(distances, hypothesis, reference)) {}

  /// Tries every sequence of words that both sides have, unless too many shifts have been tried.
  Shift best() {
    for (size_t start = 0; start < hypothesis_.size(); ++start) {
      const size_t first = start > kMaxShiftDistance ? start - kMaxShiftDistance : 0;
      const size_t last = std::min(start + kMaxShiftDistance + 1, reference_.size());
      for (size_t position = first; position < last; ++position) {
        try_sequences(start, position);
        if (num_tried_ >= kMaxTriedShifts) return {};
      }
    }
    return best_;
  }

 private:
  /// The sequences that begin at `start` in the hypothesis and at `position` in the reference, the shortest first.
  void try_sequences(size_t start, size_t position) {
    bool is_wrong_here = false, is_wrong_there = false;
    const size_t longest = std::min({kMaxShiftedWords, hypothesis_.size() - start, reference_.size() - position});
    for (size_t length = 1; length <= longest; ++length) {
      const size_t here = start + length - 1, there = position + length - 1;
      if (hypothesis_[here] != reference_[there]) return;
      is_wrong_here = is_wrong_here || alignment_.wrong_in_hypothesis[here];
      is_wrong_there = is_wrong_there || alignment_.wrong_in_reference[there];
      // Words that are right are not moved, nor are any to a place whose words are right.
      if (!is_wrong_here || !is_wrong_there) continue;
      const size_t aligned_end = alignment_.end_in_hypothesis[position];
      if (start < aligned_end && aligned_end <= start + length) continue;  // they would move within themselves
      try_targets(start, position, length);
      if (num_tried_ >= kMaxTriedShifts) return;
    }
  }

  /// Moves the sequence behind the word of the hypothesis that is aligned with the reference's word before the
  /// sequence, or with one of the sequence.
  void try_targets(size_t start, size_t position, size_t length) {
    Shift shift{0, length, start, hypothesis_.size() + 1};
    for (size_t i = 0; i <= length; ++i) {
      const size_t target = position + i == 0 ? 0 : alignment_.end_in_hypothesis[position + i - 1];
      if (target == shift.target) continue;
      shift.target = target;
      apply(shift, hypothesis_, shifted_);
      shift.saved_edits = distances_.distance() - distances_.distance_of(shifted_, shift.num_unchanged());
      ++num_tried_;
      if (shift.saved_edits > 0 && shift.is_better_than(best_)) best_ = shift;
    }
  }

  const Words &hypothesis_, &reference_;
  EditDistances& distances_;
  size_t& num_tried_;
  Alignment alignment_;
  Words shifted_;
  Shift best_;
};

template <class Real>
Real ratio_of(Real edits, Real length) {
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100 : 0;
}

}  // namespace

int64_t count_edits(std::vector<uint32_t> hypothesis, const std::vector<uint32_t>& reference) {
  if (hypothesis.empty() || reference.empty()) return std::ssize(hypothesis) + std::ssize(reference);
  EditDistances distances(hypothesis.size(), reference);
  distances.update(hypothesis, 0);
  size_t num_tried = 0;
  int64_t num_shifts = 0;
  for (Words shifted;;) {
    const Shift shift = ShiftSearch(hypothesis, reference, distances, num_tried).best();
    if (shift.saved_edits == 0) return num_shifts + distances.distance();
    apply(shift, hypothesis, shifted);
    hypothesis.swap(shifted);
    distances.update(hypothesis, shift.num_unchanged());
    ++num_shifts;
  }
}

std::string Ter::settings() const {
  const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format("case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|version:{}",
                     options_.case_sensitive ? "mixed" : "lc", yes_or_no(options_.normalized),
                     yes_or_no(!options_.no_punctuation), yes_or_no(options_.asian_support), kSacrebleuVersion);
}

std::vector<uint32_t> Ter::words_of(std::string_view line) {
  const std::string words = tokenize_tercom(options_, line);
  return word_numbers_.of(split_at_whitespace(words));
}

Statistics Ter::statistics(std::string_view hypothesis, const std::vector<std::string_view>& references) {
  const Words words = words_of(hypothesis);
  int64_t fewest = std::numeric_limits<int64_t>::max();
  size_t total_length = 0;
  for (const std::string_view line : references) {
    const Words reference = words_of(line);
    fewest = std::min(fewest, count_edits(words, reference));
    total_length += reference.size();
  }
  return {static_cast<double>(fewest), static_cast<double>(total_length) / static_cast<double>(references.size())};
}

double Ter::score(const Statistics& sums) const { return ratio_of(sums[0], sums[1]); }

double Ter::resampled_score(std::span<const float> sums) const { return ratio_of(sums[0], sums[1]); }

}  // namespace transformer
