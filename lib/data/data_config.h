#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace transformer {

/// Text files, plain or gzip-compressed, which are read one after the other: file n of the sources and file n of the
/// targets are translations of each other, line by line.
struct ParallelFiles {
  std::vector<std::string> source, target;
};

/// Training text. `weight` and `tag` have an item for each pair of files, or none.
struct TrainingText : ParallelFiles {
  std::vector<double> weight;    // how often an epoch contains each pair of the files; without items: 1
  std::vector<std::string> tag;  // the first word of each source line (Caswell et al., 2019); "": none
};

/// A pair of files to validate on; a single set may have no name ("").
struct ValidationSet {
  std::string name, source, target;
};

/// Validation sets as the config lists them. `name` has an item for each, or none for a single set.
struct ValidationText : ParallelFiles {
  std::vector<std::string> name;

  std::vector<ValidationSet> sets() const {
    std::vector<ValidationSet> sets;
    for (size_t i = 0; i < source.size(); ++i) sets.push_back({name.empty() ? "" : name[i], source[i], target[i]});
    return sets;
  }
};

/// Files with the vocabularies of both sides; the same file twice is a shared vocabulary.
struct VocabularyFiles {
  std::optional<std::string> source, target;
};

struct DataConfig {
  TrainingText train;
  ValidationText valid;
  std::optional<std::string> test_source, test_target;
  VocabularyFiles vocabulary;
  int64_t vocabulary_size = 37000;
  double character_coverage = 1.0;
  bool whole_target_words = false;
  std::string prepared = "prepared";
  int64_t max_length = 256;
  std::optional<double> max_length_ratio;
  double max_dropped = 0.1;
  std::optional<double> sampling_alpha;
};

template <class Visitor>
void visit_fields(Visitor& visit, DataConfig& c) {
  visit("train.source", c.train.source, "training text, source side: one file or a list");
  visit("train.target", c.train.target,
        "training text, target side: line n is the translation of line n of the source");
  visit("train.weight", c.train.weight,
        "for each training file, how often an epoch contains each of its pairs; []: once");
  visit("train.tag", c.train.tag,
        "for each training file, a word to put before each source line, \"\" for none; []: none");
  visit("valid.source", c.valid.source,
        "validation text, source side: one file, or one for each of several validation sets; []: no validation");
  visit("valid.target", c.valid.target, "validation text, target side");
  visit("valid.name", c.valid.name, "names of the validation sets; needed if there are several");
  visit("test.source", c.test_source, "test text, used in the commands that training suggests when it finishes");
  visit("test.target", c.test_target, "test text, target side");
  visit("vocabulary.source", c.vocabulary.source,
        "SentencePiece model, or model file with a vocabulary, to use instead of learning one; null: learn one");
  visit("vocabulary.target", c.vocabulary.target,
        "vocabulary of the target to use instead of learning one; null: learn one. `data.vocabulary: FILE` sets both "
        "to one shared vocabulary");
  visit("vocabulary_size", c.vocabulary_size,
        "size of the vocabulary that both languages share, including the four symbols (§5.1)");
  visit("character_coverage", c.character_coverage, "share of the text's characters that the vocabulary covers");
  visit("whole_target_words", c.whole_target_words,
        "makes every word of the target text one piece; for a parser's brackets");
  visit("prepared", c.prepared, "directory of the vocabulary and the binary corpus");
  visit("max_length", c.max_length, "drop pairs with a side of more pieces than this");
  visit("max_length_ratio", c.max_length_ratio,
        "drop pairs with one side more than this many times as long as the other; null: keep all");
  visit("max_dropped", c.max_dropped, "largest share of pairs that may be dropped; more is an error");
  visit("sampling_alpha", c.sampling_alpha,
        "subword regularization in training: probability with which BPE leaves out a merge, or exponent of a unigram "
        "model's probabilities; null: none");
}

}  // namespace transformer
