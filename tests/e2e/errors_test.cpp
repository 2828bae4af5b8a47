#include <filesystem>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// The config with one line put in place of another.
void change_config(const Workplace& place, const std::string& from, const std::string& to) {
  std::string text = place.read("config.yaml");
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  place.write("config.yaml", text.replace(at, from.size(), to));
}

Result preprocess(const Workplace& place, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> arguments = {"preprocess", "--config", "config.yaml"};
  for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  return place.run(arguments);
}

Result translate_with(const Workplace& place, const std::string& model) {
  return place.run({"translate", "--model", model, "--device", "cpu"}, "ba be\n");
}

}  // namespace

TEST_CASE("a mistyped key is named with file, line and the nearest key, before anything is begun") {
  const Workplace place;
  change_config(place, "d_model: 32", "d_modle: 32");
  check_fails(place.train(), 2, {"config.yaml:3: ", "'model.d_modle'", "did you mean 'model.d_model'?"});
  check_fails(preprocess(place), 2, {"config.yaml:3: "});
  check_fails(place.run({"info", "--config", "config.yaml"}), 2, {"config.yaml:3: "});
  CHECK(!place.has("run"));
  CHECK(!place.has("prepared"));
}

TEST_CASE("a mistyped --set is named with the nearest key") {
  const Workplace place;
  check_fails(place.train({"--set", "training.sede=2"}), 2, {"--set training.sede=2: ", "'training.seed'"});
  check_fails(place.train({"--set", "training.seed"}), 2, {"expected section.key=value"});
  check_fails(place.train({"--set", "training.seed=two"}), 2, {"expected a whole number, got 'two'"});
}

TEST_CASE("all errors of a config are named at once, each on a line of its own") {
  const Workplace place;
  change_config(place, "d_model: 32", "d_modle: 32");
  change_config(place, "h: 2", "h: two");
  const Result result = place.train({"--set", "training.lr=0.001", "--set", "training.patience=0"});
  check_fails(result, 2,
              {"the config has 4 errors:\n  config.yaml:3: unknown key", "\n  config.yaml:5: model.h: expected",
               "\n  --set training.lr=0.001: unknown key 'training.lr'; 'lr' of fairseq is "
               "'training.learning_rate' here",
               "\n  --set training.patience=0: training.patience must be at least 1, got 0"});
  CHECK(lines_of(result.err).size() == 5);
  CHECK(!place.has("run"));
}

TEST_CASE("a key of another section or of another toolkit is named with the key that is meant, any other with none") {
  const Workplace place;
  check_fails(place.train({"--set", "model.train_steps=2"}), 2, {"did you mean 'training.train_steps'?"});
  check_fails(place.train({"--set", "training.label_smoothing=0"}), 2, {"is 'training.eps_ls' here", "coming_from.md"});
  check_fails(place.train({"--set", "training.frobnicate=2"}), 2, {"; `transformer config --list` shows all keys"});
}

TEST_CASE("an impossible value is named with its line") {
  const Workplace place;
  change_config(place, "h: 2", "h: 7");
  check_fails(place.train(), 2, {"config.yaml:5: ", "model.h", "32 / 7"});
}

TEST_CASE("a config that is missing, or no config at all, is a wrong call") {
  const Workplace place;
  check_fails(place.run({"train", "--config", "nowhere.yaml"}), 2, {"nowhere.yaml: "});
  place.write("broken.yaml", "model: [1\n");
  check_fails(place.run({"train", "--config", "broken.yaml"}), 2, {"broken.yaml:", "not valid YAML"});
  place.write("binary.yaml", std::string("\0\x01\xFF\xFE", 4));
  check_fails(place.run({"train", "--config", "binary.yaml"}), 2, {"binary.yaml:"});
  check_fails(place.run({"train", "--config", "."}), 2, {".: is a directory"});
}

TEST_CASE("a wrong call is answered with one line that says what is wrong") {
  const Workplace place;
  check_fails(place.run({}), 2, {"a command is required; see transformer --help"});
  check_fails(place.run({"trian"}), 2, {"there is no command 'trian'; did you mean 'train'?"});
  check_fails(place.run({"eval"}), 2, {"did you mean 'eval-bleu' or 'eval-parse'?"});
  check_fails(place.run({"frobnicate"}), 2, {"there is no command 'frobnicate'; see transformer --help"});
  check_fails(place.run({"trees", "restroe"}), 2, {"there is no command 'restroe'; did you mean 'restore'?"});
  check_fails(place.run({"--frobnicate"}), 2, {"there is no option '--frobnicate'; see transformer --help"});
  check_fails(place.run({"doctor", "train"}), 2, {"the argument 'train' is not expected"});
  check_fails(place.train({"--overwrit=1"}), 2, {"there is no option '--overwrit'; did you mean '--overwrite'?"});
  check_fails(place.run({"translate", "--modle", "m.pt"}), 2, {"there is no option '--modle'", "'--model'?"});
  check_fails(place.run({"train"}), 2, {"--config"});
  check_fails(place.train({"--frobnicate"}), 2, {"--frobnicate", "; see transformer train --help"});
  check_fails(place.run({"benchmark", "train", "--frobnicate"}), 2, {"; see transformer benchmark train --help"});
  check_fails(place.run({"translate", "--model"}), 2, {"--model: its value is missing; see transformer translate"});
  check_fails(place.run({"translate", "--nbest"}), 2, {"--nbest: its value is missing; see transformer translate"});
  check_fails(place.run({"translate", "--model", "m.pt", "--beam-size", "0"}), 2, {"--beam-size"});
  check_fails(place.run({"translate", "--model", "m.pt", "--beam-size", "four"}), 2, {"--beam-size"});
  check_fails(place.run({"translate", "--model", "m.pt", "--beam-size", "2", "--beam-size", "3"}), 2,
              {"--beam-size is given 2 times; give it once; see transformer translate --help"});
  check_fails(place.run({"attention", "--model", "m.pt", "--source", "a", "-o", "a.svg", "--heads", "1-2"}), 2,
              {"--heads: '1-2' is not a valid value; see transformer attention --help"});
  check_fails(place.run({"info"}), 2, {"--config", "--model"});
  check_fails(place.run({"average-checkpoints", "-o", "mean.pt"}), 2, {"give a run directory", "--last", "--inputs"});
  check_fails(place.train({"--device", "tpu"}), 2, {"--device tpu", "cuda:N"});
}

TEST_CASE("an option that is a key of the config, here or in another toolkit, is explained") {
  const Workplace place;
  check_fails(place.train({"--seed", "3"}), 2,
              {"there is no option '--seed'; give the key of the config, 'training.seed', with --set KEY=VALUE"});
  check_fails(place.train({"--max-update=3"}), 2,
              {"'--max-update'; give the key of the config, 'training.train_steps'"});
  check_fails(place.train({"--source", "a"}), 2, {"'data.train.source'", "or 'data.vocabulary.source'"});
  check_fails(place.run({"doctor", "---"}), 2, {"there is no option '---'; see transformer doctor --help"});
  check_fails(place.run({"translate", "--model", "m", "--lenpen", "1"}), 2,
              {"'--lenpen'; did you mean '--alpha' (with length_penalty: average)?"});
  for (const auto& [option, meant] : std::vector<std::pair<std::string, std::string>>{
           {"--constraints", "'--terminology' (phrases of the text, each with that of its translation)"},
           {"--suppress", "'--forbid' (words and phrases, not pieces)"},
           {"--avoid-list", "'--forbid' (words and phrases, not pieces)"},
           {"--num-hypotheses", "'--nbest'"},
           {"--num-return-sequences", "'--nbest'"},
           {"--max-decoding-length", "'--max-length' (with the end symbol)"},
           {"--max-new-tokens", "'--max-length' (with the end symbol)"},
           {"--sampling-topk", "'--top-k'"},
           {"--sampling_topp", "'--top-p'"},
           {"--num-beams", "'--beam-size'"},
           {"--no-repeat-ngram-size", "'--no-repeat-ngram'"},
           {"--inter-threads", "'--workers'"}}) {
    check_fails(place.run({"translate", "--model", "m", option, "3"}), 2,
                {"there is no option '" + option + "'; did you mean " + meant + "?"});
  }
  check_fails(place.run({"translate", "--model", "m", "--nbest-size", "3"}), 2, {"did you mean '--nbest'?"});
  check_fails(place.run({"translate", "--model", "m", "--max-tokens=3"}), 2,
              {"did you mean '--batch-size' (in sentences)?"});
  check_fails(place.run({"eval-bleu", "--chrf-word-order", "2"}), 2,
              {"did you mean '--metrics' (chrf++ has word order 2)?"});
  check_fails(place.run({"score", "--fp16"}), 2, {"there is no option '--fp16'; see transformer score --help"});
}

TEST_CASE("commands that write a model do not replace other files, and say what else was meant") {
  const Workplace place(trained());
  const auto average = [&](const std::string& output) {
    return place.run({"average-checkpoints", "--last", "2", "run", "-o", output});
  };
  check_fails(average("train.source"), 2, {"--output train.source: is a file that is no model"});
  check_fails(average("none/model.pt"), 2, {"--output none/model.pt: its directory does not exist"});
  check_fails(average("run/checkpoints/best.safetensors"), 2,
              {"run/checkpoints/best.safetensors: is the name or the place of a check"});
  check_fails(place.run_shell(
                  "cd run/checkpoints && exec \"$transformer\" average-checkpoints --last 2 .. -o best.safetensors"),
              2, {"--output best.safetensors: is the name or the place of a checkpoint"});
  place.write("empty.pt", "");
  CHECK(average("empty.pt").status == 0);
  CHECK(average("model.pt").status == 0);
  check_fails(place.run({"average-checkpoints", "--last", "2", "--best", "2", "run", "-o", "m.pt"}), 2,
              {"give --last or --best, not both"});
  check_fails(place.run({"average-checkpoints", "--last", "2", "run"}), 2, {"--output is required with --last"});
  for (const char* path : {"run/checkpoints", "run/checkpoints/"}) {
    check_fails(place.run({"info", "--model", path}), 1, {": is the directory of a run's checkpoints", "/run"});
  }
  REQUIRE(place.run({"export", "--model", "model.pt", "--format", "ctranslate2", "-o", "served"}).status == 0);
  CHECK(place.run({"import", "--input", "served", "-o", "m.pt"}).status == 0);
  check_fails(place.run({"import", "train.source", "-o", "m.pt"}), 1, {"train.source: holds no model"});
  check_fails(place.run({"export", "--model", "model.pt", "-o", "-"}), 2, {"--output -"});
  check_fails(place.run({"translate", "--model", "model.pt", "--input", "test.source#1"}), 1,
              {"test.source#1: there is no such file, but test.source exists; '#1' names the first column"});
}

TEST_CASE("two config files are a wrong call, with and without --config") {
  const Workplace place;
  for (const std::vector<std::string>& files : std::vector<std::vector<std::string>>{
           {"a.yaml", "b.yaml"}, {"--config", "a.yaml", "b.yaml"}, {"a.yaml", "--config", "b.yaml"}}) {
    for (const char* command : {"train", "preprocess", "info", "config"}) {
      check_fails(place.run(with({command}, files)), 2, {"--config: got 2 config files, a.yaml and b.yaml; give one"});
    }
  }
  check_fails(place.run({"train", "a.yaml", "--set", "training.seed=2", "training.log_every=5"}), 2,
              {"got training.log_every=5 as a config file; to override a setting, write --set training.log_every=5"});
  check_fails(place.run({"train", "training.log_every=5"}), 2, {"write --set training.log_every=5"});
  CHECK(place.run({"preprocess", "config.yaml", "--threads", "1"}).status == 0);
  CHECK(place.has("prepared/manifest.json"));
}

TEST_CASE("an empty path and a number that is not finite are refused, whatever option they are given to") {
  const Workplace place;
  check_fails(place.run({"eval-parse", "--gold", "gold", "--predicted", "predicted", "--parameters", ""}), 2,
              {"--parameters: is empty; give a path"});
  check_fails(place.run({"translate", "--model", "m.pt", "--prefix", ""}), 2, {"--prefix: is empty"});
  check_fails(place.run({"translate", "--model", "m.pt", "-o", ""}), 2, {"--output: is empty"});
  check_fails(place.run({"translate", "--threads", "abc"}), 2, {"--threads: must be from 0 to 4096, got 'abc'"});
  check_fails(place.run({"translate", "--threads", std::string(100000, '9')}), 2,
              {"--threads: must be from 0 to 4096, got '9"});
  check_fails(place.run({"info", "--table2", "--sustained-tflops", "-1"}), 2,
              {"--sustained-tflops: must be from 0.001 to 1000000, got '-1'"});
  check_fails(place.run({"eval-bleu", "--smooth-method", "floor", "--smooth-value", "-0.5"}), 2,
              {"--smooth-value: must be at least 0, got '-0.5'"});
  check_fails(place.run({"translate", "--model", "m.pt", "-o", "--quiet"}), 2,
              {"--output: a path is missing before the option --quiet"});
  check_fails(place.run({"info", "--table3", "--run", ""}), 2, {"--run: is empty"});
  check_fails(place.run({"report", "", "-o", "report.html"}), 2, {"runs: is empty"});
  check_fails(place.run({"trees", "linearize", "--words", ""}), 2, {"--words: is empty"});
  for (const char* bad : {"nan", "-nan", "inf"}) {
    INFO(bad);
    check_fails(place.run({"translate", "--model", "m.pt", "--alpha", bad}), 2, {"--alpha: ", bad});
    check_fails(place.run({"translate", "--model", "m.pt", "--sample", "--temperature", bad}), 2, {"--temperature: "});
    check_fails(place.run({"eval-bleu", "-r", "r", "--smooth-method", "floor", "--smooth-value", bad}), 2,
                {"--smooth-value: "});
    check_fails(place.run({"info", "--table3", "--run", "r", "--sustained-tflops", bad}), 2, {"--sustained-tflops: "});
    check_fails(place.train({"--set", std::string("training.eps_ls=.") + bad}), 2, {"expected a number, got '."});
  }
}

TEST_CASE("paths that the file system refuses are named, with the reason and what to do") {
  const Workplace place;
  const std::string model = trained() / "model.pt", too_long(300, 'x');
  std::filesystem::create_symlink("loop", place / "loop");
  check_fails(place.train({"--set", "training.directory=config.yaml/run"}), 1,
              {"config.yaml/run/checkpoints: ", "a part of the path is a file"});
  check_fails(place.train({"--set", "training.directory=loop"}), 1, {"loop/", "symbolic links refer to each other"});
  check_fails(preprocess(place, {"data.prepared=" + too_long}), 1, {"the name is too long for the file system"});
  check_fails(preprocess(place, {"data.train.source=loop"}), 1, {"loop: ", "symbolic links refer to each other"});
  check_fails(place.run({"info", "--config", too_long}), 1, {"the name is too long for the file system"});
  check_fails(place.run({"translate", "--model", model, "-o", "config.yaml/out"}), 1,
              {"config.yaml/out: ", "a part of the path is a file"});
  check_fails(place.run({"translate", "--model", model, "-o", "loop"}), 1, {"loop: ", "refer to each other"});
  check_fails(place.run({"translate", "--model", model, "--input", "loop"}), 1, {"loop: ", "refer to each other"});
  check_fails(place.run({"export", "--model", model, "-o", "config.yaml"}), 1, {"config.yaml"});
  check_fails(place.run({"report", "loop", "-o", "report.html"}), 1, {"loop"});
}

TEST_CASE("a wrong call is answered briefly") {
  const Workplace place;
  for (const char* option : {"--beam-size", "--threads"}) {
    const Result result = place.run({"translate", "--model", "m.pt", option, "-1"});
    CHECK(result.status == 2);
    CHECK(result.err.size() < 200);
  }
  const std::string very_long(10000, 'x');
  for (const std::string& setting :
       {"training.seed=" + very_long, "training.precision=" + very_long, "training.tensorboard=" + very_long, very_long,
        very_long + "=1", "training." + very_long + "=1", "training.seed=[" + very_long}) {
    const Result result = place.train({"--set", setting});
    INFO(setting.substr(0, 40));
    check_fails(result, 2, {"--set ", "x…"});
    CHECK(result.err.size() < 400);
  }
}

TEST_CASE("a corpus file that is missing here but lies beside the config is named with its place") {
  const Workplace place;
  std::filesystem::create_directory(place / "elsewhere");
  const std::string there = std::filesystem::canonical(place / ".").string();
  for (const char* command : {"train", "preprocess"}) {
    INFO(command);
    check_fails(
        place.run_shell(std::string("cd elsewhere && \"$transformer\" ") + command + " --config ../config.yaml"), 1,
        {"data.train.source: train.source: there is no such file", "but " + there + "/train.source exists",
         "run it in " + there + ", or give the whole path"});
  }
  CHECK(!place.has("elsewhere/run"));
}

TEST_CASE("a corpus file that is missing is named with its key") {
  const Workplace place;
  std::filesystem::remove(place / "train.target");
  check_fails(preprocess(place), 1, {"data.train.target: train.target: ", "no such file", "; check the path"});
  check_fails(preprocess(place, {"data.train.source=[]", "data.train.target=[]"}), 2, {"data.train.source"});
}

TEST_CASE("a directory or a pipe is no text") {
  const Workplace place;
  REQUIRE(place.run_shell("mkfifo pipe").status == 0);
  for (const char* text : {"pipe", "."}) {
    check_fails(preprocess(place, {std::string("data.train.source=") + text}), 1,
                {std::string("data.train.source: ") + text + ": is a directory or a pipe", "give a file"});
  }
}

TEST_CASE("UTF-16 text is refused with the command that converts it") {
  const Workplace place;
  REQUIRE(place.run_shell("iconv -f UTF-8 -t UTF-16 train.source > wide.source").status == 0);
  check_fails(preprocess(place, {"data.train.source=wide.source"}), 1,
              {"wide.source:", "has a NUL byte", "`iconv -f UTF-16 -t UTF-8`"});
  REQUIRE(place.run_shell("iconv -f UTF-16 -t UTF-8 wide.source > train.source").status == 0);
  CHECK(preprocess(place).status == 0);
}

TEST_CASE("sides of different length are named with both counts") {
  const Workplace place;
  place.write("train.target", place.read("train.target") + "al el\n");
  check_fails(preprocess(place), 1, {"train.source has 400 lines", "train.target has 401"});
  place.write("train.target", Workplace().read("train.target"));
  place.write("valid.source", "ba be\n");
  check_fails(preprocess(place), 1, {"valid.source has 1 line but", "valid.target has 20"});
}

TEST_CASE("a corpus without text is refused") {
  const Workplace place;
  place.write("train.source", "");
  place.write("train.target", "");
  check_fails(preprocess(place), 1, {"train.source", "empty"});
  place.write("train.source", "\n\n \n");
  place.write("train.target", "\n \n\n");
  check_fails(preprocess(place), 1,
              {"data.vocabulary_size: the training text has only blank lines", "give other text"});
  CHECK(!place.has("prepared/manifest.json"));
}

TEST_CASE("a corpus of which no pair is left is refused with the reasons") {
  const Workplace place;
  check_fails(
      preprocess(place, {"data.max_length=1"}), 1,
      {"training corpus: 400 of 400 pairs cannot be used (100.0 %): 400 longer than 1 (the first: train.source:1)"});
}

TEST_CASE("compressed text that is cut short, or followed by something else, is named") {
  const Workplace place;
  REQUIRE(place.run_shell("gzip < train.source | head -c 1000 > cut.gz").status == 0);
  check_fails(preprocess(place, {"data.train.source=cut.gz"}), 1, {"cut.gz:", "ends too early"});
  REQUIRE(place.run_shell("(gzip < train.source; cat train.source) > more.gz").status == 0);
  check_fails(preprocess(place, {"data.train.source=more.gz"}), 1, {"more.gz:", "not in the gzip format"});
  REQUIRE(place
              .run_shell("(head -n 100 train.source | gzip; tail -n +101 train.source | gzip; "
                         "head -c 1000 /dev/zero) > whole.gz")
              .status == 0);
  CHECK(preprocess(place, {"data.train.source=whole.gz"}).status == 0);
}

TEST_CASE("a vocabulary larger than the text can give is refused in plain words") {
  const Workplace place;
  REQUIRE(preprocess(place).status == 0);
  const Result result = preprocess(place, {"data.vocabulary_size=5000"});
  check_fails(result, 1, {"data.vocabulary_size", "5000", "smaller data.vocabulary_size"});
  CHECK_THAT(result.err, !Catch::Contains(".cc("));  // where another library's code says it
  CHECK_THAT(preprocess(place).err, Catch::Contains("prepared: prepared already"));
}

TEST_CASE("a corpus that does not fit on the disk is named, and made when there is room") {
  const Workplace place;
  check_fails(place.run_shell("ulimit -f 20; exec \"$transformer\" preprocess --config config.yaml"), 1,
              {"prepared/", "cannot be written"});
  CHECK(!place.has("prepared/manifest.json"));
  for (const auto& name : place.list("prepared")) CHECK(name.find(".tmp") == std::string::npos);
  CHECK(preprocess(place).status == 0);
}

TEST_CASE("text that is probably not what it should be is refused or warned about, with file and line") {
  const Workplace place;
  const auto lines = place.read_lines("train.target");
  const auto write_with = [&](size_t num_bad, const std::string& bad) {
    std::string text;
    for (size_t i = 0; i < lines.size(); ++i) text += (i >= 10 && i < 10 + num_bad ? bad : lines[i]) + "\n";
    place.write("bad.target", text);
  };
  const auto prepare = [&](const std::vector<std::string>& settings = {}) {
    auto all = settings;
    all.push_back("data.train.target=bad.target");
    return preprocess(place, all);
  };
  write_with(4, "M\xFCller");  // 1 %
  const Result few = prepare();
  CHECK(few.status == 0);
  CHECK_THAT(few.err, Catch::Contains("warning: bad.target:11: not UTF-8, the first of 4 such lines"));
  CHECK_THAT(few.err, Catch::Contains("the first pair of the training corpus:\n    source " +
                                      place.read_lines("train.source")[0] + "\n    target " + lines[0] + "\n"));
  CHECK_THAT(few.err, Catch::Contains("the first pair of the validation corpus:\n    source " +
                                      place.read_lines("valid.source")[0] + "\n    target " +
                                      place.read_lines("valid.target")[0] + "\n"));
  write_with(5, "M\xFCller");
  check_fails(prepare(), 1, {"bad.target:11: not UTF-8, the first of 5 such lines in 400 lines; convert the file"});
  const std::string manifest = place.read("prepared/manifest.json");
  write_with(41, "");
  check_fails(prepare(), 1, {"41 of 400 pairs cannot be used (10.2 %): 41 empty (the first: train.source:11)"});
  CHECK(place.read("prepared/manifest.json") == manifest);
  CHECK(prepare({"data.max_dropped=0.2"}).status == 0);
  check_fails(prepare(), 1, {"41 of 400 pairs cannot be used (10.2 %): 41 empty", "or raise data.max_dropped"});
  CHECK_THAT(prepare({"data.max_dropped=0.2"}).err, Catch::Contains("prepared: prepared already"));
  CHECK_THAT(place.read("prepared/manifest.json"), Catch::Contains("\"train.source:20\""));
  write_with(1, std::string(5000, 'a'));
  CHECK_THAT(prepare().err,
             Catch::Contains("warning: bad.target:11: longer than 4,192 bytes, the only such line; the vocabulary "
                             "was learned from parts of such lines"));
  const Result swapped = preprocess(place, {"data.valid.source=valid.target", "data.valid.target=valid.source"});
  CHECK_THAT(swapped.err,
             Catch::Contains("warning: train.source, train.target and valid.target, valid.source: the sides "
                             "seem to be swapped in one of the two"));
  const Result other = preprocess(place, {"data.train.source=train.target", "data.train.target=train.source"});
  CHECK_THAT(other.err, Catch::Contains("warning: train.target, train.source and valid.source, valid.target: the sides "
                                        "seem to be swapped in one of the two"));
}

TEST_CASE("log messages do not get into files when the standard streams are closed") {
  const Workplace place;
  const std::string closed = GENERATE(">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-");
  REQUIRE(place.run_shell("\"$transformer\" preprocess config.yaml --set data.prepared=closed " + closed).status == 0);
  REQUIRE(place.run({"preprocess", "config.yaml"}).status == 0);
  CHECK(place.have_same_bytes("closed/train.bin", "prepared/train.bin"));
}

TEST_CASE("a command whose stdin or stdout is closed says so") {
  const Workplace place;
  const std::string translate = "\"$transformer\" translate --quiet --model '" + trained() / "model.pt" + "' ";
  check_fails(place.run_shell("echo ba | " + translate + ">&-"), 1, {"stdout: "});
  check_fails(place.run_shell(translate + "<&-"), 1, {"stdin:1: cannot be read"});
}

TEST_CASE("a vocabulary that preprocess has not written is not replaced") {
  const Workplace place;
  REQUIRE(place.run_shell("mkdir own").status == 0);
  place.write("own/vocabulary.model", "mine");
  check_fails(place.run({"preprocess", "config.yaml", "--set", "data.prepared=own"}), 2,
              {"own/vocabulary.model: would be replaced", "choose another data.prepared"});
  CHECK(place.read("own/vocabulary.model") == "mine");
}

TEST_CASE("damaged compressed text and archives are named") {
  const Workplace place;
  const auto [beginning, name] =
      GENERATE(table<std::string, std::string>({{std::string("\3757zXZ\0", 6), "the xz stream is damaged"},
                                                {"(\265/\375\1\2\3", "the zstd stream is damaged"},
                                                {"BZh11AY&SY", "the compressed file ends too early"},
                                                {"PK\3\4", "it is a zip archive; unpack it"}}));
  place.write("text", beginning + "\1\2\3\4\5\6\7");
  check_fails(place.run({"translate", "--model", trained() / "model.pt", "--input", "text"}), 1,
              {"text:1: cannot be read: " + name});
}

TEST_CASE("a run directory of another config is refused with what differs") {
  const Workplace place(trained());
  const Result refused = place.train({"--set", "model.d_ff=128", "--set", "training.seed=2"});
  check_fails(refused, 1, {"run: ", "--overwrite", "model.d_ff: 64 there, 128 here", "training.seed: 1 there, 2 here"});
  CHECK(place.list("run/checkpoints") == trained().list("run/checkpoints"));
  CHECK(place.read("run/config.yaml") == trained().read("run/config.yaml"));
}

TEST_CASE("a run whose learning rate follows the validations does not go on with others") {
  const Workplace place;
  const auto train = [&](const std::string& steps, const std::string& every) {
    return place.train({"--set", "training.schedule=plateau", "--set", "training.learning_rate=1e-3", "--set",
                        "training.train_steps=" + steps, "--set", "training.validate_every=" + every});
  };
  REQUIRE(train("4", "2").status == 0);
  check_fails(train("8", "4"), 1, {"training.validate_every: 2 there, 4 here"});
  CHECK(train("8", "2").status == 0);
  const std::vector<std::string> spelled = {
      "--set", "training.schedule=plateau", "--set", "training.learning_rate=1e-3",
      "--set", "training.train_steps=8",    "--set", "training.validate_every=2"};
  CHECK(place.train(with(spelled, {"--set", "data.valid.source=./valid.source"})).status == 0);
  check_fails(place.train(with(spelled, {"--set", "data.valid.source=test.source"})), 1, {"data.valid.source: "});
}

TEST_CASE("a start that failed for its config does not stand in the way of the mended one") {
  const Workplace place;
  const std::string bad_setting = GENERATE("data.vocabulary_size=5000", "data.train.source=nowhere.txt");
  REQUIRE(place.train({"--set", bad_setting}).status != 0);
  const Result mended = place.train({"--set", "training.train_steps=2"});
  INFO(mended.err);
  CHECK(mended.status == 0);
}

TEST_CASE("a run whose text has changed is refused") {
  const Workplace place;
  const std::vector<std::string> sides = {"train.source", "train.target"};
  for (const auto& side : sides) place.write(side, place.read(side) + place.read(side));
  REQUIRE(place.train({"--set", "training.train_steps=50"}).status == 0);

  SECTION("and with it the vocabulary") {
    for (const auto& side : sides) place.write(side, place.read(side) + "zy zo zu\n");
  }
  SECTION("but not the vocabulary") {
    for (const auto& side : sides) place.write(side, Workplace().read(side));
  }
  const std::string prepared = place.read("prepared/train.bin");
  check_fails(place.train(), 1, {"prepared: was made from another train.source, and is not replaced", "--overwrite"});
  CHECK(place.read("prepared/train.bin") == prepared);
  check_fails(place.train({"--set", "data.prepared=other"}), 1, {checkpoint_name(50), "--overwrite"});
}

TEST_CASE("a checkpoint that does not fit on the disk leaves the earlier one, from which the run goes on") {
  const Workplace place;
  REQUIRE(place.train({"--set", "training.train_steps=50"}).status == 0);
  std::filesystem::copy(place / checkpoint_name(50), place / "earlier.pt");
  const Result full =
      place.run_shell("ulimit -f 1000; exec \"$transformer\" train --config config.yaml --threads 1 --device cpu");
  check_fails(full, 1, {checkpoint_name(100) + ": cannot be written"});
  CHECK(place.list("run/checkpoints") == std::vector<std::string>{"best.safetensors", "step-00000050.safetensors"});
  CHECK(place.have_same_bytes(checkpoint_name(50), "earlier.pt"));

  const Result again = place.train({"--set", "training.train_steps=100"});
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK_THAT(again.err, Catch::Contains("resuming after step 50"));
}

TEST_CASE("a model file that is missing, cut short, damaged or something else is named") {
  const Workplace place;
  const std::string model = trained().read("model.pt");
  check_fails(translate_with(place, "nowhere.pt"), 1, {"nowhere.pt", "no such file"});
  check_fails(translate_with(place, "config.yaml"), 1, {"config.yaml: is a config"});
  check_fails(translate_with(place, "train.source"), 1,
              {"train.source: is text; give a model file, a checkpoint or a run directory"});
  check_fails(translate_with(place, "."), 1, {".: is a directory"});
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, model.size() / 2, model.size() - 1}) {
    place.write("cut.pt", model.substr(0, size));
    check_fails(translate_with(place, "cut.pt"), 1, {"cut.pt: "});
  }
  std::string damaged = model;
  damaged[model.size() / 2] = static_cast<char>(damaged[model.size() / 2] ^ 1);
  place.write("damaged.pt", damaged);
  check_fails(translate_with(place, "damaged.pt"), 1, {"damaged.pt: damaged"});
  check_fails(place.run({"info", "--model", "damaged.pt"}), 1, {"damaged.pt: damaged"});
  check_fails(place.run({"average-checkpoints", "--inputs", "damaged.pt", "-o", "mean.pt"}), 1,
              {"damaged.pt: damaged"});
  CHECK(!place.has("mean.pt"));
}

TEST_CASE("average-checkpoints refuses what cannot be averaged, and translate models that are no ensemble") {
  const Workplace place(trained());
  check_fails(place.run({"average-checkpoints", "--last", "6", "run", "-o", "mean.pt"}), 1, {"run: has 5 checkpoints"});
  check_fails(place.run({"average-checkpoints", "--last", "2", "nowhere", "-o", "mean.pt"}), 1, {"nowhere: "});
  check_fails(place.run_shell("mkdir elsewhere && cd elsewhere && exec \"$transformer\" average-checkpoints ../run"), 1,
              {"valid.source: cannot be read", "data.valid of ../run/config.yaml names it", "give --last N"});
  std::filesystem::rename(place / "run/metrics.jsonl", place / "run/metrics.kept");
  check_fails(place.run({"average-checkpoints", "--best", "2", "run", "-o", "mean.pt"}), 1,
              {"run/metrics.jsonl: is missing", "give --last instead of --best"});
  std::filesystem::rename(place / "run/metrics.kept", place / "run/metrics.jsonl");
  REQUIRE(
      place.train({"--set", "training.directory=wider", "--set", "model.d_ff=96", "--set", "training.train_steps=2"})
          .status == 0);
  const Result result = place.run(
      {"average-checkpoints", "--inputs", "model.pt", "wider/checkpoints/step-00000002.safetensors", "-o", "mean.pt"});
  check_fails(result, 1,
              {"wider/checkpoints/step-00000002.safetensors: is of another architecture than model.pt (model.d_ff: 64 "
               "there, 96 here)"});
  REQUIRE(place
              .train({"--set", "training.directory=fewer", "--set", "data.vocabulary_size=50", "--set",
                      "training.train_steps=2"})
              .status == 0);
  check_fails(place.run({"average-checkpoints", "--inputs", "model.pt", "fewer/checkpoints/step-00000002.safetensors",
                         "-o", "mean.pt"}),
              1, {"fewer/checkpoints/step-00000002.safetensors: has another vocabulary"});
  CHECK(!place.has("mean.pt"));
  check_fails(place.run({"translate", "--model", "model.pt", "fewer/checkpoints/step-00000002.safetensors"}, "ba\n"), 1,
              {"has another vocabulary than model.pt; the models of an ensemble must share one"});
}

TEST_CASE("a model that cannot be trained in this machine's memory is refused before it is built") {
  const Workplace place;
  check_fails(place.train({"--set", "model.N=1000000"}), 1,
              {"this model's parameters, gradients and moments need about ", "train a smaller model"});
}

TEST_CASE("missing memory is reported in one sentence, also before main") {
  const Workplace place;
  int failures = 0, successes = 0;
  // From too little for the program's shared libraries to enough for everything.
  for (const int megabytes : {400, 430, 460, 490, 520, 550, 700, 1000, 4000}) {
    const Result result = place.run_shell("ulimit -v " + std::to_string(megabytes * 1000) +
                                          "; echo ba | \"$transformer\" translate --device cpu --threads 2 --model '" +
                                          trained() / "model.pt" + "'");
    INFO(megabytes << " MB: status " << result.status << ", " << result.err);
    CHECK_THAT(result.err, !Catch::Contains("terminate called") && !Catch::Contains("bad_alloc"));
    constexpr int kLoaderFailed = 127;  // of the dynamic loader, before main
    // glibc ends a process in which a thread has no memory for a variable of its own.
    const bool glibc_failed = result.err.find("Fatal glibc error") != std::string::npos;
    // OpenMP's library ends a process in which it has no memory for the stack of a thread.
    const bool openmp_failed = result.err.find("libgomp: Thread creation failed") != std::string::npos;
    CHECK((result.status == 0 || result.status == 1 || result.status == kLoaderFailed || glibc_failed));
    if (result.status == 1 && !openmp_failed) check_fails(result, 1, {});
    failures += result.status == 1 ? 1 : 0;
    successes += result.status == 0 ? 1 : 0;
  }
  CHECK(failures >= 1);
  CHECK(successes >= 1);
}

TEST_CASE("eval-bleu refuses texts that do not belong together") {
  const Workplace place;
  place.write("two", "a b c d\ne f g h\n");
  place.write("half", "a b c d\n \n");
  const Result half = place.run({"eval-bleu", "--hypothesis", "two", "--reference", "half"});
  CHECK(half.status == 0);
  CHECK_THAT(half.err, Catch::Contains("half:2: this reference line is empty; scored"));
  place.write("latin", "caf\xe9 b c d\ne f g h\n");
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "latin", "--reference", "two"}).err,
             Catch::Contains("latin:1: not UTF-8, the only such line; scored"));
  place.write("three", "a b\nc d\ne f\n");
  place.write("holes", "a b\n\n \n");
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "three", "--reference", "holes"}).err,
             Catch::Contains("holes:2: the first of 2 empty reference lines; scored"));
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "half", "--source", "two"}).err,
             Catch::Contains("two:1: equals the source, as 2 of 2 lines do; scored as they are"));
  place.write("crlf", "a b c d\r\ne f g h\r\n");
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "half", "--source", "crlf"}).err,
             Catch::Contains("two:1: equals the source, as 2 of 2 lines do; scored as they are"));
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "half", "--source", "half"}).err,
             Catch::Contains("two:1: equals the source, as 1 of 2 lines do"));
  place.write("chinese", std::string(200, 'a') + "\n" + std::string(900, 'b') + "\n");
  place.write("html", "a b c d&#39;e\ne f g sch&ouml;n\n");
  CHECK_THAT(
      place.run({"eval-bleu", "--hypothesis", "html", "--reference", "two"}).err,
      Catch::Contains("html:1: has '&#39;', as HTML writes a character, the first of 2 such lines, and two has"));
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "html"}).err,
             Catch::Contains("html:1: has '&#39;'"));
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "html", "--reference", "html"}).err, !Catch::Contains("HTML"));
  place.write("company", "AT&T; b &amp; d\ne f g h\n");
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "company", "--reference", "two"}).err, !Catch::Contains("HTML"));
  const char* few_spaces = "warning: chinese: has hardly any spaces";
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "chinese"}).err,
             Catch::Contains(few_spaces) && Catch::Contains("; give --tokenize zh or char"));
  CHECK_THAT(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "chinese", "--tokenize", "char"}).err,
             !Catch::Contains(few_spaces));
  place.write("words", text_of(std::vector<std::string>(200, "Donaudampfschifffahrt")));
  const std::vector<std::string> words = {"eval-bleu", "--hypothesis", "words", "--reference", "words"};
  CHECK_THAT(place.run(words).err, Catch::StartsWith("warning: words: no reference line has four words, so BLEU is 0"));
  CHECK(place.run(with(words, {"--effective-order"})).err.empty());
  check_fails(place.run({"eval-bleu", "--hypothesis", "two", "--reference", "half", "--source", "three"}), 1,
              {"three has 3 lines but two has 2"});
  check_fails(place.run({"eval-bleu", "--hypothesis", "test.source", "--reference", "valid.target"}), 1,
              {"100 lines", "valid.target has 20"});
  check_fails(place.run({"eval-bleu", "--hypothesis", "nowhere", "--reference", "valid.target"}), 1, {"nowhere"});
  check_fails(place.run({"eval-bleu", "--reference", "-"}), 2, {"stdin"});
  place.write("empty", "");
  check_fails(place.run({"eval-bleu", "--hypothesis", "test.source", "--reference", "test.target", "empty"}), 1,
              {"empty: has no lines"});
  check_fails(
      place.run({"eval-bleu", "--hypothesis", "test.source", "valid.source", "--reference", "test.target", "--json"}),
      1, {"valid.source has 20 lines but test.target has 100"});
}

TEST_CASE("eval-bleu refuses options that do not belong together") {
  const Workplace place;
  const auto refuses = [&](const std::vector<std::string>& more, const std::string& reason) {
    INFO(reason);
    check_fails(place.run(with({"eval-bleu", "--reference", "test.target", "--hypothesis", "test.source"}, more)), 2,
                {reason});
  };
  refuses({"--tokenize", "13b"}, "--tokenize");
  refuses({"--tokenize", "ja-mecab"},
          "ja-mecab needs MeCab with the dictionary that sacreBLEU installs, which is not a "
          "part of this program; use `sacrebleu REFERENCE -i HYPOTHESIS -tok ja-mecab`");
  refuses({"--tokenize", "flores200"},
          "--tokenize flores200 needs the SentencePiece model of that name, which is not a "
          "part of this program; give the file as --tokenizer-model");
  refuses({"--tokenizer-model", "test.source"}, "--tokenizer-model has no effect with --tokenize 13a");
  refuses({"--metrics", "meteor"}, "--metrics");
  refuses({"--ter-normalized"}, "--ter-normalized has no effect without ter among --metrics");
  refuses({"--smooth-value", "0.1"}, "--smooth-value is for --smooth-method floor and add-k");
  refuses({"--chrf-beta", "3"}, "--chrf-beta has no effect without chrf");
  refuses({"--metrics", "chrf", "--lowercase"}, "--lowercase has no effect without bleu");
  refuses({"--paired-bs"}, "give --hypothesis two files or more");
  refuses({"--confidence-n", "10"}, "--confidence");
  refuses({"./test.source"}, "--hypothesis: ./test.source is given twice");
  refuses({"test.target", "--confidence"}, "use --paired-bs");
  refuses({"test.target", "--score-only"}, "--score-only is for one system");
  refuses({"--sentence", "--paper"}, "--sentence scores one system by one metric");
  refuses({"--sentence", "--confidence"}, "--sentence");
  refuses({"--seed", "7"}, "--seed has no effect without --confidence or --paired-bs");
  refuses({"--confidence", "--seed", "-1"}, "--seed: expected a whole number from 0, got '-1'");
  check_fails(
      place.run_shell("SACREBLEU_SEED=none \"$transformer\" eval-bleu --reference test.target --hypothesis test.source "
                      "--confidence"),
      2, {"the environment variable SACREBLEU_SEED must be a whole number from 0, got 'none'; give --seed"});
}

TEST_CASE("results that cannot be written are an error") {
  const Workplace place;
  for (const char* command : {"--help", "train --help", "--version", "info --config config.yaml", "doctor --json",
                              "eval-bleu --hypothesis test.source --reference test.target"}) {
    INFO(command);
    check_fails(place.run_shell(std::string("\"$transformer\" ") + command + " > /dev/full"), 1, {"stdout"});
  }
}

TEST_CASE("a CUDA device that is not there is a wrong call that is told why") {
  const Workplace place;
  check_fails(place.run({"train", "--config", "config.yaml", "--device", "cuda"}), 2,
              {"--device cuda: no NVIDIA driver on this machine; use --device cpu"});
  check_fails(place.run({"translate", "--model", trained() / "model.pt", "--device", "cuda:9"}, "ba be\n"), 2,
              {"--device cuda:9: "});
  CHECK(!place.has("run"));
}

TEST_CASE("a command does not replace its own input") {
  const Workplace place(trained());
  const std::string last = checkpoint_name(kLastStep);
  const auto average = [&](const std::vector<std::string>& arguments) {
    return place.run(with({"average-checkpoints"}, arguments));
  };
  check_fails(place.run({"translate", "--model", "model.pt", "--input", "test.source", "--output", "./test.source"}), 2,
              {"./test.source: is an input and would be replaced"});
  check_fails(average({"run", "--last", "1", "-o", last}), 2, {last + ": is an input and would be replaced"});
  check_fails(average({"run", "--last", "1", "-o", "run/checkpoints/step-00009999.safetensors"}), 2,
              {"step-00009999.safetensors: is the name or the place of a checkpoint"});
  check_fails(average({"--inputs", last, "./" + last, "-o", "x.pt"}), 2, {"--inputs: ./" + last + " is given twice"});
  check_fails(average({"--inputs", "run", "-o", "x.pt"}), 1, {"run: cannot be read: it is a directory"});
  check_fails(average({"run", "--last", "1", "-o", "-"}), 2, {"--output -: this command cannot write to stdout"});
  place.write("-", "");  // not what "-" stands for
  CHECK(place.run({"translate", "--model", "model.pt"}, "ba be\n").status == 0);
  check_fails(place.run({"translate", "--model", "model.pt", "--input", "test.source", "--output", "./model.pt"}), 2,
              {"./model.pt: is an input and would be replaced"});
  check_fails(place.run({"attention", "--model", "model.pt", "--source", "a", "-o", "./model.pt", "--format", "svg"}),
              2, {"./model.pt: is an input and would be replaced"});
  CHECK(place.have_same_bytes("model.pt", trained() / "model.pt"));
  CHECK(place.have_same_bytes("test.source", trained() / "test.source"));
  check_fails(place.run({"trees", "linearize", "--input", "test.source", "--words", "./test.source"}), 2,
              {"./test.source: is an input and would be replaced"});
  check_fails(place.run({"trees", "restore", "--words", "words", "--brackets", "test.source", "-o", "./test.source"}),
              2, {"./test.source: is an input and would be replaced"});
  CHECK(place.have_same_bytes("test.source", trained() / "test.source"));
}

TEST_CASE("train does not replace a config.yaml that it has not written") {
  const Workplace place;
  REQUIRE(place.run_shell("mkdir own").status == 0);
  const std::string config = "# mine\nextends: ../config.yaml\n";
  place.write("own/config.yaml", config);
  for (const char* more : {"--quiet", "--overwrite", "--devices=2"}) {
    check_fails(
        place.run({"train", "--config", "own/config.yaml", "--set", "training.directory=own", "--device", "cpu", more}),
        2, {"own/config.yaml: was not written by `transformer train`", "choose another training.directory"});
  }
  CHECK(place.read("own/config.yaml") == config);
}

TEST_CASE("a model of a run that is older than its newest checkpoint is used with a warning") {
  const Workplace place(trained());
  REQUIRE(
      place.run_shell("cp model.pt run/averaged.safetensors; touch -d 2000-01-01 run/averaged.safetensors").status ==
      0);
  const Result result = place.run({"translate", "--model", "run", "--quiet"}, "ba\n");
  CHECK(result.status == 0);
  CHECK_THAT(
      result.err,
      Catch::Contains("warning: run/averaged.safetensors: is older than run/checkpoints/step-00000250.safetensors"));
}

}  // namespace transformer
