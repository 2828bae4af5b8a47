#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "settings/key_traits.h"
#include "text/line_pairs.h"
#include "text/normalization.h"
#include "text/tokenizer.h"

namespace transformer {

/// Training text.
struct TrainingCorpus : ParallelFiles {
  std::optional<double> weight = {};    // how often an epoch contains each pair; all corpora have one, or none: once
  std::optional<std::string> tag = {};  // the first word of each source line (Caswell et al., 2019); "" for none
};

/// A pair of files to validate on. Only a single set may have no name.
struct ValidationSet : ParallelFiles {
  std::optional<std::string> name = {};
};

/// Files with the vocabularies of both sides; the same file twice is a shared vocabulary.
struct VocabularyFiles {
  std::optional<std::string> source, target;
};

struct DataConfig {
  std::vector<TrainingCorpus> train;  // read one after the other
  std::vector<ValidationSet> valid;
  std::optional<std::string> test_source, test_target;
  VocabularyFiles vocabulary;
  int64_t vocabulary_size = 37000;
  double character_coverage = 1.0;
  int64_t vocabulary_sample = kDefaultVocabularySample;
  bool byte_fallback = false;
  bool whole_target_words = false;
  std::string normalization = kDefaultNormalization;
  std::string prepared = "prepared";
  int64_t max_length = 256;
  std::optional<double> max_length_ratio;
  bool remove_duplicates = false;
  bool remove_copies = false;
  std::optional<std::string> source_script, target_script;
  double max_dropped = 0.1;
  std::optional<double> sampling_alpha;
  std::optional<double> all_caps, title_case;
};

template <class Visitor>
void visit_fields(Visitor& visit, DataConfig& c) {
  visit("train.source", column(c.train, &TrainingCorpus::source), {.may_change = true},
        "training text, source side: one file or a list");
  visit("train.target", column(c.train, &TrainingCorpus::target), {.may_change = true},
        "training text, target side: line n is the translation of line n of the source");
  visit("train.weight", column(c.train, &TrainingCorpus::weight, /*omitted=*/1.0), {.range = from_to(0, 1000)},
        "for each training file, how often an epoch contains each of its pairs; []: once");
  visit("train.tag", column(c.train, &TrainingCorpus::tag, /*omitted=*/""), {.prepares = Prepares::corpus},
        "for each training file, a word to put before each source line, \"\" for none; []: none");
  visit("valid.source", column(c.valid, &ValidationSet::source), {.may_change = true},
        "validation text, source side: one file, or one for each of several validation sets; []: no validation");
  visit("valid.target", column(c.valid, &ValidationSet::target), {.may_change = true}, "validation text, target side");
  visit("valid.name", column(c.valid, &ValidationSet::name), {.may_change = true},
        "names of the validation sets; needed if there are several");
  visit("test.source", c.test_source, {.may_change = true},
        "test text, used in the commands that training suggests when it finishes");
  visit("test.target", c.test_target, {.may_change = true}, "test text, target side");
  visit("vocabulary.source", c.vocabulary.source, {.is_set_by_section = true},
        "SentencePiece model, or model file with a vocabulary, to use instead of learning one; null: learn one");
  visit("vocabulary.target", c.vocabulary.target, {.is_set_by_section = true},
        "vocabulary of the target to use instead of learning one; null: learn one. `data.vocabulary: FILE` sets both "
        "to one shared vocabulary");
  visit("vocabulary_size", c.vocabulary_size, {.range = at_least(kMinVocabularySize), .prepares = Prepares::vocabulary},
        "size of the vocabulary that both languages share, including the four symbols (§5.1)");
  // The range of character_coverage is SentencePiece's.
  visit("character_coverage", c.character_coverage, {.range = from_to(0.98, 1), .prepares = Prepares::vocabulary},
        "share of the text's characters that the vocabulary covers");
  visit("vocabulary_sample", c.vocabulary_sample, {.range = at_least(1000), .prepares = Prepares::vocabulary},
        "learn the vocabulary from at most this many lines, drawn at random from all text");
  visit("byte_fallback", c.byte_fallback, {.prepares = Prepares::vocabulary},
        "adds 256 pieces for single bytes to the vocabulary, which spell characters that it lacks");
  visit("whole_target_words", c.whole_target_words, {.prepares = Prepares::vocabulary},
        "makes every word of the target text one piece; for a parser's brackets");
  visit(
      "normalization", c.normalization, {.prepares = Prepares::vocabulary},
      "SentencePiece's rule by which text is normalized before it is divided into pieces: nmt_nfkc, nfkc, nmt_nfkc_cf, "
      "nfkc_cf, identity, or a .tsv file of rules");
  visit("prepared", c.prepared, {.may_change = true}, "directory of the vocabulary and the binary corpus");
  visit("max_length", c.max_length, {.range = kTokenCount, .prepares = Prepares::corpus},
        "drop pairs with a side of more pieces than this");
  visit("max_length_ratio", c.max_length_ratio, {.range = at_least(1), .prepares = Prepares::corpus},
        "drop pairs with one side more than this many times as long as the other; null: keep all");
  visit("remove_duplicates", c.remove_duplicates, {.prepares = Prepares::corpus},
        "drop training pairs that occurred before with the same text on both sides");
  visit("remove_copies", c.remove_copies, {.prepares = Prepares::corpus},
        "drop training pairs whose two sides are the same text");
  visit("source_script", c.source_script, {.prepares = Prepares::corpus},
        "drop training pairs with fewer than half of the source's letters in this script, such as Latin or Cyrillic, "
        "or in that of a language, such as ru; null: keep all");
  visit("target_script", c.target_script, {.prepares = Prepares::corpus}, "likewise for the target");
  visit("max_dropped", c.max_dropped, {.range = from_to(0, 1), .may_change = true},
        "largest share of pairs that may be dropped, duplicates and copies not counted; more is an error");
  visit("sampling_alpha", c.sampling_alpha, {.range = kFraction},
        "subword regularization in training: probability with which BPE leaves out a merge, or exponent of a unigram "
        "model's probabilities; null: none");
  visit("all_caps", c.all_caps, {.range = kFraction, .prepares = Prepares::vocabulary},
        "share of the pairs that a step shows with both sides in capitals; null: none");
  visit("title_case", c.title_case, {.range = kFraction},
        "share of the pairs that a step shows with a capital at the beginning of each source word; null: none");
}

}  // namespace transformer
