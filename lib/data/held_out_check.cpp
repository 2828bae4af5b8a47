#include "data/held_out_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "data/text_check.h"
#include "text/clean_line.h"

namespace transformer {
namespace {

constexpr int64_t kFewestPairs = 100;  // of a text whose statistics say something

std::vector<ParallelFiles> held_out_texts(const DataConfig& config) {
  std::vector<ParallelFiles> texts(config.valid.begin(), config.valid.end());
  if (config.test_source && config.test_target) texts.push_back({*config.test_source, *config.test_target});
  return texts;
}

/// The tags that a training text has; source lines of other texts may begin with them.
std::vector<std::string> tags_of(const std::vector<TrainingCorpus>& training_text) {
  std::vector<std::string> tags;
  for (const TrainingCorpus& corpus : training_text) {
    if (!corpus.tag.value_or("").empty()) tags.push_back(*corpus.tag);
  }
  return tags;
}

std::string without_tag(const std::string& line, const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) {
    if (line.starts_with(tag + ' ')) return line.substr(tag.size() + 1);
  }
  return line;
}

}  // namespace

HeldOutCheck::HeldOutCheck(const DataConfig& config, const Tokenizers& tokenizers)
    : config_(config),
      texts_(held_out_texts(config)),
      overlap_(texts_),
      validation_(config.valid.size(), PairStatistics(tokenizers.sizes())),
      training_(config.train.size(), PairStatistics(tokenizers.sizes())) {
  static constexpr size_t kBlock = 20000;
  const auto tags = tags_of(config.train);
  const auto read = [&](size_t text) {
    LinePairReader reader({texts_[text]});
    for (auto block = reader.next(kBlock); !block.empty(); block = reader.next(kBlock)) {
      for (const LinePair& line : block) {
        const auto source = tokenizers.source().encode(without_tag(clean_line(line.source).text, tags));
        const auto target = tokenizers.target().encode(clean_line(line.target).text);
        overlap_.add_pair(text, {source, target});
        if (text < validation_.size()) validation_[text].add({source, target});
      }
    }
  };
  for (size_t text = 0; text < config.valid.size(); ++text) read(text);
  if (texts_.size() == config.valid.size()) return;
  try {
    for (const std::string& warning : check_text({texts_.back()}, TextUse::evaluation).warnings)
      log_warning("{}", warning);
    read(config.valid.size());
  } catch (const Error& error) {
    log_warning("data.test: {}; not compared with the training and validation text", error.what());
  }
}

bool HeldOutCheck::add_training_pair(size_t file, const PairPieces& pair) {
  training_[file].add(pair);
  return overlap_.add_training_pair(pair);
}

std::vector<std::string> HeldOutCheck::warnings() const {
  std::vector<std::string> warnings = overlap_.warnings();
  for (size_t set = 0; set < validation_.size(); ++set) {
    const std::string language = warning_of_other_language(set);
    if (!language.empty()) warnings.push_back(language);
    for (size_t file = 0; file < training_.size(); ++file) {
      const std::string order = warning_of_other_order(file, set);
      if (!order.empty()) warnings.push_back(order);
    }
  }
  return warnings;
}

std::string HeldOutCheck::warning_of_other_language(size_t set) const {
  // Text of another domain, or little text, has other pieces on both sides. Text of another language is told from that
  // by the other side. The second rule lets text of several languages pass, of which the validation text has one.
  static constexpr double kFewCommon = 0.55, kFewFrequent = 0.92;  // of what the other side has
  static constexpr double kFactor = 10;
  const PairStatistics& validation = validation_[set];
  const auto have_other_pieces = [&](const auto& common_pieces, const auto& common_pieces_of_other_side) {
    return std::all_of(training_.begin(), training_.end(), [&](const PairStatistics& training) {
      return std::min(training.num_pairs(), validation.num_pairs()) >= kFewestPairs &&
             common_pieces(training, 1) < kFewCommon * common_pieces_of_other_side(training, 1) &&
             common_pieces(training, kFactor) < kFewFrequent * common_pieces_of_other_side(training, kFactor);
    });
  };
  const auto source = [&](const PairStatistics& text, double factor) {
    return text.common_source_pieces(validation, factor);
  };
  const auto target = [&](const PairStatistics& text, double factor) {
    return text.common_target_pieces(validation, factor);
  };
  const auto describe = [&](const std::string& file, const std::string& training_file, const auto& side,
                            const auto& other_side) {
    return fmt::format(
        "{}, {}: have only {:.0f} % of their pieces in common, where the other sides have {:.0f} %; check that both "
        "are in the same language and prepared in the same way",
        training_file, file, 100 * side(training_.front(), 1), 100 * other_side(training_.front(), 1));
  };
  if (have_other_pieces(target, source)) {
    return describe(config_.valid[set].target, config_.train.front().target, target, source);
  }
  if (have_other_pieces(source, target)) {
    return describe(config_.valid[set].source, config_.train.front().source, source, target);
  }
  return "";
}

std::string HeldOutCheck::warning_of_other_order(size_t file, size_t set) const {
  static constexpr double kUnrelated = 0.2, kRelated = 0.5;  // correlations
  const PairStatistics &training = training_[file], &validation = validation_[set];
  if (std::min(training.num_pairs(), validation.num_pairs()) < kFewestPairs) return "";
  if (!training.has_lengths_of(validation)) return "";  // such as a glossary, whose lengths say little
  const double in_training = training.length_correlation(), in_validation = validation.length_correlation();
  if (std::min(in_training, in_validation) > kUnrelated || std::max(in_training, in_validation) < kRelated) return "";
  const ParallelFiles &training_files = config_.train[file], &validation_files = config_.valid[set];
  const bool is_training = in_training < in_validation;
  const ParallelFiles &unrelated = is_training ? training_files : validation_files,
                      &related = is_training ? validation_files : training_files;
  return fmt::format(
      "{}, {}: long lines do not belong to long lines (correlation of the lengths {:.2f}, in {} {:.2f}), as if the "
      "lines of one side were shuffled or shifted; check that line n of both belongs to the same sentence",
      unrelated.source, unrelated.target, std::min(in_training, in_validation), related.source,
      std::max(in_training, in_validation));
}

}  // namespace transformer
