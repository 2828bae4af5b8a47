#include "inference/translator.h"

#include <algorithm>
#include <future>
#include <optional>
#include <set>

#include "catch.h"
#include "inference/encode_line.h"
#include "operation_recorder.h"
#include "tensors.h"
#include "tiny_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

/// A tokenizer of a few words and an untrained model over it.
struct Setting {
  Setting() : tokenizers(word_tokenizer()), model(tiny_model(tiny_config(), tokenizers.target().size())) {}

  std::vector<TranslatedLine> translations(const std::vector<std::string>& lines, const TranslatorOptions& options,
                                           const std::vector<std::string>& prefixes = {}, int models = 1) {
    auto requests = requests_of(lines);
    for (size_t i = 0; i < prefixes.size(); ++i) requests[i].prefix = tokenizers.target().encode(prefixes[i]);
    return translator(options, models).translate(requests);
  }
  Translator translator(const TranslatorOptions& options = {}, int models = 1) {
    DecodingConfig config;
    config.beam_size = 3;
    config.max_extra_tokens = 8;
    return {{std::vector<Transformer>(static_cast<size_t>(models), model)}, tokenizers, config, options};
  }
  std::vector<std::string> translate(const std::vector<std::string>& lines, int64_t batch_size) {
    return best_texts(translations(lines, batches_of(batch_size)));
  }

  static TranslatorOptions batches_of(int64_t size) {
    TranslatorOptions options;
    options.batch_size = size;
    return options;
  }

  Tokenizers tokenizers;
  Transformer model;
};

}  // namespace

TEST_CASE("a search waits for the device only for the top tokens of each step") {
  const Form form = GENERATE(Form::plain, Form::cpu, Form::gpu);
  Setting setting;
  std::optional<PlainOperations> plain;
  std::optional<HostGpuForm> gpu;
  if (form == Form::plain) plain.emplace();
  if (form == Form::gpu) gpu.emplace();
  const OperationRecorder recorder;
  const auto count = [&](const std::string& name) {
    const auto& all = recorder.operations();
    return std::count_if(all.begin(), all.end(), [&](const auto& operation) { return operation.name == name; });
  };
  TranslatorOptions options = Setting::batches_of(2);
  options.workers = 1;  // this thread, whose operations are recorded
  const auto translations = setting.translations({"the cat sat on the mat", "der Hund", "the mat"}, options);
  CHECK(translations.size() == 3);
  CHECK((count("aten::topk") > 8) == (form == Form::plain));
  CHECK((count("gpu::top_tokens") > 8) == (form == Form::gpu));
  for (const auto& name : kWaitingOperations) {
    INFO(name);
    CHECK(count(name) == 0);
  }
  torch::ones({1}).item<float>();
  CHECK(count("aten::_local_scalar_dense") == 1);
}

TEST_CASE("translator gives each line its own translation, whatever the batches") {
  Setting setting;
  std::vector<std::string> lines;
  for (int i = 0; i < 30; ++i) {
    lines.push_back(std::string("the cat sat on the mat der Hund auf").substr(0, static_cast<size_t>(4 + i)));
  }
  const auto one_by_one = setting.translate(lines, 1);
  CHECK(setting.translate(lines, 7) == one_by_one);
  CHECK(setting.translate(lines, 64) == one_by_one);
  CHECK(one_by_one.size() == 30);
}

TEST_CASE("translator keeps blank lines blank and in their places") {
  Setting setting;
  const auto translations = setting.translate({"", "the cat", "   ", "\r", "the mat\r", std::string(1, '\0')}, 4);
  REQUIRE(translations.size() == 6);
  for (const size_t blank : {0, 2, 3, 5}) CHECK(translations[blank].empty());
  CHECK(translations[4] == setting.translate({"the mat"}, 1).front());
  CHECK(setting.translate({}, 4).empty());
}

TEST_CASE("translator marks what it cut and repaired, and never breaks a line") {
  Setting setting;
  std::string longest;
  for (int i = 0; i < 3000; ++i) longest += "mat ";
  const auto lines = setting.translations({"the \xFF cat",
                                           "the\xE2\x80\xA8"
                                           "cat",
                                           "the\xC2\x85"
                                           "cat",
                                           longest, std::string("the\0cat", 7)},
                                          Setting::batches_of(4));
  REQUIRE(lines.size() == 5);
  for (size_t i = 0; i < lines.size(); ++i) {
    INFO(i);
    CHECK(lines[i].was_invalid == (i == 0));
    CHECK(lines[i].was_cut == (i == 3));
    CHECK(lines[i].had_nul == (i == 4));
    CHECK(lines[i].best().text.find('\n') == std::string::npos);
  }
}

TEST_CASE("translator gives several translations with their scores, piece by piece") {
  Setting setting;
  TranslatorOptions options;
  options.nbest = 3;
  const auto found = setting.translations({"the cat", "", "the mat sat"}, options);
  REQUIRE(found.size() == 3);
  CHECK(found[0].translations.size() == 3);
  CHECK(found[1].translations.size() == 1);
  CHECK(found[1].best().text.empty());
  for (const auto& of_line : {found[0].translations, found[2].translations}) {
    for (size_t i = 0; i < of_line.size(); ++i) {
      CHECK(of_line[i].pieces.size() == of_line[i].token_log_probs.size());
      const LengthPenalty penalty{LengthPenaltyForm::gnmt, 0.6};
      CHECK(of_line[i].score == Approx(of_line[i].log_prob / penalty(std::ssize(of_line[i].pieces))));
      if (i > 0) CHECK(of_line[i].score <= of_line[i - 1].score);
    }
  }
  CHECK(found[0].best().text == setting.translate({"the cat"}, 1).front());
}

TEST_CASE("a tag before a line is as if the line had it, but no word of the line") {
  Setting setting;
  TranslatorOptions options;
  options.alignment = options.word_alignment = options.replace_unknowns = true;
  const auto expected = setting.translations({"ein Hund the cat sat \u0436", ""}, options);
  std::vector<TranslationRequest> requests = requests_of({"the cat sat \u0436", ""});
  for (auto& request : requests) request.tag = setting.tokenizers.source().encode("ein Hund");
  const auto lines = setting.translator(options).translate(requests);
  CHECK(lines[0].source_pieces == expected[0].source_pieces);
  CHECK(lines[0].best().tokens == expected[0].best().tokens);
  CHECK(lines[0].unknown_texts == expected[0].unknown_texts);
  CHECK(lines[0].num_unknown == 1);
  REQUIRE(lines[0].source_words.size() == expected[0].source_words.size());
  for (size_t i = 0; i < lines[0].source_words.size(); ++i) {
    CHECK(lines[0].source_words[i] == std::max<int64_t>(expected[0].source_words[i] - 2, -1));
  }
  std::vector<AlignedWords> words;  // of the pairs, those whose source word is one of the line
  for (const auto& [source, output] : expected[0].best().word_alignment) {
    if (source >= 2) words.push_back({source - 2, output});
  }
  CHECK((lines[0].best().word_alignment == words));
  CHECK(lines[1].best().text.empty());
  CHECK(lines[1].source_pieces.empty());
}

TEST_CASE("lines of which different things are demanded are translated together, each as by a translator for it") {
  Setting setting;
  const std::vector<std::string> lines = {"the cat sat", "the cat sat", "on the mat", "der Hund",
                                          "the cat",     "sat",         "the cat sat"};
  std::vector<OutputControl> controls(6);
  controls[1].terms = {{"cat", "Hund", "terms:1"}};
  controls[2].forbidden = {"*a*"};
  controls[3].min_length = 12;
  controls[4].max_length = 3;
  controls[5].no_repeat_ngram = 1;
  controls[5].repetition_penalty = 1.5;
  TranslatorOptions options = Setting::batches_of(64);
  options.control.max_length = 1;  // of requests without a control, such as the last one
  options.workers = 1;
  const Translator translator = setting.translator(options);
  auto requests = requests_of(lines);
  for (size_t i = 0; i < controls.size(); ++i) {
    requests[i].control = std::make_shared<PreparedControl>(prepare_control(controls[i], setting.tokenizers.target()));
  }
  const auto together = translator.translate(requests);
  for (size_t i = 0; i < controls.size(); ++i) {
    INFO("line " << i);
    options.control = controls[i];
    const TranslatedLine alone = setting.translations({lines[i]}, options).front();
    CHECK(together[i].best().tokens == alone.best().tokens);
    CHECK(together[i].best().score == Approx(alone.best().score).epsilon(1e-5));
    CHECK(together[i].best().num_terms == alone.best().num_terms);
    CHECK((together[i].terms == alone.terms));
  }
  CHECK(together[0].terms.empty());
  CHECK((together[1].terms == controls[1].terms));
  CHECK(together[2].best().text.find('a') == std::string::npos);
  CHECK(together[3].best().tokens.size() >= 12);
  CHECK(together[4].best().tokens.size() <= 3);
  const auto& without_repetition = together[5].best().tokens;
  CHECK(std::set<TokenId>(without_repetition.begin(), without_repetition.end()).size() == without_repetition.size());
  CHECK(together[6].best().tokens.size() == 1);
}

TEST_CASE("a translator refuses a control of requests that does not fit it") {
  Setting setting;
  const Translator translator = setting.translator();
  OutputControl control;
  translator.check(control);
  control.min_length = 5;
  control.max_length = 4;
  CHECK_THROWS_WITH(translator.check(control), Catch::StartsWith("'min_length' 5 is above 'max_length' 4"));
  control.max_length.reset();
  control.min_length = 1'000'000;
  CHECK_THROWS_WITH(translator.check(control), Catch::StartsWith("'min_length' 1000000 is too much"));
}

TEST_CASE("a translator reports each line that is done, of searches and of samples") {
  const bool samples = GENERATE(false, true);
  TranslatorOptions options = Setting::batches_of(2);
  if (samples) options.sampling.emplace();
  std::vector<int64_t> reported;
  Setting setting;
  setting.translator(options).translate(requests_of({"the cat", "", "on the mat", "der Hund"}),
                                        [&](int64_t num_lines) { reported.push_back(num_lines); });
  CHECK(reported == std::vector<int64_t>{1, 2, 3});
}

TEST_CASE("translations begin with their prefixes") {
  Setting setting;
  const auto texts = best_texts(setting.translations({"the cat", "the mat", "on"}, {}, {"der Hund", "", "sat on the"}));
  CHECK(texts[0].starts_with("der Hund"));
  CHECK(texts[1] == setting.translate({"the mat"}, 1).front());
  CHECK(texts[2].starts_with("sat on the"));
}

TEST_CASE("an ensemble of a model with itself translates as the model alone") {
  Setting setting;
  const std::vector<std::string> lines = {"the cat sat", "on the mat", "der Hund"};
  const auto alone = setting.translations(lines, {}), ensemble = setting.translations(lines, {}, {}, 3);
  for (size_t i = 0; i < lines.size(); ++i) {
    CHECK(ensemble[i].best().text == alone[i].best().text);
    CHECK(ensemble[i].best().log_prob == Approx(alone[i].best().log_prob).epsilon(1e-5));
  }
}

TEST_CASE("the model of an ensemble with the fewest learned positions limits lines and outputs") {
  const Setting setting;
  const auto with_positions = [&](int64_t max_positions) {
    ModelConfig config = tiny_config();
    config.position = Position::learned;
    config.max_positions = max_positions;
    return tiny_model(config, setting.tokenizers.target().size());
  };
  const std::vector<Transformer> models = {with_positions(12), with_positions(6)};
  const bool swapped = GENERATE(false, true);
  const Translator translator(std::vector(1, swapped ? std::vector{models[1], models[0]} : models), setting.tokenizers,
                              {}, {});
  CHECK(translator.max_line_length().positions == length_limit(models[1]->config()).positions);
  const auto lines = translator.translate(requests_of({"the cat sat on the mat", "the"}));
  for (const auto& line : lines) CHECK(line.best().tokens.size() <= 6);
  CHECK(lines[0].was_cut);
  CHECK_FALSE(lines[1].was_cut);
}

TEST_CASE("samples follow from the seed and the line, not from the batches") {
  Setting setting;
  const std::vector<std::string> lines(20, "the cat sat on the mat");
  const auto draw = [&](uint64_t seed, int64_t batch_size) {
    TranslatorOptions options = Setting::batches_of(batch_size);
    options.sampling.emplace();
    options.sampling->seed = seed;
    return best_texts(setting.translations(lines, options));
  };
  const auto drawn = draw(1, 4);
  CHECK(draw(1, 20) == drawn);
  CHECK(draw(2, 4) != drawn);
  CHECK(std::set<std::string>(drawn.begin(), drawn.end()).size() > 15);
}

TEST_CASE("several threads translate with one translator, and each gets its own lines") {
  Setting setting;
  TranslatorOptions options = Setting::batches_of(2);
  options.alignment = true;
  const Translator translator = setting.translator(options);
  const std::vector<std::string> words = {"the cat", "der Hund auf der Matte", "on the mat", "sat"};
  std::vector<std::vector<std::string>> expected(4);
  std::vector<std::future<std::vector<TranslatedLine>>> threads;
  for (size_t i = 0; i < 4; ++i) {
    const std::vector<std::string> lines = {words[i], "", words[(i + 1) % 4], words[i] + " " + words[(i + 2) % 4]};
    expected[i] = setting.translate(lines, 2);
    threads.push_back(
        std::async(std::launch::async, [&translator, lines] { return translator.translate(requests_of(lines)); }));
  }
  for (size_t i = 0; i < 4; ++i) CHECK(best_texts(threads[i].get()) == expected[i]);
}

}  // namespace transformer
