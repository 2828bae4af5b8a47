#include "config/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "config/load_config.h"
#include "config/stored_config.h"
#include "paper_tables/paper_tables.h"
#include "repository.h"

namespace transformer {
namespace {

/// The error message of load_config for a file with this text.
std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "c.yaml", text);
  try {
    load_config(directory / "c.yaml", overrides);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// A value that differs from the key's default and goes with the other values that this function returns.
Value other_value(const KeyValue& key) {
  const std::string old = value_text(key.value);
  if (key.name == "data.valid.name") return {Value::Kind::list, {"first", "second"}};
  if (key.name == "data.train.tag") return {Value::Kind::list, {"", "<bt>"}};
  if (key.name == "data.normalization") return Value::scalar("it's.tsv");
  if (key.type == "list of strings") return {Value::Kind::list, {"a: b.en", "it's"}};
  if (key.type == "list of numbers") return {Value::Kind::list, {"0.25", "3"}};
  if (key.type == "string") return Value::scalar("#x of " + key.name);
  const auto& range = key.traits.range;
  if (key.type == "number") return Value::scalar(range && !range->contains(0.25) ? "2.5" : "0.25");
  if (key.type == "whole number") return Value::scalar(old == "null" ? "999" : std::to_string(std::stoll(old) + 1));
  if (key.type == "true or false") return Value::scalar(old == "true" ? "false" : "true");
  return Value::scalar(key.type.substr(key.type.rfind(' ') + 1));  // the last name of "fp32, bf16 or auto"
}

}  // namespace

TEST_CASE("config has the paper's base model as its defaults") {
  const Config config;
  CHECK(config.model.N == 6);
  CHECK(config.model.d_model == 512);
  CHECK(config.model.d_ff == 2048);
  CHECK(config.model.h == 8);
  CHECK(config.model.key_size() == 64);
  CHECK(config.model.value_size() == 64);
  CHECK(config.model.P_drop == 0.1);
  CHECK(config.model.position == Position::sinusoidal);
  CHECK(config.model.layer_norm == NormOrder::post);
  CHECK(config.training.train_steps == 100000);
  CHECK(config.training.schedule == Schedule::noam);
  CHECK(config.training.learning_rate_scale == 1);
  CHECK(config.training.warmup_steps == 4000);
  CHECK(config.training.batch_tokens == 25000);
  CHECK(config.training.beta1 == 0.9);
  CHECK(config.training.beta2 == 0.98);
  CHECK(config.training.epsilon == 1e-9);
  CHECK(config.training.eps_ls == 0.1);
  CHECK(config.decoding.beam_size == 4);
  CHECK(config.decoding.alpha == 0.6);
  CHECK(config.decoding.length_penalty == LengthPenaltyForm::gnmt);
  CHECK(config.decoding.max_extra_tokens == 50);
}

TEST_CASE(
    "config values come from the defaults, the base file, the file and the command line, in increasing precedence") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "base.yaml", "model:\n  N: 3\n  h: 4\n  d_ff: 64\n");
  std::filesystem::create_directory(directory / "rows");
  write_file_atomically(directory / "rows/row.yaml", "extends: ../base.yaml\nmodel:\n  h: 2\n  d_ff: 32\n");
  const Config config = load_config(directory / "rows/row.yaml",
                                    {"model.d_ff=16", "data.train.source=[a, b]", "data.train.target=[c, d]"});
  CHECK(config.model.d_model == 512);
  CHECK(config.model.N == 3);
  CHECK(config.model.h == 2);
  CHECK(config.model.d_ff == 16);
  REQUIRE(config.data.train.size() == 2);
  CHECK(config.data.train[0].source == "a");
  CHECK(config.data.train[1].source == "b");
}

TEST_CASE("a list of corpora is the same as a list for each of their keys") {
  const TemporaryDirectory directory;
  const auto train_of = [&](const std::string& text) {
    write_file_atomically(directory / "c.yaml", text);
    return load_config(directory / "c.yaml", {}).data.train;
  };
  const std::vector<TrainingCorpus> text = train_of(
      "data:\n  train:\n"
      "    - {source: a.en, target: a.de}\n"
      "    - {source: b.en, target: b.de, weight: 0.5, tag: <bt>}\n");
  const auto check_text = [](const std::vector<TrainingCorpus>& corpora) {
    REQUIRE(corpora.size() == 2);
    CHECK((corpora[0].source == "a.en" && corpora[1].source == "b.en"));
    CHECK((corpora[0].target == "a.de" && corpora[1].target == "b.de"));
    CHECK((corpora[0].weight == 1 && corpora[1].weight == 0.5));
    CHECK((corpora[0].tag == "" && corpora[1].tag == "<bt>"));
  };
  check_text(text);
  const std::vector<TrainingCorpus> plain = train_of("data:\n  train: [{source: a.en, target: a.de}]\n");
  REQUIRE(plain.size() == 1);
  CHECK(!plain[0].weight);
  CHECK(!plain[0].tag);
  write_file_atomically(directory / "base.yaml",
                        "data:\n  train: [{source: a, target: b, weight: 2, tag: <a>}]\n"
                        "  valid: [{source: a, target: b, name: news}, {source: c, target: d, name: talks}]\n");
  const std::vector<TrainingCorpus> other =
      train_of("extends: base.yaml\ndata:\n  train: [{source: c, target: d}]\n  valid: [{source: e, target: f}]\n");
  REQUIRE(other.size() == 1);
  CHECK(other[0].source == "c");
  CHECK(!other[0].weight);  // those of the base are for its own corpora
  CHECK(!other[0].tag);
  const std::vector<ValidationSet> valid = load_config(directory / "c.yaml", {}).data.valid;
  REQUIRE(valid.size() == 1);
  CHECK(!valid[0].name);

  Config config;
  config.data.train = text;
  CHECK_THAT(dump_config(config), Catch::Contains("  train:\n    source: [a.en, b.en]\n    target: [a.de, b.de]\n"
                                                  "    weight: [1, 0.5]\n    tag: [\"\", <bt>]\n"));
  check_text(parse_stored_config(dump_config(config), "c").data.train);

  CHECK_THAT(complaint("data:\n  train:\n    - {source: a, target: b}\n    - {source: c}\n"),
             Catch::Contains("c.yaml:4: this item of 'data.train' has no 'target'"));
  CHECK_THAT(complaint("data:\n  train:\n    - {source: a, target: b, wieght: 2}\n"),
             Catch::Contains("c.yaml:2: unknown key 'data.train.wieght' (did you mean 'data.train.weight'?)"));
  CHECK_THAT(complaint("data:\n  train: [{source: a, target: b}, c]\n"), Catch::Contains("c.yaml:2: data.train: "));
}

TEST_CASE("data.vocabulary is that of both sides, in a file and on the command line") {
  const TemporaryDirectory directory;
  const auto files_of = [&](const std::string& text, const std::vector<std::string>& overrides = {}) {
    write_file_atomically(directory / "c.yaml", text);
    const VocabularyFiles files = load_config(directory / "c.yaml", overrides).data.vocabulary;
    return std::pair(files.source.value_or("none"), files.target.value_or("none"));
  };
  using Files = std::pair<std::string, std::string>;
  CHECK(files_of("data: {vocabulary: a.model}\n") == Files{"a.model", "a.model"});
  CHECK(files_of("data: {vocabulary: null}\n") == Files{"none", "none"});
  const std::string two = "data:\n  vocabulary: {source: a.model, target: b.model}\n";
  CHECK(files_of(two) == Files{"a.model", "b.model"});
  CHECK(files_of(two, {"data.vocabulary=c.model"}) == Files{"c.model", "c.model"});
  CHECK(files_of(two, {"data.vocabulary.source=c.model"}) == Files{"c.model", "b.model"});
  for (const std::string& same : {std::string("./out/"), (std::filesystem::current_path() / "out").string()}) {
    CHECK_THAT(complaint("data: {prepared: runs/../out}\ntraining: {directory: " + same + "}\n"),
               Catch::Contains("c.yaml:2: training.directory must be another directory than data.prepared"));
  }
  CHECK_THAT(complaint("data:\n  vocabulary: {source: a.model}\n"),
             Catch::Contains("c.yaml:2: data.vocabulary.source has no counterpart: give both"));
}

TEST_CASE("validation sets are a list, a list for each key, or single files") {
  const TemporaryDirectory directory;
  const auto valid_of = [&](const std::string& text) {
    write_file_atomically(directory / "c.yaml", text);
    return load_config(directory / "c.yaml", {}).data.valid;
  };
  const std::vector<ValidationSet> two = valid_of(
      "data:\n  valid:\n    - {name: news, source: a.en, target: a.de}\n"
      "    - {name: talks, source: b.en, target: b.de}\n");
  REQUIRE(two.size() == 2);
  CHECK((two[0].source == "a.en" && two[1].source == "b.en"));
  CHECK((two[0].target == "a.de" && two[1].target == "b.de"));
  CHECK((two[0].name == "news" && two[1].name == "talks"));
  const std::vector<ValidationSet> one = valid_of("data:\n  valid: {source: a.en, target: a.de}\n");
  REQUIRE(one.size() == 1);
  CHECK(one[0].source == "a.en");
  CHECK(valid_of("data:\n  valid: {source: null, target: null}\n").empty());

  const std::string lists = "data:\n  valid:\n    source: [a, b]\n    target: [c, d]\n";
  CHECK_THAT(complaint(lists), Catch::Contains("data.valid.name has 0 items, but data.valid.source names 2 files; "
                                               "give one name for each validation set"));
  CHECK_THAT(complaint(lists + "    name: [x, x]\n"), Catch::Contains("c.yaml:5: data.valid.name has 'x' twice"));
  CHECK_THAT(complaint(lists + "    name: [x, y/z]\n"), Catch::Contains("letters, digits, - and _, got 'y/z'"));
  CHECK_THAT(complaint("data:\n  valid:\n    source: [a, b]\n    target: c\n    name: [x, y]\n"),
             Catch::Contains("c.yaml:4: data.valid.target names 1 file, but data.valid.source names 2"));
  CHECK_THAT(complaint("data:\n  valid: {name: news}\n"), Catch::Contains("data.valid.name has 1 item, but"));
}

TEST_CASE("weights and tags have one item for each corpus, weights are positive and tags are words") {
  const std::string two = "data:\n  train:\n    source: [a, b]\n    target: [c, d]\n    ";
  CHECK_THAT(complaint(two + "weight: [1]\n"),
             Catch::Contains("c.yaml:5: data.train.weight has 1 item, but data.train.source names 2 files"));
  CHECK_THAT(complaint(two + "tag: [x, y, z]\n"), Catch::Contains("data.train.tag has 3 items, but"));
  CHECK_THAT(complaint(two + "weight: [0, 0]\n"), Catch::Contains("data.train.weight is 0 for every file"));
  CHECK_THAT(complaint(two + "weight: [1, -0.5]\n"),
             Catch::Contains("data.train.weight must be from 0 to 1000, got -0.5"));
  CHECK_THAT(complaint(two + "weight: [1, 1e300]\n"),
             Catch::Contains("data.train.weight must be from 0 to 1000, got "));
  CHECK_THAT(complaint(two + "weight: [1, much]\n"), Catch::Contains("data.train.weight: expected a number"));
  CHECK_THAT(complaint(two + "tag: [\"two words\", \"\"]\n"), Catch::Contains("must be single words"));
}

TEST_CASE("config refuses a normalization that is none, and shares of letter cases without effect") {
  CHECK_THAT(
      complaint("data:\n  normalization: nfc\n"),
      Catch::Contains("c.yaml:2: data.normalization must be nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity or the "
                      "path of a .tsv file, got 'nfc'"));
  CHECK_THAT(complaint("data:\n  normalization: nfkc_cf\n  all_caps: 0.1\n"),
             Catch::Contains("c.yaml:3: data.all_caps has no effect with data.normalization: nfkc_cf"));
  CHECK(complaint("data:\n  normalization: nfkc_cf\n  all_caps: 0.1\n  vocabulary: own.model\n") == "");
  CHECK_THAT(complaint("data:\n  title_case: 0.5\n  all_caps: 0.75\n"),
             Catch::Contains("c.yaml:3: data.all_caps and data.title_case are shares of the same pairs"));
  CHECK(complaint("data:\n  title_case: 0.5\n  all_caps: 0.25\n") == "");
}

TEST_CASE("config may begin with a byte order mark") {
  CHECK(complaint("\xEF\xBB\xBF"
                  "data:\n  train: {source: ['a', \"b\"], target: ['c', \"d\"]}\n") == "");
}

TEST_CASE("config refuses what it would otherwise pass over") {
  CHECK_THAT(complaint("model:\n  N: 2\n---\nmodel:\n  h: 4\n"),
             Catch::Contains("c.yaml:3: a config is one YAML document"));
  CHECK_THAT(complaint("model:\n  N: 2\n...\n# end\ntraining: {seed: 7}\n"),
             Catch::Contains("c.yaml:3: a config is one YAML document"));
  CHECK(complaint("model:\n  N: 2\n...\n# end\n").empty());
  CHECK_THAT(complaint("extends:\nmodel:\n  N: 2\n"), Catch::Contains("c.yaml:1: 'extends' expects the name"));
  CHECK_THAT(complaint("bogus:\n"), Catch::Contains("c.yaml:1: unknown key 'bogus'"));
  CHECK_THAT(complaint("data:\n  train:\n    - {source: a, target: b, source: z}\n"),
             Catch::Contains("c.yaml:3: 'source' is given twice in this item of 'data.train'"));
}

TEST_CASE("config errors are reported all at once, in the order of the file, then those of --set") {
  CHECK_THAT(complaint("training:\n  lr: 0.1\nmodel:\n  N: two\n  P_drop: 1.5\n  h: 7\n",
                       {"training.sede=2", "data.prepared"}),
             Catch::Matches("the config has 6 errors:\n"
                            "  [^\n]*/c.yaml:2: unknown key 'training.lr'; [^\n]*\n"
                            "  [^\n]*/c.yaml:4: model.N: expected a whole number, got 'two'\n"
                            "  [^\n]*/c.yaml:5: model.P_drop must be at least 0 and below 1, got 1.5\n"
                            "  [^\n]*/c.yaml:6: model.h does not divide d_model: 512 / 7[^\n]*\n"
                            "  --set training.sede=2: unknown key 'training.sede' [^\n]*\n"
                            "  --set data.prepared: expected section.key=value[^\n]*"));
}

TEST_CASE("config errors of a file come before those of the file that it extends") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "base.yaml", "model:\n  d_modle: 1\n");
  write_file_atomically(directory / "c.yaml", "extends: base.yaml\nmodel:\n  N: two\n  N: 3\n  d_ff: [{}]\n");
  CHECK_THROWS_WITH(
      load_config(directory / "c.yaml", {}),
      Catch::Matches("the config has 4 errors:\n[^\n]*c.yaml:3: [^\n]*\n[^\n]*c.yaml:4: 'model.N' is given "
                     "twice[^\n]*\n[^\n]*c.yaml:5: model.d_ff: a list may[^\n]*\n[^\n]*base.yaml:2: "
                     "unknown key[^\n]*"));
}

TEST_CASE("config errors beyond the first 20 are counted") {
  std::string text = "model:\n";
  for (int i = 0; i < 25; ++i) text += fmt::format("  wrong_name_{}: 1\n", i);
  const std::string message = complaint(text);
  CHECK(std::count(message.begin(), message.end(), '\n') == 21);
  CHECK_THAT(message,
             Catch::Contains("c.yaml:21: ") && !Catch::Contains("c.yaml:22: ") && Catch::EndsWith("\n  and 5 more"));
}

TEST_CASE("config rules are not applied to keys whose values are in doubt") {
  // d_model 100 is not divisible by the default of h, but h was to be given.
  CHECK_THAT(complaint("model:\n  d_model: 100\n  h: ten\n"), Catch::EndsWith("got 'ten'"));
  CHECK_THAT(complaint("model:\n  d_model: 100\n  heads: 10\n"),
             !Catch::Contains("\n") && Catch::Contains("'model.h' here"));
  CHECK_THAT(complaint("training:\n  patience: 3\ndata: [\n"),
             !Catch::Contains("\n") && Catch::Contains("not valid YAML"));
  CHECK_THAT(complaint("extends: none.yaml\ntraining:\n  patience: 3\n"),
             !Catch::Contains("\n") && Catch::Contains("c.yaml:1: 'extends' names"));
}

TEST_CASE("config error of a rule has the line of the key that is given") {
  CHECK_THAT(complaint("training:\n  seed: 1\n  checkpoint_minutes: null\n"),
             Catch::Contains("c.yaml:3: training.checkpoint_every and training.checkpoint_minutes are both null"));
  CHECK_THAT(complaint("model:\n  d_model: 100\n"),
             Catch::Contains("c.yaml:2: model.h does not divide d_model: 100 / 8"));
}

TEST_CASE("config error for an unknown key has file, line and the nearest key") {
  CHECK_THAT(complaint("model:\n  N: 2\n  d_modle: 512\n"),
             Catch::Contains("c.yaml:3: unknown key 'model.d_modle' (did you mean 'model.d_model'?)"));
  CHECK_THAT(complaint("trainign:\n  seed: 1\n"), Catch::Contains("c.yaml:2") && Catch::Contains("'training.seed'"));
  CHECK_THAT(complaint("", {"training.directory=runs/a #1"}),
             Catch::Contains("only a part of the value would be used, 'runs/a'; remove the rest, or write quotes"));
  for (const char* partly_read : {"training.directory='a' b", "training.seed=3\n---\n4", "data.train.tag=[a] [b]",
                                  "data.train.tag=[a] b", "training.validate_every=# 5"}) {
    CHECK_THAT(complaint("", {partly_read}), Catch::Contains("only a part of the value would be used"));
  }
  CHECK(complaint("", {"training.directory='a #1'", "training.seed= 3 ", "training.patience=null", "data.train.tag=[]",
                       "training.validate_every="})
            .empty());
  CHECK_THAT(complaint("", {"model.n=2"}), Catch::Contains("--set model.n=2: unknown key 'model.n'"));
}

TEST_CASE("config error names values of the wrong type") {
  CHECK_THAT(complaint("model:\n  N: two\n"), Catch::Contains("c.yaml:2: model.N: expected a whole number, got 'two'"));
  CHECK_THAT(complaint("model:\n  N: 2.5\n"), Catch::Contains("expected a whole number, got '2.5'"));
  CHECK_THAT(complaint("model:\n  P_drop: null\n"), Catch::Contains("expected a number, got null"));
  CHECK_THAT(complaint("model:\n  N: [1, 2]\n"), Catch::Contains("expected a whole number, got a list"));
  CHECK_THAT(complaint("model:\n  position: sinus\n"), Catch::Contains("expected sinusoidal or learned, got 'sinus'"));
  CHECK_THAT(complaint("model:\n  N: 1\n  N: 2\n"), Catch::Contains("c.yaml:3: 'model.N' is given twice"));
  CHECK_THAT(complaint("model: [\n"), Catch::Contains("not valid YAML"));
  CHECK_THAT(complaint("model:\n  N:2\n"), Catch::Contains("c.yaml:2: 'N:2' has no space after its colon"));
  CHECK(complaint("data:\n  vocabulary: run:3/v.model\n").empty());
  CHECK_THAT(complaint("just text\n"), Catch::Contains("expected sections"));
  CHECK_THAT(complaint("", {"model.N"}), Catch::Contains("expected section.key=value"));
}

TEST_CASE("config error for what is not YAML has the line and says what to look for") {
  CHECK_THAT(complaint("training:\n\tseed: 3\n"),
             Catch::Contains("c.yaml:2: not valid YAML") &&
                 Catch::EndsWith("indented with a tab, where YAML takes spaces only"));
  CHECK_THAT(complaint("training:\n  seed 3\n  train_steps: 5\n"),
             Catch::Contains("c.yaml:3: not valid YAML") && Catch::EndsWith("here and in the line above"));
  CHECK_THAT(complaint("model:\n  N: 2\n  h: 4" + std::string(1, '\0')), Catch::Contains("c.yaml:3: has a NUL byte"));
  CHECK_THAT(complaint("model: &m {N: 2}\ndata:\n  <<: *m\n"), Catch::Contains("c.yaml:3: the merge key '<<'"));
}

TEST_CASE("config error for a quote that is not closed has its line") {
  const std::string closed = GENERATE("\"a\"", "'a'", "'it''s'", "\"say \\\"a\\\"\"", "'\"'", "a\"b");
  const std::string open = GENERATE("\"a", "'a", "'it''s", "\"say \\\"a\\\"", "\"", "'");
  const auto text = [&](const std::string& value) {
    return "data:\n  vocabulary: " + closed + "\ntraining:\n  seed: 7\n  directory: " + value +
           "\n  train_steps: 500\n";
  };
  INFO(closed << " " << open);
  CHECK(complaint(text(closed)).empty());
  CHECK_THAT(complaint(text(open)), Catch::StartsWith("c.yaml:5: ") || Catch::Contains("/c.yaml:5: "));
  CHECK_THAT(complaint(text("[a, " + open)),
             Catch::Contains("not valid YAML") || Catch::Contains("this quote is not closed"));
  const std::string block = GENERATE(">-", "|-");
  CHECK(complaint("training:\n  directory: " + block + "\n    runs/it's\n  seed: 7  # don't\n").empty());
}

TEST_CASE("config error for texts that lack their counterpart, and for a run directory without a name") {
  CHECK_THAT(complaint("data:\n  train: {source: [a, b], target: c}\n"),
             Catch::Contains("data.train.target names 1 file, but data.train.source names 2"));
  CHECK_THAT(complaint("data:\n  test: {source: a}\n"), Catch::Contains("data.test.source has no counterpart"));
  CHECK_THAT(complaint("training:\n  directory: ''\n"), Catch::Contains("training.directory must name a directory"));
}

TEST_CASE("config error for learned positions does not speak of a data.max_length that was refused") {
  CHECK_THAT(complaint("model:\n  position: learned\n"),
             Catch::Contains("give model.max_positions, above data.max_length (256)"));
  const std::string refused = complaint("model:\n  position: learned\ndata:\n  max_length: -5\n");
  CHECK_THAT(refused, Catch::Contains("data.max_length must be") && !Catch::Contains("max_positions"));
}

TEST_CASE("config error names values out of range and their line") {
  CHECK_THAT(complaint("model:\n  h: 7\n"), Catch::Contains("c.yaml:2: model.h does not divide d_model: 512 / 7"));
  CHECK(complaint("model:\n  h: 7\n  d_k: 64\n  d_v: 64\n").empty());
  CHECK_THAT(complaint("model:\n  P_drop: 1.0\n"), Catch::Contains("model.P_drop must be at least 0 and below 1"));
  CHECK_THAT(complaint("model:\n  position: learned\n"), Catch::Contains("give model.max_positions"));
  CHECK_THAT(complaint("model:\n  max_positions: 300\n"), Catch::Contains("no effect with sinusoidal"));
  CHECK_THAT(complaint("model:\n  position: learned\n  max_positions: 256\n"),
             Catch::Contains("c.yaml:3: model.max_positions must be above data.max_length (256)"));
  CHECK_THAT(complaint("training:\n  patience: 3\n"), Catch::Contains("training.patience has no effect without"));
  CHECK_THAT(complaint("data:\n  character_coverage: 0.97\n"),
             Catch::Contains("data.character_coverage must be from 0.98 to 1, got 0.97"));
  CHECK_THAT(complaint("decoding:\n  alpha: -1\n"), Catch::Contains("decoding.alpha must be from 0 to 100, got -1"));
  CHECK_THAT(complaint("training:\n  gradient_clip: 0\n"), Catch::Contains("training.gradient_clip must be above 0"));
  CHECK(complaint("training:\n  gradient_clip: null\n").empty());
  CHECK_THAT(complaint("data:\n  prepared: ''\n"), Catch::Contains("c.yaml:2: data.prepared must name a directory"));
}

TEST_CASE("config error for keys of other programs' models that contradict each other") {
  const auto model = [](const std::string& keys) { return complaint("model: {" + keys + "}\n"); };
  CHECK_THAT(model("position: learned, max_positions: 300, sinusoids: halves"),
             Catch::Contains("c.yaml:1: model.sinusoids has no effect with learned positions; remove it"));
  CHECK_THAT(model("position: learned, max_positions: 300, first_position: 2"),
             Catch::Contains("model.first_position has no effect with learned positions, of which the first row"));
  CHECK_THAT(model("d_model: 15, h: 3, sinusoids: tensor2tensor"),
             Catch::Contains("model.sinusoids divides the channels into halves, so that d_model must be even, got 15"));
  CHECK(model("d_model: 15, h: 3").empty());
  CHECK_THAT(model("activation: geglu"),
             Catch::Contains("model.activation: expected relu, swish, gelu or gelu_sigmoid"));
  CHECK_THAT(model("layer_norm_epsilon: 0"), Catch::Contains("model.layer_norm_epsilon must be above 0 and below 1"));
  CHECK_THAT(model("decoder_layers: 0"), Catch::Contains("model.decoder_layers must be from 1 to"));
  CHECK(model("decoder_layers: null, final_layer_norm: null, tied_embeddings: null").empty());
}

TEST_CASE("a list of forbidden pieces may be null, empty or have pieces") {
  const std::string value = GENERATE("null", "[]", "[<pad>, ▁the]");
  const TemporaryDirectory directory;
  write_file_atomically(directory / "c.yaml", "decoding: {forbidden_pieces: " + value + "}\n");
  const Config config = load_config(directory / "c.yaml", {});
  CHECK(config.decoding.forbidden_pieces.has_value() == (value != "null"));
  if (value.size() > 4) CHECK(config.decoding.forbidden_pieces == std::vector<std::string>{"<pad>", "▁the"});
  write_file_atomically(directory / "again.yaml", dump_config(config));
  CHECK(load_config(directory / "again.yaml", {}).decoding.forbidden_pieces == config.decoding.forbidden_pieces);
}

TEST_CASE("config error for a key that does not belong to the schedule, or that the schedule needs") {
  const auto training = [](const std::string& keys) { return complaint("training: {" + keys + "}\n"); };
  CHECK_THAT(training("learning_rate: 1e-3"),
             Catch::Contains("c.yaml:1: training.learning_rate has no effect with the"));
  CHECK_THAT(training("schedule: cosine"),
             Catch::Contains("training.learning_rate must be given with the schedule cosine"));
  CHECK_THAT(training("schedule: linear, learning_rate: 0"), Catch::Contains("training.learning_rate must be above 0"));
  CHECK(training("schedule: inverse_sqrt, learning_rate: 1e-3").empty());
  CHECK(training("schedule: constant, learning_rate: 1e-3, warmup_steps: 0").empty());
  CHECK_THAT(training("warmup_steps: 0"),
             Catch::Contains("training.warmup_steps must be at least 1 with the schedule noam"));
  CHECK_THAT(training("schedule: inverse_sqrt, learning_rate: 1e-3, warmup_steps: 0"),
             Catch::Contains("training.warmup_steps must be at least 1 with the schedule inverse_sqrt"));
  CHECK_THAT(
      training("schedule: constant, learning_rate: 1e-3, learning_rate_scale: 2"),
      Catch::Contains("training.learning_rate_scale has no effect with the schedule constant; remove it, or set it to "
                      "its default, 1"));
  CHECK_THAT(training("schedule: cosine, learning_rate: 1e-3, train_steps: 4000"),
             Catch::Contains("training.train_steps must be above training.warmup_steps (4000)"));
  CHECK_THAT(training("plateau_factor: 0.1"), Catch::Contains("plateau_factor has no effect with the schedule noam"));
  CHECK_THAT(training("plateau_patience: 9"), Catch::Contains("plateau_patience has no effect with the schedule noam"));
  CHECK_THAT(training("schedule: plateau, learning_rate: 1e-3"),
             Catch::Contains("training.schedule has no effect without training.validate_every and data.valid.source"));
  const std::string valid = "data: {valid: {source: a, target: b}}\n";
  CHECK(complaint(valid + "training: {schedule: plateau, learning_rate: 1e-3}\n").empty());
  CHECK_THAT(complaint(valid + "training: {schedule: plateau, learning_rate: 1e-3, plateau_factor: 1}\n"),
             Catch::Contains("training.plateau_factor must be above 0 and below 1"));
  CHECK_THAT(complaint(valid + "training: {schedule: plateau, learning_rate: 1e-3, plateau_patience: 0}\n"),
             Catch::Contains("training.plateau_patience must be at least 1"));
}

TEST_CASE("config error for the values of the end of training, of the best checkpoint and of the moving average") {
  const auto training = [](const std::string& keys) { return complaint("training: {" + keys + "}\n"); };
  CHECK_THAT(training("best_by: bleu"), Catch::Contains("training.best_by has no effect without"));
  CHECK_THAT(training("best_by: comet"), Catch::Contains("expected loss, bleu, chrf or ter, got 'comet'"));
  CHECK_THAT(training("max_epochs: 0"), Catch::Contains("training.max_epochs must be at least 1"));
  CHECK_THAT(training("max_hours: 0"), Catch::Contains("training.max_hours must be above 0"));
  CHECK_THAT(training("ema_decay: 1"), Catch::Contains("training.ema_decay must be above 0 and below 1"));
  CHECK_THAT(training("weight_decay: -1"), Catch::Contains("training.weight_decay must be at least 0"));
}

TEST_CASE("config error for an exponent of no length penalty") {
  const auto decoding = [](const std::string& keys) { return complaint("decoding: {" + keys + "}\n"); };
  CHECK_THAT(decoding("length_penalty: none, alpha: 0.3"),
             Catch::Contains("decoding.alpha has no effect without a length penalty; remove it, or set it to its "
                             "default, 0.6"));
  CHECK(decoding("length_penalty: none").empty());
  CHECK(decoding("length_penalty: average, alpha: 0.3").empty());
}

TEST_CASE("config error for probabilities that are renormalized without forbidden pieces") {
  const auto decoding = [](const std::string& keys) { return complaint("decoding: {" + keys + "}\n"); };
  CHECK_THAT(decoding("renormalize: true, forbidden_pieces: []"),
             Catch::Contains("decoding.renormalize has no effect without forbidden pieces; remove it"));
  CHECK(decoding("renormalize: true").empty());
}

TEST_CASE("config values are those of the fields, each with a meaning of one line") {
  Config config;
  config.training.seed = 7;
  config.data.train = {{"a", "c"}, {"b", "d"}};
  const auto values = config_values(config);
  const auto fields = config_fields(config);
  REQUIRE(values.size() == fields.size());
  for (size_t i = 0; i < values.size(); ++i) {
    INFO(values[i].name);
    CHECK(values[i].name == fields[i].name);
    CHECK(value_text(values[i].value) == value_text(fields[i].get()));
    CHECK_FALSE(values[i].help.empty());
    CHECK(values[i].help.find('\n') == std::string::npos);
  }
  const auto text_of = [&](const std::string& name) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const Key& key) { return key.name == name; });
    REQUIRE(found != values.end());
    return value_text(found->value);
  };
  CHECK(text_of("training.seed") == "7");
  CHECK(text_of("training.patience") == "null");
  CHECK(text_of("data.train.source") == "[a, b]");
}

TEST_CASE("config errors for a wrong type name the type, for every key") {
  Config config;
  for (const Field& field : config_fields(config)) {
    INFO(field.name);
    const Value wrong = field.type == "string" ? Value{Value::Kind::list, {"a", "b"}} : Value::scalar("?");
    if (field.type == "list of strings") {
      CHECK_NOTHROW(field.set(wrong));
    } else if (field.type == "list of numbers") {  // the error is about one of them
      CHECK_THROWS_WITH(field.set(wrong), Catch::Contains("expected a number"));
    } else {
      CHECK_THROWS_WITH(field.set(wrong), Catch::Contains(field.type));
    }
    if (field.nullable) CHECK_NOTHROW(field.set(Value{}));
  }
}

TEST_CASE("config refuses numbers that are not finite, for every key") {
  Config config;
  int refused = 0;
  for (const Field& field : config_fields(config)) {
    if (field.type != "number" && field.type != "list of numbers") continue;
    CHECK_THROWS_WITH(field.set(Value::scalar("hello")), field.name + ": expected a number, got 'hello'");
    for (const char* value : {"nan", ".nan", "inf", "-inf", ".inf", "1e999"}) {
      INFO(field.name << ": " << value);
      CHECK_THROWS_AS(field.set(Value::scalar(value)), Error);
    }
    ++refused;
  }
  CHECK(refused >= 10);
}

TEST_CASE("config refuses a number out of the key's range, and keeps the value that it had") {
  Config config;
  int refused = 0;
  for (const Field& field : config_fields(config)) {
    if (!field.traits.range) continue;
    INFO(field.name);
    const std::string before = value_text(field.get());
    const std::string number = field.traits.range->contains(-1) ? "-2" : "-1";
    CHECK_THROWS_WITH(field.set(Value::scalar(number)),
                      field.name + " must be " + field.traits.range->text() + ", got " + number);
    CHECK(value_text(field.get()) == before);
    ++refused;
  }
  CHECK(refused >= 40);
}

TEST_CASE("config whose aliases stand for far more text than it has is rejected") {
  std::string text = "a0: &a0 {";
  for (int i = 0; i < 50; ++i) text += fmt::format("k{}: 1, ", i);
  text += "}\n";
  for (int level = 1; level <= 6; ++level) {  // 50^7 values
    text += fmt::format("a{}: &a{} {{", level, level);
    for (int i = 0; i < 50; ++i) text += fmt::format("k{}: *a{}, ", i, level - 1);
    text += "}\n";
  }
  CHECK_THAT(complaint(text), Catch::Contains("c.yaml:") && Catch::Contains("aliases make the file too large"));
  std::string list = "a: &a " + std::string(100000, 'x') + "\ndata:\n  train:\n    source: [";
  for (int i = 0; i < 100000; ++i) list += "*a, ";  // 10 GB
  CHECK_THAT(complaint(list + "]\n"), Catch::Contains("c.yaml:4: aliases make the file too large"));
}

TEST_CASE("config with an alias that refers to itself is rejected") {
  CHECK_THROWS_WITH(parse_stored_config("training: {}\nmodel: &m {N: *m}\n", "c.yaml"),
                    Catch::Contains("c.yaml:2: more than 8 sections within each other"));
}

TEST_CASE("config files that extend each other in a cycle are rejected") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a.yaml", "extends: b.yaml\n");
  write_file_atomically(directory / "b.yaml", "extends: a.yaml\n");
  CHECK_THROWS_WITH(load_config(directory / "a.yaml", {}),
                    Catch::Contains("b.yaml:1: 'extends' leads back to") && Catch::Contains("'extends' of the cycle"));
  write_file_atomically(directory / "c.yaml", "model:\n  N: 1\nextends: none.yaml\n");
  CHECK_THROWS_WITH(load_config(directory / "c.yaml", {}), Catch::Contains("c.yaml:3") && Catch::Contains("none.yaml"));
}

TEST_CASE("config that is dumped is read back unchanged, also numbers and texts that YAML writes in its own way") {
  Config config;
  config.model.d_k = 24;
  config.model.position = Position::learned;
  config.model.max_positions = 999;
  config.data.train = {{"a: b.en", "#x"}, {"it's", "true"}};
  config.training.epsilon = 1e-9;
  config.training.gradient_clip = 0.1;
  const Config again = parse_stored_config(dump_config(config), "dump");
  CHECK(dump_config(again) == dump_config(config));
  CHECK(config_differences(config, again, [](const std::string&) { return true; }).empty());
  REQUIRE(again.data.train.size() == 2);
  for (size_t i = 0; i < 2; ++i) CHECK(again.data.train[i].source == config.data.train[i].source);
}

TEST_CASE("config that is dumped is read back unchanged, with every key") {
  Config config;
  const auto fields = config_fields(config);
  const auto defaults = config_values(config);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == "training.learning_rate_scale") continue;  // with the default schedule alone; see below
    if (fields[i].name == "data.character_coverage") continue;       // has a narrow range; see below
    if (fields[i].name == "model.sinusoids") continue;               // with sinusoidal positions alone; see below
    if (fields[i].name == "model.first_position") continue;          // likewise
    INFO(fields[i].name);
    fields[i].set(other_value(defaults[i]));
    CHECK(value_text(fields[i].get()) != value_text(defaults[i].value));
  }
  Config scaled;
  scaled.training.learning_rate_scale = 2;
  scaled.data.character_coverage = 0.99;
  scaled.model.sinusoids = Sinusoids::halves;
  scaled.model.first_position = 2;
  for (const Config& written : {config, scaled}) {
    const Config again = parse_stored_config(dump_config(written), "dump");
    CHECK(config_differences(written, again, [](const std::string&) { return true; }).empty());
  }
}

TEST_CASE("config differences are listed for the keys that are compared") {
  Config there, here;
  here.model.N = 4;
  here.training.seed = 7;
  here.data.train = {{{"a", "b"}, {}, ""}, {{"c", "d"}, {}, "<bt>"}};
  there.data.train = here.data.train;
  for (TrainingCorpus& corpus : there.data.train) corpus.tag.reset();
  const auto differences =
      config_differences(there, here, [](const std::string& key) { return key != "training.seed"; });
  CHECK(text_of(differences) == "model.N: 6 there, 4 here; data.train.tag: [] there, [\"\", <bt>] here");
  CHECK(differences.front().key == "model.N");
}

TEST_CASE("range of every number contains its default, and no other key has one") {
  for (const KeyValue& key : config_values(Config())) {
    INFO(key.name);
    const auto& range = key.traits.range;
    const bool is_number = key.type == "number" || key.type == "whole number" || key.type == "list of numbers";
    CHECK(range.has_value() == (is_number && key.name != "training.seed"));
    if (!range) continue;
    for (const auto& number : key.value.items) CHECK(range->contains(field_types::to_number(number)));
  }
  CHECK(config_schema().find("model.none") == nullptr);
}

TEST_CASE("what a key accepts is its type, its range and null") {
  const auto accepted = [](const std::string& name) {
    const Key* key = config_schema().find(name);
    REQUIRE(key != nullptr);
    return accepted_values(*key);
  };
  CHECK(accepted("model.N") == "whole number, from 1 to 1048576");
  CHECK(accepted("model.d_k") == "whole number, from 1 to 1048576, or null");
  CHECK(accepted("model.P_drop") == "number, at least 0 and below 1");
  CHECK(accepted("model.position") == "sinusoidal or learned");
  CHECK(accepted("data.train.source") == "list of strings");
  CHECK(accepted("data.test.source") == "string or null");
  CHECK(accepted("training.tensorboard") == "true or false");
  CHECK(accepted("training.seed") == "whole number");
}

TEST_CASE("every config that comes with the program loads") {
  int loaded = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfigs)) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path());
    CHECK_NOTHROW(load_config(entry.path().string(), {}));
    ++loaded;
  }
  CHECK(loaded >= 24);
  for (const auto& row : table3()) CHECK(std::filesystem::exists(kConfigs / row.config));
}

}  // namespace transformer
