#include <memory>

#include "commands/commands.h"
#include "options.h"
#include "parsing/tree_files.h"

namespace transformer {
namespace {

void add_linearize(CLI::App& trees) {
  auto task = std::make_shared<LinearizationTask>();
  CLI::App* command = trees.add_subcommand(
      "linearize", "Convert a treebank to training text for a parser: words and bracket sequences, one tree a line");
  command
      ->add_option("-i,--input", task->input,
                   "Trees as in the Penn Treebank (.mrg), plain or gzip-compressed; -: stdin")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--words", task->words, "File for the words; -: stdout")->type_name("FILE");
  command->add_option("--brackets", task->brackets, "File for the bracket sequences; -: stdout")->type_name("FILE");
  command->add_option("--tags", task->tags, "File for the words' part-of-speech tags; -: stdout")->type_name("FILE");
  command->add_option("--trees", task->trees, "File for the cleaned trees, for eval-parse; -: stdout")
      ->type_name("FILE");
  command->add_flag(
      "--subtrees", task->subtrees,
      "After each tree, also write every bracket in it that has at least two words, as a tree of its own");
  add_log_options(*command);
  command->footer(trees.get_footer());
  command->callback([task] { linearize_treebank(*task); });
}

void add_restore(CLI::App& trees) {
  auto task = std::make_shared<RestorationTask>();
  CLI::App* command = trees.add_subcommand(
      "restore", "Convert bracket sequences to trees; any sequence becomes one well-formed tree over the words");
  command->add_option("--words", task->words, "Sentences as linearize writes them, plain or gzip-compressed; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("--brackets", task->brackets, "Bracket sequences of the sentences, line by line; -: stdin")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--tags", task->tags, "Part-of-speech tags of the words, line by line; default: XX for each word")
      ->type_name("FILE");
  command->add_option("-o,--output", task->output, "File for the trees; -: stdout")
      ->type_name("FILE")
      ->capture_default_str();
  command->footer(trees.get_footer());
  command->callback([task] { restore_trees(*task); });
}

}  // namespace

void add_trees(CLI::App& app) {
  CLI::App* trees = app.add_subcommand(
      "trees", "Convert treebank trees to the sequences that a parser learns, and back (section 6.3)");
  trees->require_subcommand(1);
  trees->footer(
      "Example:\n  transformer trees linearize --input wsj.mrg --words wsj.words --brackets wsj.brackets\n  "
      "transformer trees restore --words wsj.words --brackets parsed.brackets -o parsed.trees");
  add_linearize(*trees);
  add_restore(*trees);
}

}  // namespace transformer
