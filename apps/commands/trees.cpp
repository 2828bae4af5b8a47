#include <algorithm>
#include <memory>
#include <optional>

#include "base/aligned_lines.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/words.h"
#include "commands/commands.h"
#include "run/line_writer.h"
#include "options.h"
#include "trees/clean_tree.h"
#include "trees/linearize.h"
#include "trees/restore_tree.h"
#include "trees/tree_reader.h"

namespace transformer {
namespace {

struct LinearizeOptions {
  std::string input = "-", words, brackets, tags, trees;
  bool subtrees = false;
};

struct RestoreOptions {
  std::string words, brackets = "-", tags, output = "-";
};

void check_stdin_and_stdout(const std::vector<std::string>& files, const char* name) {
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw UsageError("trees: only one of the files can be ", name, " ('-'); name the others");
  }
}

std::string joined(const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : " ") + part;
  return line;
}

/// The lines of the output that were asked for.
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

/// What `linearize` writes of each tree.
class LinearizedTrees {
 public:
  explicit LinearizedTrees(const LinearizeOptions& options)
      : words_(options.words), brackets_(options.brackets), tags_(options.tags), trees_(options.trees) {}

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
    ++num_trees_;
    if (words.empty()) ++num_empty_;
  }

  /// Each bracket inside the outermost one as a tree of its own, if it has two words or more.
  void write_subtrees(const Tree& tree) {
    for (const Tree& child : tree.children) {
      if (words_of(child).size() < 2) continue;
      const bool is_whole = tree.label == kRootLabel && tree.children.size() == 1;
      if (!is_whole) write({std::string(kRootLabel), "", {child}});
      write_subtrees(child);
    }
  }

  void finish() {
    for (OptionalOutput* output : {&words_, &brackets_, &tags_, &trees_}) output->finish();
    if (num_empty_ > 0) {
      log_warning(num_empty_, " of ", num_trees_, " trees have no words but traces; their lines are empty");
    }
    log_info(with_thousands(num_trees_), " trees, ", with_thousands(num_words_), " words");
  }

 private:
  OptionalOutput words_, brackets_, tags_, trees_;
  int64_t num_trees_ = 0, num_words_ = 0, num_empty_ = 0;
};

void run_linearize(const LinearizeOptions& options) {
  const std::vector<std::string> outputs = {options.words, options.brackets, options.tags, options.trees};
  if (joined(outputs).empty()) {
    throw UsageError("trees linearize: nothing to write; give --words, --brackets, --tags or --trees");
  }
  check_stdin_and_stdout(outputs, "stdout");
  TreeReader reader(options.input);
  LinearizedTrees linearized(options);
  bool is_empty = true;
  for (Tree raw; reader.next(raw); is_empty = false) {
    const Tree tree = clean_tree(std::move(raw));
    linearized.write(tree);
    if (options.subtrees) linearized.write_subtrees(tree);
  }
  if (is_empty) throw Error(options.input, ": is empty; give at least one tree");
  linearized.finish();
}

void run_restore(const RestoreOptions& options) {
  std::vector<std::string> inputs = {options.words, options.brackets};
  if (!options.tags.empty()) inputs.push_back(options.tags);
  check_stdin_and_stdout(inputs, "stdin");
  AlignedLines reader(inputs);
  LineWriter writer(options.output);
  for (std::vector<std::string> lines; reader.next(lines);) {
    const std::vector<std::string> words = split_words(lines[0]);
    const std::vector<std::string> tags = split_words(options.tags.empty() ? "" : lines[2]);
    if (!options.tags.empty() && tags.size() != words.size()) {
      throw Error(options.tags, ":", reader.line_number(), ": ", tags.size(), " tags for ", words.size(),
                  " words; give one tag for each word");
    }
    std::vector<BracketToken> tokens;
    for (const std::string& token : split_words(lines[1])) tokens.push_back(read_bracket_token(token));
    writer.write({words.empty() ? "" : tree_text(restore_tree(tokens, words, tags))});
  }
  if (reader.line_number() == 0) throw Error(options.words, ": is empty; give at least one sentence");
  writer.finish();
}

void add_linearize(CLI::App& trees) {
  auto options = std::make_shared<LinearizeOptions>();
  CLI::App* command = trees.add_subcommand(
      "linearize", "Treebank to text: words and bracket sequences, a line for each tree, as a parser is trained on");
  command->add_option("--input", options->input, "Trees as in the Penn Treebank (.mrg), plain or .gz; -: stdin")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--words", options->words, "Where to write the words; -: stdout")->type_name("FILE");
  command->add_option("--brackets", options->brackets, "Where to write the bracket sequences")->type_name("FILE");
  command->add_option("--tags", options->tags, "Where to write the words' part-of-speech tags")->type_name("FILE");
  command->add_option("--trees", options->trees, "Where to write the cleaned trees, for eval-parse")->type_name("FILE");
  command->add_flag("--subtrees", options->subtrees,
                    "After each tree also every bracket inside it with two words or more, as a tree of its own");
  add_log_options(*command);
  command->footer(trees.get_footer());
  command->callback([options] { run_linearize(*options); });
}

void add_restore(CLI::App& trees) {
  auto options = std::make_shared<RestoreOptions>();
  CLI::App* command = trees.add_subcommand(
      "restore", "Text to trees: any bracket sequence becomes one well-formed tree over the sentence's words");
  command->add_option("--words", options->words, "The sentences, as linearize writes them, plain or .gz; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("--brackets", options->brackets, "Their bracket sequences, line by line")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--tags", options->tags, "Their part-of-speech tags; default: XX for each word")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Where to write the trees; -: stdout")
      ->type_name("FILE")
      ->capture_default_str();
  command->footer(trees.get_footer());
  command->callback([options] { run_restore(*options); });
}

}  // namespace

void add_trees(CLI::App& app) {
  CLI::App* trees = app.add_subcommand(
      "trees", "Treebank trees to the sequences that a parser is trained on, and back (section 6.3)");
  trees->require_subcommand(1);
  trees->footer(
      "Example:\n  transformer trees linearize --input wsj.mrg --words wsj.words --brackets wsj.brackets\n  "
      "transformer "
      "trees restore --words wsj.words --brackets parsed.brackets -o parsed.trees");
  add_linearize(*trees);
  add_restore(*trees);
}

}  // namespace transformer
