#include "parsing/evaluate_parses.h"

#include <vector>

#include "base/command_files.h"
#include "base/error.h"
#include "base/log.h"
#include "text/aligned_lines.h"
#include "trees/clean_tree.h"
#include "trees/right_branching.h"
#include "trees/tree_reader.h"

namespace transformer {
namespace {

/// `gold` are the trees of a line of the file `path`.
std::vector<Tree> right_branching_trees(const std::vector<Tree>& gold, const std::string& path, int64_t line) {
  std::vector<Tree> trees;
  for (const Tree& tree : gold) {
    const Tree clean = clean_tree(tree);
    const size_t num_words = words_of(clean).size();
    if (num_words > kMaxTreeDepth) {
      throw Error(
          "{}:{}: has {} words, but a right-branching tree nests a bracket for each of at most {}; split the tree",
          shown_path(path), line, num_words, kMaxTreeDepth);
    }
    trees.push_back(right_branching(clean));
  }
  return trees;
}

}  // namespace

ParseReport evaluate_parses(const ParseEvaluationTask& task) {
  check_input_texts({task.gold, task.predicted, task.parameters});
  const EvalbParameters parameters =
      task.parameters.empty() ? collins_parameters() : read_evalb_parameters(task.parameters);
  const bool is_baseline = task.predicted.empty();
  const std::string name = shown_path(is_baseline ? task.gold : task.predicted);
  AlignedLines reader(is_baseline ? std::vector{task.gold} : std::vector{task.gold, task.predicted});
  ParseReport report(parameters.cutoff_length);
  for (std::vector<std::string> lines; reader.next(lines);) {
    const int64_t line = reader.line_number();
    const std::vector<Tree> gold = trees_of_line(lines[0], task.gold, line);
    const std::vector<Tree> predicted =
        is_baseline ? right_branching_trees(gold, task.gold, line) : trees_of_line(lines[1], task.predicted, line);
    const SentenceScore sentence = score_sentence(gold, predicted, parameters);
    report.add(sentence);
    if (sentence.status != SentenceScore::Status::error) continue;
    log_warning("{}:{}: {}; not scored, counted as an error sentence", name, line, sentence.complaint);
    if (report.all.errors - 1 > parameters.max_errors) {
      throw Error(
          "{}:{}: is error sentence number {}; check that both sides have the same words, or raise MAX_ERROR in a "
          "parameter file",
          name, line, report.all.errors);
    }
  }
  if (reader.line_number() == 0) throw Error("{}: is empty; give at least one tree", shown_path(task.gold));
  return report;
}

}  // namespace transformer
