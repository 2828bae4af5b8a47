#include <algorithm>
#include <filesystem>
#include <set>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

constexpr double kGoodBleu = 60;  // two thirds of what this model reaches

double bleu_of(const Workplace& place, const std::string& hypothesis) {
  const Result result = place.run({"eval-bleu", "--hypothesis", hypothesis, "--reference", "test.target", "--json"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  return parse_json(result.out).at("score").get<double>();
}

}  // namespace

TEST_CASE("preprocess makes the corpus once, and nothing where its inputs are unchanged") {
  const Workplace place;
  const Result first = place.run({"preprocess", "--config", "config.yaml", "--threads", "2"});
  INFO(first.err);
  REQUIRE(first.status == 0);
  CHECK(first.out.empty());
  CHECK(place.list("prepared") ==
        std::vector<std::string>{"manifest.json", "train.bin", "valid.bin", "vocabulary.model", "vocabulary.vocab"});
  CHECK(place.read_lines("prepared/vocabulary.vocab").size() == 60);
  const auto manifest = parse_json(place.read("prepared/manifest.json"));
  CHECK(manifest.at("train").at("pairs") == 400);
  CHECK(manifest.at("valid").at("pairs") == 20);

  const auto written = std::filesystem::last_write_time(place / "prepared/train.bin");
  const Result second = place.run({"preprocess", "--config", "config.yaml"});
  CHECK(second.status == 0);
  CHECK_THAT(second.err, Catch::Contains("unchanged"));
  CHECK(std::filesystem::last_write_time(place / "prepared/train.bin") == written);
}

TEST_CASE("columns of a TSV file are text like any other") {
  const Workplace place;
  REQUIRE(
      place.run_shell("paste train.source train.target > pairs.tsv; paste test.source test.target > test.tsv").status ==
      0);
  REQUIRE(place.run({"preprocess", "config.yaml"}).status == 0);
  const std::string corpus = place.read("prepared/train.bin");
  const auto from_columns = [&](const std::string& source, const std::string& target) {
    return place.run({"preprocess", "config.yaml", "--set", "data.train.source=" + source, "--set",
                      "data.train.target=" + target, "--set", "data.prepared=columns"});
  };
  REQUIRE(from_columns("pairs.tsv#1", "pairs.tsv#2").status == 0);
  CHECK(place.read("columns/train.bin") == corpus);
  REQUIRE(from_columns("pairs.tsv#2", "pairs.tsv#1").status == 0);
  CHECK(place.read("columns/train.bin") != corpus);
  check_fails(from_columns("pairs.tsv#1", "pairs.tsv#3"), 1, {"pairs.tsv:1: has no column 3, only 2 columns"});
  check_fails(from_columns("none.tsv#1", "none.tsv#2"), 1, {"data.train.source: none.tsv: there is no such file"});

  const auto translate = [&](const std::string& input) {
    return place.run({"translate", "--model", trained() / "model.pt", "--input", input, "--quiet"}).out;
  };
  CHECK(translate("test.tsv#1") == translate("test.source"));
  const Result whole = place.run({"eval-bleu", "--hypothesis", "test.source", "--reference", "test.tsv"});
  CHECK_THAT(whole.err,
             Catch::Contains("test.tsv: is read as one text, with its tabs") && Catch::Contains("test.tsv#1"));
  CHECK(place.run({"eval-bleu", "--hypothesis", "test.source", "--reference", "test.tsv#2"}).out ==
        place.run({"eval-bleu", "--hypothesis", "test.source", "--reference", "test.target"}).out);
}

TEST_CASE("train fills the run directory with all that is promised") {
  const Workplace& place = trained();
  CHECK(place.list("run") == std::vector<std::string>{"checkpoints", "config.yaml", "metrics.jsonl", "report.html",
                                                      "run.json", "samples.jsonl", "tensorboard", "train.log"});
  std::vector<std::string> checkpoints = {"best.safetensors"};
  for (int step = kCheckpointEvery; step <= kLastStep; step += kCheckpointEvery) {
    checkpoints.push_back(std::filesystem::path(checkpoint_name(step)).filename());
  }
  CHECK(place.list("run/checkpoints") == checkpoints);
  CHECK_THAT(place.read("run/train.log"), Catch::Contains("finished after step 250"));

  const std::string report = place.read("run/report.html");
  CHECK_THAT(report, Catch::Contains("<svg") && Catch::Contains("</html>"));
  CHECK_THAT(report, Catch::Contains(place.read_lines("valid.source").front()));  // a sample translation
  for (const char* elsewhere : {"src=\"http", "href=\"http", "url(", "<link"}) {
    CHECK_THAT(report, !Catch::Contains(elsewhere));
  }
}

TEST_CASE("train in bf16 learns as in fp32, and goes on exactly where it stopped") {
  const Workplace place;
  const auto train = [&](const std::string& directory, int steps) {
    return place.train({"--set", "training.precision=bf16", "--set", "training.directory=" + directory, "--set",
                        "training.train_steps=" + std::to_string(steps)});
  };
  REQUIRE(train("whole", 100).status == 0);
  REQUIRE(train("parts", 50).status == 0);
  REQUIRE(train("parts", 100).status == 0);
  const std::string last = "/checkpoints/step-00000100.safetensors";
  const auto export_of = [&](const std::string& run) {
    REQUIRE(place.run({"export", "--model", run + last, "-o", run + "-out"}).status == 0);
    const std::string file = place.read(run + "-out/model.safetensors");
    return file.substr(file.find("\"decoder"));  // the parameters; the config before them names the directory
  };
  CHECK(export_of("whole") == export_of("parts"));

  const auto loss_at = [](const Workplace& trained_in, const std::string& run, int step) {
    for (const Json& values : metrics_with(trained_in, run, "loss")) {
      if (values.at("step") == step) return values.at("loss").get<double>();
    }
    return 0.0;
  };
  CHECK(loss_at(place, "whole", 50) == Approx(loss_at(trained(), "run", 50)).epsilon(0.02));
  check_fails(place.train({"--set", "training.precision=fp16"}), 2, {"expected fp32, bf16 or auto, got 'fp16'"});
}

TEST_CASE("train writes metrics for every logged step and every validation") {
  std::vector<int> logged, validated;
  for (const auto& line : trained().read_lines("run/metrics.jsonl")) {
    const Json metrics = parse_json(line);
    const int step = metrics.at("step").get<int>();
    if (metrics.contains("valid_loss")) {
      validated.push_back(step);
      for (const char* key : {"valid_perplexity", "valid_bleu"}) CHECK(metrics.contains(key));
    } else {
      logged.push_back(step);
      for (const char* key :
           {"loss", "perplexity", "learning_rate", "target_tokens_per_second", "memory_bytes", "devices"}) {
        CHECK(metrics.contains(key));
      }
      CHECK(metrics.at("devices") == 1);
    }
  }
  REQUIRE(logged.size() == kLastStep / kLogEvery);
  for (size_t i = 0; i < logged.size(); ++i) CHECK(logged[i] == static_cast<int>(i + 1) * kLogEvery);
  CHECK(validated == std::vector<int>{100, 200, 250});
}

TEST_CASE("the run directory's config is complete and trains the same model") {
  const Workplace place;
  place.write("config.yaml", trained().read("run/config.yaml"));
  const Result result = place.train({"--set", "training.train_steps=50"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  for (const Workplace* run : {&trained(), &place}) {
    const auto lines = run->read_lines("run/metrics.jsonl");
    CHECK(parse_json(lines.at(4)).at("step") == 50);
  }
  CHECK(parse_json(place.read_lines("run/metrics.jsonl").at(4)).at("loss") ==
        parse_json(trained().read_lines("run/metrics.jsonl").at(4)).at("loss"));
}

TEST_CASE("train after the last step changes nothing") {
  const Workplace place(trained());
  const Result result = place.train();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("finished after step 250"));
  CHECK(place.list("run/checkpoints") == trained().list("run/checkpoints"));
  CHECK(place.have_same_bytes(checkpoint_name(kLastStep), trained() / checkpoint_name(kLastStep)));
  CHECK(place.read("run/metrics.jsonl") == trained().read("run/metrics.jsonl"));
}

TEST_CASE("train ends with commands that work as they stand") {
  const Workplace place(trained());
  const Result training = place.train();
  std::vector<std::string> commands;
  for (const auto& line : lines_of(training.err)) {
    if (line.starts_with("  transformer ")) commands.push_back(line);
  }
  REQUIRE(commands.size() == 3);
  Result result;
  for (const auto& command : commands) {
    result = place.run_shell("transformer() { \"$transformer\" \"$@\"; }\n" + command);
    INFO(command << "\n" << result.err);
    REQUIRE(result.status == 0);
  }
  CHECK_THAT(result.out, Catch::StartsWith("BLEU|"));
}

TEST_CASE("train validates on several named sets, and a set may be added to a run") {
  const Workplace place;
  place.write("talks.source", "ba be bi\nko ku\n");
  place.write("talks.target", "al el il\nos us\n");
  REQUIRE(place.train({"--set", "training.train_steps=50", "--set", "training.validate_every=50"}).status == 0);
  const std::vector<std::string> two_sets = {"--set", "data.valid.source=[valid.source, talks.source]",
                                             "--set", "data.valid.target=[valid.target, talks.target]",
                                             "--set", "data.valid.name=[general, talks]"};
  const Result result =
      place.train(with(two_sets, {"--set", "training.train_steps=100", "--set", "training.validate_every=50"}));
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("encoding the validation corpus talks, 2 pairs"));
  CHECK_THAT(result.err, Catch::Contains("step 100  validation of general  loss "));
  CHECK_THAT(result.err, Catch::Contains("step 100  validation of talks  loss "));
  const std::vector<Json> validations = metrics_with(place, "run", "valid_loss");
  REQUIRE(validations.size() == 2);
  CHECK_FALSE(validations[0].contains("valid_loss_talks"));
  for (const char* key : {"valid_loss_talks", "valid_perplexity_talks", "valid_bleu_talks"}) {
    CHECK(validations[1].contains(key));
  }
  CHECK(validations[1].at("valid_loss") != validations[1].at("valid_loss_talks"));
  const Json samples = parse_json(place.read_lines("run/samples.jsonl").back()).at("translations");
  const std::vector<std::string> lines = place.read_lines("valid.source");
  REQUIRE(samples.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(samples.at(i).at("source") == lines.at(i * lines.size() / 3));
  std::string events;
  for (const std::string& file : place.list("run/tensorboard")) events += place.read("run/tensorboard/" + file);
  for (const char* tag : {"loss/valid_talks", "perplexity/valid_talks", "BLEU/valid_talks"}) {
    CHECK_THAT(events, Catch::Contains(tag));
  }
  CHECK_THAT(place.read("run/report.html"), Catch::Contains("<th>Loss of talks</th>"));

  place.write("empty", "");
  check_fails(place.train({"--set", "data.valid.source=[valid.source, empty]", "--set",
                           "data.valid.target=[valid.target, empty]", "--set", "data.valid.name=[general, talks]"}),
              1, {"empty"});
}

TEST_CASE("validation scores by evaluation.tokenize, as eval-bleu does") {
  const Workplace place;
  const Result result = place.train(
      {"--set", "training.train_steps=50", "--set", "training.validate_every=50", "--set", "evaluation.tokenize=char"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::EndsWith(" --tokenize char\n"));
  const double score = metrics_with(place, "run", "valid_bleu").back().at("valid_bleu").get<double>();
  REQUIRE(place.run({"translate", "--model", "run", "--input", "valid.source", "--output", "out"}).status == 0);
  const auto bleu = [&](const std::string& tokenization) {
    const Result scored = place.run(
        {"eval-bleu", "--hypothesis", "out", "--reference", "valid.target", "--tokenize", tokenization, "--json"});
    return parse_json(scored.out).at("score").get<double>();
  };
  CHECK(bleu("char") == Approx(score).margin(0.06));  // it has one decimal place
  CHECK(bleu("13a") != Approx(score).margin(0.5));
}

TEST_CASE("train does without validation text") {
  const Workplace place;
  const Result result = place.train(
      {"--set", "data.valid.source=null", "--set", "data.valid.target=null", "--set", "training.train_steps=20"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(!place.has("prepared/valid.bin"));
  CHECK(place.read_lines("run/metrics.jsonl").size() == 2);
  CHECK(place.has("run/report.html"));
  CHECK_THAT(result.err,
             Catch::Contains("  transformer average-checkpoints --last 1 run -o run/averaged.safetensors\n"));
  check_fails(place.run({"average-checkpoints", "run"}), 2,
              {"run: the run has no validation text", "give --last N or --best N"});
}

TEST_CASE("train with a number of epochs says whether they or the number of steps ended it") {
  const Workplace place;
  const auto end_of = [&](const std::string& steps, const std::string& epochs) {
    const Result result = place.train(
        {"--overwrite", "--set", "training.train_steps=" + steps, "--set", "training.max_epochs=" + epochs});
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result.err.substr(result.err.find("finished after step "));
  };
  CHECK_THAT(end_of("2", "100"),
             Catch::StartsWith("finished after step 2, as training.train_steps says, in epoch 1 of at most 100 ("));
  CHECK_THAT(end_of("250", "1"), Catch::Contains(", as training.max_epochs says ("));
}

TEST_CASE("train ends when patience does, and stays ended") {
  const Workplace place;
  // Validation sentences with wrong translations: the better the model becomes, the worse is its validation.
  auto targets = place.read_lines("valid.target");
  std::rotate(targets.begin(), targets.begin() + 1, targets.end());
  place.write("valid.target", text_of(targets));
  const std::vector<std::string> settings = {"--set", "training.validate_every=10", "--set", "training.patience=2"};
  std::string end;
  for (int start = 0; start < 2; ++start) {
    const Result result = place.train(settings);
    INFO(result.err);
    REQUIRE(result.status == 0);
    const size_t found = result.err.find("finished after step ");
    REQUIRE(found != std::string::npos);
    const std::string ended = result.err.substr(found, result.err.find(' ', found + 20) - found);
    if (start == 0) end = ended;
    CHECK(ended == end);
    CHECK_THAT(ended, !Catch::Contains("step 250"));
    CHECK_THAT(result.err, Catch::Contains("because the last 2 validations were not better (training.patience)") &&
                               Catch::Contains("average-checkpoints run\n") &&
                               Catch::Contains("translate --model run/averaged.safetensors --input "));
  }
  const auto advice_with = [&](const std::string& name, const std::vector<std::string>& more) {
    return place.train(with(with(settings, {"--set", "training.directory=" + name}), more)).err;
  };
  CHECK_THAT(advice_with("averaged", {"--set", "training.ema_decay=0.9"}),
             Catch::Contains("average-checkpoints averaged\n") &&
                 Catch::Contains("translate --model averaged/averaged.safetensors --input "));
  CHECK_THAT(advice_with("saved", {"--set", "training.checkpoint_every=10"}),
             Catch::Contains("average-checkpoints saved\n"));
  // The checkpoints with the best validations are tried if the run still has them.
  CHECK_THAT(place.run({"average-checkpoints", "run"}).err, !Catch::Contains("--best"));
  CHECK_THAT(place.run({"average-checkpoints", "saved"}).err, Catch::Contains("--best 5  BLEU "));
}

TEST_CASE("train --overwrite begins anew and leaves alone what is not the run's") {
  const Workplace place(trained());
  place.write("run/notes.txt", "mine\n");
  const Result result = place.train({"--overwrite", "--set", "training.train_steps=10", "--set", "model.d_ff=48"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(place.list("run/checkpoints") == std::vector<std::string>{"best.safetensors", "step-00000010.safetensors"});
  CHECK(place.read_lines("run/metrics.jsonl").size() == 2);
  CHECK_THAT(place.read("run/train.log"), Catch::Contains("prepared already") && !Catch::Contains("step 250"));
  CHECK(place.read("run/notes.txt") == "mine\n");
}

TEST_CASE("train keeps the newest checkpoints and removes the others") {
  const Workplace place;
  const Result result = place.train({"--set", "training.train_steps=50", "--set", "training.checkpoint_every=10",
                                     "--set", "training.keep_checkpoints=2"});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(place.list("run/checkpoints") ==
        std::vector<std::string>{"best.safetensors", "step-00000040.safetensors", "step-00000050.safetensors"});
}

TEST_CASE("train writes checkpoints by time if it is told to") {
  const Workplace place;
  REQUIRE(place
              .train({"--set", "training.checkpoint_every=null", "--set", "training.checkpoint_minutes=0.001", "--set",
                      "training.keep_checkpoints=1000"})
              .status == 0);
  CHECK(place.list("run/checkpoints").size() >
        2);  // best.safetensors, that of the last step, and one after each 0.06 s
}

TEST_CASE("average-checkpoints takes the same files by --last and by --inputs") {
  const Workplace place(trained());
  const Result result = place.run({"average-checkpoints", "--inputs", checkpoint_name(150), checkpoint_name(200),
                                   checkpoint_name(250), "-o", "named.pt"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(result.out.empty());
  CHECK(place.have_same_bytes("named.pt", "model.pt"));
}

TEST_CASE("average-checkpoints of a model with itself is that model") {
  const Workplace place(trained());
  REQUIRE(place.run({"average-checkpoints", "--inputs", "model.pt", "-o", "alone.pt"}).status == 0);
  CHECK(place.have_same_bytes("alone.pt", "model.pt"));
  place.write("copy.pt", place.read("model.pt"));
  REQUIRE(place.run({"average-checkpoints", "--inputs", "model.pt", "copy.pt", "-o", "twice.pt"}).status == 0);
  CHECK(place.have_same_bytes("twice.pt", "model.pt"));
}

TEST_CASE("average-checkpoints without a number writes the model that translates the validation text best") {
  const Workplace place(trained());
  const Result result = place.run({"average-checkpoints", "run", "--device", "cpu", "--threads", "1"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  std::vector<std::string> names;
  double best_score = -1;
  std::string best;
  for (const auto& line : lines_of(result.err)) {
    const size_t end = line.find("  BLEU ");
    if (end == std::string::npos) continue;
    CHECK_THAT(line, Catch::Contains(" on valid.source  (took "));
    names.push_back(line.substr(0, end));
    const double score = std::stod(line.substr(end + 7));
    if (score <= best_score) continue;
    best_score = score;
    best = names.back();
  }
  CHECK(names ==
        std::vector<std::string>{"run/checkpoints/best.safetensors", "--last 1", "--last 2", "--last 3", "--last 5"});
  CHECK_THAT(result.err, Catch::EndsWith("wrote run/averaged.safetensors: the best is " + best + "\n"));
  REQUIRE(place.run({"translate", "--model", "run/averaged.safetensors", "--input", "valid.source", "--output", "out"})
              .status == 0);
  const Result scored =
      place.run({"eval-bleu", "--hypothesis", "out", "--reference", "valid.target", "--score-only", "--width", "2"});
  CHECK(std::stod(output_of(scored)) == Approx(best_score).margin(0.006));
}

TEST_CASE("average-checkpoints without a number writes best.safetensors's model where every average is worse") {
  const Workplace place(trained());
  REQUIRE(place
              .train({"--set", "training.directory=early", "--set", "training.train_steps=3", "--set",
                      "training.checkpoint_every=1"})
              .status == 0);
  place.write("early/checkpoints/best.safetensors", place.read("model.pt"));
  const Result result = place.run({"average-checkpoints", "early", "-o", "best.safetensors"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err,
             Catch::Contains("--last 3  BLEU ") &&
                 Catch::EndsWith("wrote best.safetensors: the best is early/checkpoints/best.safetensors\n"));
  CHECK(place.have_same_bytes("best.safetensors", "model.pt"));
  CHECK(!place.has("early/averaged.safetensors"));
}

TEST_CASE("average-checkpoints chooses by chrF where training.best_by says so, and refuses options without effect") {
  const Workplace place(trained());
  const std::string config = place.read("run/config.yaml");
  const size_t key = config.find("best_by: loss");
  REQUIRE(key != std::string::npos);
  place.write("run/config.yaml", std::string(config).replace(key, 13, "best_by: chrf"));
  CHECK_THAT(place.run({"average-checkpoints", "run"}).err, Catch::Contains("--last 5  chrF "));
  place.write("run/config.yaml", std::string(config).replace(key, 13, "best_by: ter"));
  CHECK_THAT(place.run({"average-checkpoints", "run"}).err, Catch::Contains("--last 5  TER "));
  check_fails(place.run({"average-checkpoints", "run", "--ema"}), 2, {"--ema has no effect without --last, --best"});
  check_fails(place.run({"average-checkpoints", "run", "--last", "2", "--threads", "1", "-o", "m.pt"}), 2,
              {"--threads has no effect with --last, --best or --inputs"});
  check_fails(place.run({"average-checkpoints", "nowhere"}), 1, {"nowhere: is no run directory with checkpoints"});
}

TEST_CASE("average-checkpoints finds the best average of a run that was stopped before its first metrics") {
  const Workplace place(trained());
  std::filesystem::remove(place / "run/metrics.jsonl");
  const Result result = place.run({"average-checkpoints", "run"});
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("--last 1  BLEU ") && Catch::Contains("wrote run/averaged.safetensors"));
}

TEST_CASE("the trained model translates its test set well, from a file as from stdin") {
  const Workplace place(trained());
  const std::vector<std::string> translate = {"translate", "--model", "model.pt", "--threads", "1", "--device", "cpu"};
  const Result files = place.run(with(translate, {"--input", "test.source", "--output", "translated"}));
  INFO(files.err);
  REQUIRE(files.status == 0);
  CHECK(files.out.empty());
  CHECK(bleu_of(place, "translated") > kGoodBleu);

  const Result streams = place.run(translate, place.read("test.source"));
  CHECK(streams.status == 0);
  CHECK(streams.out == place.read("translated"));
}

TEST_CASE("a checkpoint translates like the model file made of it") {
  const Workplace place(trained());
  const std::string checkpoint = checkpoint_name(kLastStep);
  REQUIRE(place.run({"average-checkpoints", "--inputs", checkpoint, "-o", "alone.pt"}).status == 0);
  const auto translation = [&](const std::string& model) {
    const Result result = place.run({"translate", "--model", model, "--threads", "1"}, place.read("test.source"));
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result.out;
  };
  CHECK(translation(checkpoint) == translation("alone.pt"));
}

TEST_CASE("a checkpoint with a moving average is used as the model that was validated") {
  const Workplace place;
  const Result trained = place.train({"--set", "training.ema_decay=0.98", "--set", "training.validate_every=50"});
  INFO(trained.err);
  REQUIRE(trained.status == 0);
  const std::string checkpoint = checkpoint_name(kLastStep);
  const std::vector<std::string> average = {"average-checkpoints", "--inputs", checkpoint, "-o"};
  REQUIRE(place.run(with(average, {"raw.pt"})).status == 0);
  REQUIRE(place.run(with(average, {"ema.pt", "--ema"})).status == 0);
  const std::string notice = checkpoint + ": using the moving average of its parameters, as validation does";
  const auto output_of_model = [&](const std::vector<std::string>& command, const std::string& model) {
    const Result result = place.run(with(command, {"--model", model}));
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK((result.err.find(notice) != std::string::npos) == (model == "run" || model == checkpoint));
    return result.out;
  };
  const std::vector<std::string> translate = {"translate", "--scores", "--input", "valid.source"};
  const std::vector<std::string> score = {"score", "--source", "valid.source", "--target", "valid.target"};
  for (const auto& command : {translate, score}) {
    for (const std::string& model : {std::string("run"), checkpoint}) {
      CHECK(output_of_model(command, model) == output_of_model(command, "ema.pt"));
    }
    CHECK(output_of_model(command, "run") != output_of_model(command, "raw.pt"));
  }
  for (const char* model : {"run", "ema.pt"}) {
    output_of_model({"export", "-o", std::string(model) + "-out"}, model);
    output_of_model({"export", "--format", "ctranslate2", "-o", std::string(model) + "-ct2"}, model);
  }
  CHECK(place.have_same_bytes("run-out/model.safetensors", "ema.pt-out/model.safetensors"));
  CHECK(place.have_same_bytes("run-ct2/model.bin", "ema.pt-ct2/model.bin"));
  place.write("out", output_of_model({"translate", "--input", "valid.source"}, "run"));
  const double bleu = metrics_with(place, "run", "valid_bleu").back().at("valid_bleu").get<double>();
  const Json scored =
      parse_json(place.run({"eval-bleu", "--hypothesis", "out", "--reference", "valid.target", "--json"}).out);
  CHECK(scored.at("score").get<double>() == Approx(bleu).margin(0.06));

  // Fine-tuning starts with this model, too.
  const std::vector<std::string> tuning = {
      "--set", "training.train_steps=1",        "--set", "training.checkpoint_every=1",
      "--set", "training.schedule=constant",    "--set", "training.learning_rate=1e-30",
      "--set", "training.learning_rate_scale=1"};
  const Result tuned =
      place.train(with(tuning, {"--set", "training.init_from=run", "--set", "training.directory=tuned"}));
  INFO(tuned.err);
  REQUIRE(tuned.status == 0);
  CHECK_THAT(tuned.err, Catch::Contains(notice));
  CHECK(output_of_model(score, "tuned") == output_of_model(score, "ema.pt"));
}

TEST_CASE("validation of texts without four words uses BLEU's effective order, so that the best model is found") {
  const Workplace place;
  for (const std::string name : {"train", "valid", "test"}) {
    for (const std::string side : {".source", ".target"}) {
      auto lines = place.read_lines(name + side);
      for (size_t i = 0; i < lines.size(); ++i) {
        const size_t one = lines[i].find(' '), two = lines[i].find(' ', one + 1);
        lines[i] = lines[i].substr(0, i % 2 == 0 ? one : two);
      }
      place.write(name + side, text_of(lines));
    }
  }
  const Result result = place.train(
      {"--set", "training.validate_every=50", "--set", "training.best_by=bleu", "--set", "training.patience=3"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: valid.target: no line has four words, so BLEU would be 0"));
  const double bleu = metrics_with(place, "run", "valid_bleu").back().at("valid_bleu").get<double>();
  CHECK(bleu > 90);
  CHECK(place.has("run/checkpoints/best.safetensors"));
  CHECK_THAT(place.run({"average-checkpoints", "run"}).err, Catch::Contains("best.safetensors  BLEU "));
  const std::vector<std::string> eval = {"eval-bleu", "--hypothesis", "test.target", "--reference", "test.target"};
  const Result plain = place.run(eval);
  CHECK_THAT(plain.out, Catch::Contains(" = 0.0 "));  // as sacreBLEU prints
  CHECK_THAT(plain.err,
             Catch::StartsWith("warning: test.target: no reference line has four words, so BLEU is 0 or close "
                               "to it even if every translation is right"));
  CHECK_THAT(only_output_of(place.run(with(eval, {"--effective-order"}))), Catch::Contains(" = 100.0 "));
  CHECK(only_output_of(place.run(with(eval, {"--metrics", "chrf", "--score-only"}))) == "100.0\n");
  only_output_of(place.run(with(eval, {"--sentence"})));
}

TEST_CASE("validation of one long word a line warns of missing n-grams, and not of missing spaces") {
  const Workplace place;
  place.write("words.source", text_of(std::vector<std::string>(60, "ba be bi bo bu ba be bi bo")));
  place.write("words.target", text_of(std::vector<std::string>(60, "babebibobubabebibobu")));
  const Result result = place.train({"--set", "training.train_steps=1", "--set", "data.valid.source=words.source",
                                     "--set", "data.valid.target=words.target"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: words.target: no line has four words"));
  CHECK_THAT(result.err, !Catch::Contains("hardly any spaces"));
}

TEST_CASE("eval-bleu --paired-bs says that the p-value of a system equal to the baseline means nothing") {
  const Workplace place;
  place.write("a", "The cat sat on the mat.\nA dog ran away from home.\n");
  place.write("b", "the cat sat on the mat.\nA dog ran away from home.\n");
  place.write("c", "The cat sat on a mat.\nA dog ran far away.\n");
  place.write("copy", place.read("a"));
  const std::vector<std::string> eval = {"eval-bleu", "--reference", "a", "--paired-bs", "--hypothesis"};
  const Result copy = place.run(with(eval, {"c", "b", "copy"}));
  CHECK_THAT(copy.err, !Catch::Contains("no sign of a difference"));
  place.write("other", place.read("c"));
  const Result same = place.run(with(eval, {"c", "other", "b"}));
  CHECK_THAT(same.out, Catch::Contains("(p = 0.0010)*"));  // as sacreBLEU prints
  CHECK(
      same.err ==
      "warning: other: has the same BLEU as the baseline, c; its p-value of 0.0010, which sacreBLEU prints, too, is no "
      "sign of a difference\n");
  // Text that differs only in what the metric ignores.
  CHECK_THAT(place.run(with(eval, {"b", "copy", "--lowercase"})).err,
             Catch::StartsWith("warning: copy: has the same BLEU"));
}

TEST_CASE("eval-bleu says what blank lines of a further reference do to the score") {
  const Workplace place;
  place.write("short", "the cat sat on\na dog ran away\n");
  place.write("one", "the cat sat on the mat and slept there\na dog ran away from its home\n");
  place.write("two", "\na dog ran off from its home\n");
  const auto scored = [&](const std::vector<std::string>& references) {
    return place.run(
        with({"eval-bleu", "--hypothesis", "short", "--score-only", "-w", "2", "--reference"}, references));
  };
  CHECK(only_output_of(scored({"one"})) == "36.79\n");
  const Result blank = scored({"one", "two"});
  CHECK(blank.out ==
        "100.00\n");  // as sacreBLEU computes it: the references have 0 and 7 words, the hypotheses 4 and 4
  CHECK_THAT(blank.err, Catch::Contains("two:1: this reference line is empty; scored nevertheless, but no word of a "
                                        "translation can match an empty reference, which counts as one of length 0 and "
                                        "not as absent") &&
                            Catch::Contains("so that BLEU's brevity penalty spares short translations"));
}

TEST_CASE("eval-bleu gives one score as text, as JSON and alone") {
  const Workplace place;
  place.write("hypothesis", "the cat sat on the mat\na dog ran away from home\n");
  place.write("reference", "the cat sat on the mat\na dog ran away from here\n");
  const std::vector<std::string> call = {"eval-bleu", "--hypothesis", "hypothesis", "--reference", "reference"};
  const auto output_with = [&](const std::vector<std::string>& more) { return output_of(place.run(with(call, more))); };
  const Json json = parse_json(output_with({"--json"}));
  const std::string score = json_text(json.at("score"));
  CHECK(json.at("name") == "BLEU");
  CHECK(output_with({"--score-only"}) == score + "\n");
  CHECK_THAT(output_with({}),
             Catch::StartsWith("BLEU|" + json.at("signature").get<std::string>() + " = " + score + " "));
  const std::string longer = output_with({"--score-only", "--width", "4"});
  CHECK(longer.size() == score.size() + 3 + 1);
  CHECK(std::stod(longer) == Approx(json.at("score").get<double>()).margin(0.05));
  // A reference that is the hypothesis makes the score perfect, beside whatever other reference.
  CHECK(output_with({"--score-only", "--reference", "hypothesis"}) == "100.0\n");
  CHECK(place.run({"eval-bleu", "--reference", "reference", "--score-only"}, place.read("hypothesis")).out ==
        output_with({"--score-only"}));
}

TEST_CASE("eval-bleu tokenizes, smooths and resamples as it is told") {
  const Workplace place;
  place.write("hypothesis", "The cat sat on THE mat.\nEin U-Bahn-Fahrer lief.\n");
  place.write("reference", "The cat sat on the mat.\nDer U-Bahn-Fahrer lief.\n");
  place.write("other", "A cat sat.\nDer Fahrer lief heute.\n");
  const auto output_with = [&](const std::vector<std::string>& more) {
    return output_of(place.run(with({"eval-bleu", "--reference", "reference", "--hypothesis", "hypothesis"}, more)));
  };
  const std::string rest = "|version:2.6.0 = ";
  CHECK_THAT(output_with({"--tokenize", "none", "--lowercase", "--smooth-method", "floor", "--smooth-value", "0.5"}),
             Catch::Contains("case:lc|eff:no|tok:none|smooth:floor[0.50]" + rest));
  CHECK_THAT(output_with({"--tok", "intl", "--effective-order"}),
             Catch::Contains("eff:yes|tok:intl|smooth:exp" + rest));
  const auto lines =
      lines_of(output_with({"--metrics", "chrf++", "bleu", "chrf", "--paper", "--chrf-char-order", "4", "--chrf-beta",
                            "3", "--chrf-lowercase", "--chrf-whitespace", "--chrf-eps-smoothing"}));
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Catch::Contains(" BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp" + rest));
  CHECK_THAT(lines[1], Catch::Contains("BLEU-paper|nrefs:1|case:mixed|eff:no|tok:moses-de-atat|smooth:none = "));
  CHECK_THAT(lines[2], Catch::Contains("chrF3|nrefs:1|case:lc|eff:no|nc:4|nw:0|space:yes" + rest));
  CHECK_THAT(lines[3], Catch::Contains("chrF3++|nrefs:1|case:lc|eff:no|nc:4|nw:2|space:yes" + rest));
  CHECK(lines_of(output_with({"--sentence", "--score-only"})).size() == 2);
  CHECK_THAT(output_with({"--confidence", "--confidence-n", "50", "--seed", "7"}),
             Catch::Contains("nrefs:1|bs:50|seed:7|") && Catch::Contains(" (μ = "));
  CHECK_THAT(output_with({"other", "--paired-bs", "--paired-bs-n", "50"}), Catch::Contains("Baseline: hypothesis") &&
                                                                               Catch::Contains("(p = ") &&
                                                                               Catch::Contains("bs:50|seed:12345"));
  CHECK_THAT(output_with({"other", "--json"}), Catch::Contains("\"system\": \"other\""));
  CHECK_THAT(place
                 .run_shell("SACREBLEU_SEED=8 \"$transformer\" eval-bleu --reference reference --hypothesis hypothesis "
                            "--confidence --confidence-n 50")
                 .out,
             Catch::Contains("bs:50|seed:8|"));
}

TEST_CASE("eval-bleu computes TER, with every option, beside other metrics and with intervals") {
  const Workplace place;
  place.write("hypothesis", "sat on the Mat, the cat\nEin Fahrer lief .\n");
  place.write("reference", "the cat sat on the mat,\nDer Fahrer lief.\n");
  place.write("other", "A cat sat.\nDer Fahrer lief heute.\n");
  const auto output_with = [&](const std::vector<std::string>& more) {
    return output_of(place.run(with({"eval-bleu", "--reference", "reference", "--hypothesis", "hypothesis"}, more)));
  };
  // One shift, then two substitutions and a deletion, for nine words. As sacreBLEU 2.6.0 prints it.
  CHECK(output_with({"-m", "ter"}) ==
        "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 44.4\n");
  CHECK(output_with({"-m", "ter", "--ter-case-sensitive", "--ter-normalized", "--ter-no-punct", "--ter-asian-support",
                     "-w", "3"}) ==
        "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 33.333\n");
  CHECK(lines_of(output_with({"-m", "ter", "--sentence", "--score-only"})).size() == 2);
  const auto lines = lines_of(output_with({"-m", "ter", "chrf", "bleu"}));
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[2], Catch::Contains("TER|nrefs:1"));
  CHECK_THAT(output_with({"-m", "ter", "--confidence", "--confidence-n", "50"}),
             Catch::Contains("TER|nrefs:1|bs:50|seed:12345|case:lc") && Catch::Contains(" = 44.4 (μ = "));
  CHECK_THAT(output_with({"other", "-m", "ter", "--paired-bs", "--paired-bs-n", "50"}), Catch::Contains("(p = "));
  CHECK_THAT(output_of(place.run({"eval-bleu", "-m", "ter", "-i", "hypothesis", "-r", "reference", "other"})),
             Catch::Contains("TER|nrefs:2|"));
}

TEST_CASE("eval-bleu and validation split text by the SentencePiece model that they are given") {
  const Workplace place(trained());
  const std::string model = "prepared/vocabulary.model";
  const auto score = [&](const std::vector<std::string>& more) {
    return parse_json(output_of(
        place.run(with({"eval-bleu", "--hypothesis", "valid.out", "--reference", "valid.target", "--json"}, more))));
  };
  const Result result =
      place.train({"--set", "training.train_steps=300", "--set", "training.validate_every=300", "--set",
                   "evaluation.tokenize=flores200", "--set", "evaluation.tokenizer_model=" + model});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::EndsWith(" --tokenize flores200 --tokenizer-model " + model + "\n"));
  REQUIRE(place.run({"translate", "--model", "run", "--input", "valid.source", "--output", "valid.out"}).status == 0);
  const Json flores = score({"--tokenize", "flores200", "--tokenizer-model", model});
  CHECK_THAT(flores.at("signature").get<std::string>(), Catch::Contains("|tok:flores200|"));
  CHECK(flores.at("score").get<double>() ==
        Approx(metrics_with(place, "run", "valid_bleu").back().at("valid_bleu").get<double>()).margin(0.06));
  const Json spm = score({"--tokenize", "spm", "--tokenizer-model", model});
  CHECK_THAT(spm.at("signature").get<std::string>(), Catch::Contains("|tok:flores101|"));  // as in sacreBLEU
  CHECK(spm.at("score") == flores.at("score"));
  check_fails(place.run({"eval-bleu", "-i", "valid.out", "-r", "valid.target", "--tokenize", "spm", "--tokenizer-model",
                         "valid.target"}),
              1, {"valid.target"});
  check_fails(
      place.train({"--overwrite", "--set", "evaluation.tokenize=flores200"}), 2,
      {"evaluation.tokenizer_model must name the SentencePiece model that evaluation.tokenize: flores200 needs"});
  check_fails(place.train({"--overwrite", "--set", "evaluation.tokenizer_model=" + model}), 2,
              {"evaluation.tokenizer_model has no effect with evaluation.tokenize: 13a"});
}

TEST_CASE("eval-bleu warns of the newstest2014 that has lost lines") {
  const Workplace place;
  std::string text;
  for (int line = 0; line < 2737; ++line) text += "ein Satz aus vier Wörtern\n";
  place.write("newstest2014.de", text);
  const Result result = place.run({"eval-bleu", "--reference", "newstest2014.de", "--paper", "--score-only"}, text);
  CHECK(result.out == "100.0\n100.0\n");
  CHECK_THAT(result.err, Catch::Contains("warning: ") && Catch::Contains("3,003"));
}

TEST_CASE("commands told to be quiet say nothing but what went wrong") {
  const Workplace place(trained());
  CHECK(place.run({"preprocess", "--config", "config.yaml", "--quiet"}).err.empty());
  CHECK(place.train({"--quiet"}).err.empty());
  CHECK(place.run({"average-checkpoints", "--last", "2", "run", "-o", "mean.pt", "--quiet"}).err.empty());
  CHECK(place.run({"translate", "--model", "mean.pt", "--quiet"}, "ba be\n").err.empty());
  check_fails(place.run({"translate", "--model", "nowhere.pt", "--quiet"}), 1, {"nowhere.pt"});
  const Result verbose = place.run({"translate", "--model", "mean.pt", "--verbose"}, "ba be\n");
  CHECK(verbose.status == 0);
  CHECK(lines_of(verbose.out).size() == 1);
}

}  // namespace transformer
