#include <cmath>
#include <filesystem>

#include "base/json.h"
#include "base/read_file.h"
#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

// Each folder has a small model of another program with texts, and with what that program says about them; the scripts
// in scripts/interoperability wrote them.
const std::string kModels = kRepository / "tests/golden/import/";

/// Copies a model into the workplace, so that tests can change it.
void copy_model(const Workplace& place, const std::string& name) {
  std::filesystem::copy(kModels + name, place / name, std::filesystem::copy_options::recursive);
}

Result import_model(const Workplace& place, const std::string& path) {
  return place.run({"import", path, "-o", "model.pt"});
}

/// What `score --json` says about the texts of a directory: for each pair the log-probability and the number of pieces.
Json scores(const Workplace& place, const std::string& directory) {
  const Result result = place.run({"score", "--model", "model.pt", "--source", directory + "/source.txt", "--target",
                                   directory + "/target.txt", "--json"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  return parse_json(result.out).at("scores");
}

/// Checks that each line begins as the other program's, which cuts lines that do not end elsewhere.
void check_beginnings(const std::vector<std::string>& found, const std::vector<std::string>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) CHECK_THAT(found[i], Catch::StartsWith(expected[i]));
}

}  // namespace

TEST_CASE("a model of another program, imported, has its log-probabilities and translations") {
  const std::string name =
      GENERATE("marian", "marianmt", "marianmt_legacy", "ctranslate2_int8", "ctranslate2_float16", "argos", "fairseq");
  INFO(name);
  const Workplace place;
  const std::string texts = kModels + name;
  const Result imported = import_model(place, name == "argos" ? texts + "/translate-en_de.argosmodel" : texts);
  INFO(imported.err);
  REQUIRE(imported.status == 0);
  CHECK(imported.out.empty());
  const auto expected = lines_of(read_file(texts + "/scores.txt"));
  const Json found = scores(place, texts);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO(i);
    const double difference = found.at(i).at("log_prob").get<double>() - std::stod(expected[i]);
    CHECK(std::abs(difference) < 2e-5 * found.at(i).at("tokens").get<double>());
  }
  const Result translated =
      place.run({"translate", "--model", "model.pt", "--input", texts + "/source.txt", "--beam-size", "1"});
  if (name == "fairseq") return;  // of which there are scores only
  check_beginnings(lines_of(output_of(translated)), lines_of(read_file(texts + "/greedy.txt")));
}

TEST_CASE("an imported model keeps the search settings of its program") {
  const Workplace place;
  REQUIRE(import_model(place, kModels + "marianmt").status == 0);
  REQUIRE(place.run({"export", "--model", "model.pt", "--format", "safetensors", "-o", "exported"}).status == 0);
  const std::string config = place.read("exported/model.safetensors");
  for (const char* setting : {"beam_size: 4", "length_penalty: average", "alpha: 1", "max_extra_tokens: 64"}) {
    CHECK_THAT(config, Catch::Contains(setting));
  }
}

TEST_CASE("an imported model is fine-tuned, and resumed exactly") {
  const Workplace place;
  const std::string texts = kModels + "marianmt";
  REQUIRE(import_model(place, texts).status == 0);
  std::string source, target;
  for (int i = 0; i < 20; ++i) {
    source += read_file(texts + "/source.txt");
    target += read_file(texts + "/target.txt");
  }
  place.write("tuning.source", source);
  place.write("tuning.target", target);
  place.write(
      "tuning.yaml",
      "data: {train: [{source: tuning.source, target: tuning.target}], prepared: tuning.data}\n"
      "model: {N: 2, d_model: 16, d_ff: 24, h: 4, decoder_layers: 1, activation: swish, attention_bias: true, "
      "output_bias: true, sinusoids: halves, layer_norm_epsilon: 1e-5, tied_embeddings: all, decoder_start: pad}\n"
      "training: {init_from: model.pt, directory: tuned, train_steps: 8, batch_tokens: 500, log_every: 4, "
      "validate_every: null, schedule: constant, learning_rate: 1e-3, warmup_steps: 0}\n");
  const std::vector<std::string> train = {"train", "--config", "tuning.yaml", "--device", "cpu"};
  const Result verified = place.run(with(train, {"--verify-resume", "4"}));
  INFO(verified.err);
  REQUIRE(verified.status == 0);
  REQUIRE(place.run(train).status == 0);
  const auto log_prob = [&](const std::string& model) {
    const Result result =
        place.run({"score", "--model", model, "--source", "tuning.source", "--target", "tuning.target", "--json"});
    REQUIRE(result.status == 0);
    return parse_json(result.out).at("log_prob").get<double>();
  };
  CHECK(log_prob("tuned") > log_prob("model.pt"));
}

TEST_CASE("a model that import cannot hold is named by its option") {
  const Workplace place;
  copy_model(place, "marianmt");
  const auto with_config = [&](const std::string& from, const std::string& to) {
    std::string config = read_file(kModels + "marianmt/config.json");
    REQUIRE(config.find(from) != std::string::npos);
    config.replace(config.find(from), from.size(), to);
    place.write("marianmt/config.json", config);
    return import_model(place, "marianmt");
  };
  check_fails(with_config("\"model_type\": \"marian\"", "\"model_type\": \"t5\""), 1,
              {"config.json: 'model_type' is t5", "only marian"});
  check_fails(with_config("\"activation_function\": \"swish\"", "\"activation_function\": \"gelu_new\""), 1,
              {"config.json: 'activation_function' gelu_new"});
  check_fails(with_config("\"decoder_layers\": 1", "\"decoder_layers\": 2"), 1,
              {"model.safetensors: has no tensor 'model.decoder.layers.1."});
  check_fails(with_config("\"decoder_layers\": 1", "\"decoder_layers\": null"), 1, {"has no 'decoder_layers'"});
  check_fails(with_config("\"vocab_size\": ", "\"vocab_size\": 2, \"x\": "), 1, {"vocab.json: the id", "rows"});
  check_fails(with_config("{", "["), 1, {"marianmt: holds no model that can be imported"});

  // The options of a Marian model are text within its file, in which a value may be replaced by one of the same length.
  copy_model(place, "marian");
  std::string model = read_file(kModels + "marian/model.npz");
  const std::string given = "transformer-decoder-autoreg: self-attention",
                    other = "transformer-decoder-autoreg: rnn           ";
  REQUIRE(model.find(given) != std::string::npos);
  place.write("marian/model.npz", model.replace(model.find(given), given.size(), other));
  check_fails(import_model(place, "marian"), 1,
              {"model.npz", "'transformer-decoder-autoreg: rnn'", "no network for", "self-attention"});
}

TEST_CASE("a damaged or incomplete model is not imported") {
  const Workplace place;
  check_fails(import_model(place, "none"), 1, {"none/model.safetensors: ", "no such file"});
  std::filesystem::create_directory(place / "empty");
  check_fails(import_model(place, "empty"), 1, {"empty: holds no model that can be imported"});
  const std::string name = GENERATE("marian", "marianmt", "marianmt_legacy", "ctranslate2_int8", "fairseq");
  INFO(name);
  for (const auto& entry : std::filesystem::directory_iterator(kModels + name)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".txt")) continue;  // texts of the tests, and fairseq's dictionaries
    if (file.starts_with("generation_config") || file == "decoder.yml" || file == "tokenizer_config.json") continue;
    INFO(file);
    copy_model(place, name);
    const std::string whole = place.read(name + "/" + file);
    place.write(name + "/" + file, whole.substr(0, whole.size() / 2 - 1));  // within a piece of a vocabulary
    const Result cut = import_model(place, name);
    CHECK(cut.status == 1);
    CHECK_THAT(cut.err, Catch::StartsWith("error: ") || Catch::Contains("\nerror: "));
    std::filesystem::remove(place / (name + "/" + file));
    if (name != "ctranslate2_int8" || file != "config.json") {  // which old models of CTranslate2 do not have
      CHECK(import_model(place, name).status == 1);
      CHECK_FALSE(place.has("model.pt"));
    }
    std::filesystem::remove_all(place / name);
  }
}

}  // namespace transformer
