#pragma once

#include <string>

namespace transformer {

// The commands `trees linearize` and `trees restore` (§6.3). The path "-" is stdin or stdout, an empty path means that
// the file is not wanted or not given.

/// The files of `trees linearize`.
struct LinearizationTask {
  std::string input = "-";                                       // trees of a treebank
  std::string words = {}, brackets = {}, tags = {}, trees = {};  // outputs, with one line for each tree
  bool subtrees = false;  // also write each bracket that spans several words, as a tree of its own
};

/// Writes the words, bracket sequences, part-of-speech tags and cleaned trees of a treebank. Throws UsageError if there
/// is nothing to write, and Error if the input is damaged or empty.
void linearize_treebank(const LinearizationTask& task);

/// The files of `trees restore`.
struct RestorationTask {
  std::string words, brackets = "-", tags = {};  // inputs, with one line for each sentence
  std::string output = "-";
};

/// Writes one well-formed tree for each sentence, whatever its bracket sequence. Throws Error if the inputs do not
/// match or are empty.
void restore_trees(const RestorationTask& task);

}  // namespace transformer
