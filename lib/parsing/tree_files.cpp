#include "parsing/tree_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/command_files.h"
#include "base/error.h"
#include "base/format.h"
#include "base/found_lines.h"
#include "base/line_writer.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/words.h"
#include "text/aligned_lines.h"
#include "trees/clean_tree.h"
#include "trees/linearize.h"
#include "trees/restore_tree.h"
#include "trees/tree_reader.h"

namespace transformer {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// An output that exists only if it has a path.
class OptionalOutput {
 public:
  explicit OptionalOutput(const std::string& path) {
    if (!path.empty()) writer_.emplace(path);
  }
  void write(const std::string& line) {
    if (writer_) writer_->write({line});
  }
  void finish() {
    if (writer_) writer_->finish();
  }

 private:
  std::optional<LineWriter> writer_;
};

/// Whether the tree has a bracket with a label but without a word, such as the first of the two that "(-RRB- ))" ends.
bool has_bracket_without_word(const Tree& tree) {
  if (tree.children.empty()) return !tree.is_word() && !tree.label.empty();
  return std::any_of(tree.children.begin(), tree.children.end(), has_bracket_without_word);
}

/// The outputs of `linearize_treebank`.
class LinearizedTrees {
 public:
  explicit LinearizedTrees(const LinearizationTask& task)
      : words_(task.words), brackets_(task.brackets), tags_(task.tags), trees_(task.trees) {}

  void write(const Tree& tree) {
    std::vector<std::string> words, tags, tokens;
    for (const Tree* word : words_of(tree)) {
      words.push_back(word->word);
      tags.push_back(word->label);
    }
    for (const BracketToken& token : linearize(tree)) tokens.push_back(to_string(token));
    words_.write(joined(words));
    tags_.write(joined(tags));
    brackets_.write(joined(tokens));
    trees_.write(words.empty() ? "" : tree_text(tree));
    num_words_ += static_cast<int64_t>(words.size());
    ++num_lines_;
    if (words.empty()) ++num_empty_;
  }

  /// Writes each bracket inside the outermost one that has at least two words as a tree of its own.
  void write_subtrees(const Tree& tree) {
    for (const Tree& child : tree.children) {
      if (words_of(child).size() < 2) continue;
      const bool is_whole_tree = tree.label == kRootLabel && tree.children.size() == 1;
      if (!is_whole_tree) {
        write({std::string(kRootLabel), "", {child}});
        ++num_subtrees_;
      }
      write_subtrees(child);
    }
  }

  void finish() {
    for (OptionalOutput* output : {&words_, &brackets_, &tags_, &trees_}) output->finish();
    const std::string trees = counted(num_lines_ - num_subtrees_, "tree");
    if (num_empty_ > 0) log_warning("{} of {} have no words, only traces; their lines are empty", num_empty_, trees);
    const std::string subtrees = num_subtrees_ > 0 ? fmt::format(" and {}", counted(num_subtrees_, "subtree")) : "";
    log_info("{}{}, {}", trees, subtrees, counted(num_words_, "word"));
  }

 private:
  OptionalOutput words_, brackets_, tags_, trees_;
  int64_t num_lines_ = 0, num_subtrees_ = 0, num_words_ = 0, num_empty_ = 0;
};

}  // namespace

void linearize_treebank(const LinearizationTask& task) {
  const std::vector<std::string> outputs = {task.words, task.brackets, task.tags, task.trees};
  if (std::all_of(outputs.begin(), outputs.end(), [](const std::string& path) { return path.empty(); })) {
    throw ParameterError("trees linearize: nothing to write; give 'words', 'brackets', 'tags' or 'trees'");
  }
  check_single_stdout(outputs);
  check_are_different(outputs, "trees linearize");
  for (const auto& output : outputs) check_replaces_no_input(output, {task.input});
  TreeReader reader(task.input);
  LinearizedTrees linearized(task);
  bool is_empty = true;
  FoundLines without_word;
  for (Tree raw; reader.next(raw); is_empty = false) {
    if (has_bracket_without_word(raw)) without_word.add(reader.line_number());
    const Tree tree = clean_tree(std::move(raw));
    linearized.write(tree);
    if (task.subtrees) linearized.write_subtrees(tree);
  }
  if (is_empty) throw Error("{}: is empty; give at least one tree", shown_path(task.input));
  if (without_word.count > 0) {
    log_warning(
        "{}:{}: the first of {} with a bracket that has a label but no word, and is left out; write the words '(' and "
        "')' as -LRB- and -RRB-",
        shown_path(task.input), without_word.first, counted(without_word.count, "tree"));
  }
  linearized.finish();
}

void restore_trees(const RestorationTask& task) {
  std::vector<std::string> inputs = {task.words, task.brackets};
  if (!task.tags.empty()) inputs.push_back(task.tags);
  check_input_texts(inputs);
  check_replaces_no_input(task.output, inputs);
  AlignedLines reader(inputs);
  LineWriter writer(task.output);
  for (std::vector<std::string> lines; reader.next(lines);) {
    const std::vector<std::string> words = split_words(lines[0]);
    const std::vector<std::string> tags = split_words(task.tags.empty() ? "" : lines[2]);
    if (!task.tags.empty() && tags.size() != words.size()) {
      throw Error("{}:{}: {} for {}; give one tag for each word", shown_path(task.tags), reader.line_number(),
                  counted(std::ssize(tags), "tag"), counted(std::ssize(words), "word"));
    }
    std::vector<BracketToken> tokens;
    for (const std::string& token : split_words(lines[1])) tokens.push_back(read_bracket_token(token));
    writer.write({words.empty() ? "" : tree_text(restore_tree(tokens, words, tags))});
  }
  if (reader.line_number() == 0) throw Error("{}: is empty; give at least one sentence", shown_path(task.words));
  writer.finish();
}

}  // namespace transformer
