#include "inference/translation_service.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/parameter_error.h"
#include "catch.h"
#include "evaluation/minimum_bayes_risk.h"
#include "inference/alternatives.h"
#include "inference/translator.h"
#include "tiny_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

LoadedEnsemble tiny_ensemble() {
  Tokenizers tokenizers = word_tokenizer();
  std::vector<std::vector<Transformer>> replicas(1);
  replicas.front().push_back(tiny_model(tiny_config(), tokenizers.target().size()));
  InferenceConfig config;
  config.model = tiny_config();
  config.decoding.max_extra_tokens = 8;
  return {std::move(config), std::move(tokenizers), std::move(replicas)};
}

RequestOptions with_length(int64_t max_extra_tokens) {
  RequestOptions options;
  options.decoding.max_extra_tokens = max_extra_tokens;
  return options;
}

RequestOptions with_samples(uint64_t seed, uint64_t first_text = 0) {
  RequestOptions options;
  options.sample = true;
  options.sampling = SamplingOptions{.seed = seed};
  options.first_text = first_text;
  return options;
}

/// The best translations of the texts, in their order.
std::vector<std::string> translate(TranslationService& service, const std::vector<std::string>& texts,
                                   const RequestOptions& options) {
  std::vector<RequestedText> requested;
  for (const auto& text : texts) requested.push_back({.text = text});
  const auto running = service.begin(requested, options);
  std::vector<std::string> translations(texts.size());
  while (running->num_left() > 0) {
    if (auto text = running->next(std::chrono::seconds(1))) translations.at(text->index) = text->line.best().text;
  }
  return translations;
}

}  // namespace

TEST_CASE("a service translates requests with more combinations of options than have searches at once") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  const std::vector<std::string> texts = {"the cat", "", "on the mat"};
  std::vector<std::vector<std::string>> first;
  for (int64_t extra = 0; extra < 12; ++extra) first.push_back(translate(service, texts, with_length(extra)));
  CHECK(first[0] != first[11]);
  std::vector<std::thread> threads;
  std::vector<std::vector<std::string>> again(6);
  for (size_t i = 0; i < again.size(); ++i) {
    threads.emplace_back([&, i] { again[i] = translate(service, texts, with_length(static_cast<int64_t>(i))); });
  }
  for (auto& thread : threads) thread.join();
  for (size_t i = 0; i < again.size(); ++i) CHECK(again[i] == first[i]);
}

TEST_CASE("a service finds alternatives and least risks for several requests at once, also if others are given up") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  const std::vector<std::string> texts = {"the cat", "", "on the mat", "the cat"};
  std::vector<RequestOptions> all(3);
  all[0].choice.alternatives = 3;
  all[1].choice.mbr = 4;
  all[2].choice.mbr = 5;
  all[2].sample = true;
  std::vector<std::vector<std::string>> expected;
  for (const RequestOptions& options : all) expected.push_back(translate(service, texts, options));
  std::vector<std::thread> threads;
  std::vector<std::vector<std::string>> found(12);
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto given_up = service.begin({{.text = "the cat"}, {.text = "on the mat"}}, all[i % 3]);
      if (i % 2 == 0) given_up->next(std::chrono::milliseconds(1));
      found[i] = translate(service, texts, all[i % 3]);
    });
  }
  for (auto& thread : threads) thread.join();
  for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == expected[i % 3]);
}

TEST_CASE("a service is too busy for further options only while eight combinations are in use") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  std::vector<std::unique_ptr<RunningTranslation>> running;
  for (int64_t extra = 0; extra < 8; ++extra)
    running.push_back(service.begin({{.text = "the cat"}}, with_length(extra)));
  CHECK_THROWS_AS(service.begin({{.text = "the cat"}}, with_length(8)), TooBusy);
  CHECK_FALSE(translate(service, {"the cat"}, with_length(7)).empty());
  running.pop_back();
  CHECK_FALSE(translate(service, {"the cat"}, with_length(8)).empty());
}

TEST_CASE("a service counts neither the seeds of samples nor the search for alternatives as a combination") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  std::vector<std::unique_ptr<RunningTranslation>> running;
  for (uint64_t seed = 0; seed < 9; ++seed) running.push_back(service.begin({{.text = "the cat"}}, with_samples(seed)));
  for (int64_t extra = 1; extra < 8; ++extra) {
    RequestOptions options = with_length(extra);
    options.choice.alternatives = 2;
    running.push_back(service.begin({{.text = "the cat"}}, options));
  }
  CHECK_THROWS_AS(service.begin({{.text = "the cat"}}, with_length(1)), TooBusy);
}

TEST_CASE("a service translates texts with many controls at once, each as a translator with its control does") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  const LoadedEnsemble models = tiny_ensemble();
  const std::vector<std::string> targets = {"Hund", "Matte", "auf", "der"};
  std::vector<RequestOptions> all(20);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].control.terms = {{"cat", targets[i % 4], "terms:1"}};
    all[i].control.min_length = static_cast<int64_t>(1 + i / 4);
    all[i].choice.alternatives = i % 2 == 0 ? 0 : 2;
  }
  // Twice, the second time with some controls that are still prepared.
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<RunningTranslation>> running;
    for (const RequestOptions& options : all) running.push_back(service.begin({{.text = "the cat sat"}}, options));
    for (size_t i = 0; i < all.size(); ++i) {
      INFO("round " << round << ", request " << i);
      std::optional<FinishedText> text;
      while (!text) text = running[i]->next(std::chrono::seconds(1));
      REQUIRE(!text->error);
      TranslatorOptions options;
      options.control = all[i].control;
      const auto& decoding = models.config.decoding;
      const auto requests = requests_of({"the cat sat"});
      const TranslatedLine expected =
          all[i].choice.alternatives == 0
              ? Translator(models.replicas, models.tokenizers, decoding, options).translate(requests).front()
              : AlternativesTranslator(models.replicas, models.tokenizers, decoding, options, 2)
                    .translate(requests)
                    .front();
      REQUIRE(text->line.translations.size() == expected.translations.size());
      for (size_t n = 0; n < expected.translations.size(); ++n) {
        CHECK(text->line.translations[n].text == expected.translations[n].text);
      }
      CHECK((text->line.terms == expected.terms));
    }
  }
}

TEST_CASE("a service's samples depend on the seed and on a text's number among those of several requests") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  const auto all = translate(service, {"the cat", "on the mat"}, with_samples(5));
  CHECK(translate(service, {"on the mat"}, with_samples(5, /*first_text=*/1)).at(0) == all.at(1));
  CHECK(translate(service, {"the cat", "on the mat"}, with_samples(6)) != all);
}

TEST_CASE("a service joins the translations of a text's sentences, and divides it at placeholders that are lost") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  RequestOptions options = with_length(8);
  const auto sentences = translate(service, {"The cat.", "The mat!"}, options);
  options.parts.split = LineParts::sentences;
  CHECK(translate(service, {"", "The cat. The mat!"}, options) ==
        std::vector<std::string>{
            "", sentences[0] + (sentences[0].empty() || sentences[1].empty() ? "" : " ") + sentences[1]});
  options.parts.protect = true;
  CHECK(translate(service, {"{a}", "the {b} cat", " "}, options).at(0) == "{a}");
  CHECK_THAT(translate(service, {"the {b} cat"}, options).at(0), Catch::Contains(" {b} "));
  options.parts = {.protect_regex = {"\\s+"}};  // also of a blank text, of which nothing is searched
  CHECK(translate(service, {"\t", "the cat"}, options).at(0) == "\t");

  int64_t num_texts = 0;
  options.parts = {.split = LineParts::sentences};
  service.begin({{.text = "The cat. The mat!"}, {.text = ""}}, options, [&](int64_t count) { num_texts = count; });
  CHECK(num_texts == 3);

  options.parts = {.protect_regex = {"(a+)+$"}};
  const auto running = service.begin({{.text = "cat"}, {.text = std::string(5000, 'a') + "b"}}, options);
  std::exception_ptr error;
  while (running->num_left() > 0) {
    const auto text = running->next(std::chrono::seconds(1));
    if (text && text->index == 1) error = text->error;
  }
  REQUIRE(error != nullptr);
  CHECK_THROWS_WITH(std::rethrow_exception(error), Catch::StartsWith("text 2: the regular expressions"));
}

TEST_CASE("a service remarks on texts without the tag of the training text, on subword marks and on tabs") {
  LoadedEnsemble models = tiny_ensemble();
  models.config.tags = {"the", "on"};
  TranslationService service(std::move(models), {}, expected_utilities);
  const std::vector<std::string> texts = {"the cat", "cat", "on the m@@ at", "the\tcat", ""};
  std::vector<RequestedText> requested;
  for (const auto& text : texts) requested.push_back({.text = text});
  const auto running = service.begin(requested, {});
  std::vector<std::vector<std::string>> remarks(texts.size());
  while (running->num_left() > 0) {
    if (auto text = running->next(std::chrono::seconds(1))) remarks.at(text->index) = text->line.remarks;
  }
  CHECK(remarks[0].empty());
  REQUIRE(remarks[1].size() == 1);
  CHECK(
      remarks[1][0] ==
      "does not begin with on or the, as every source line of the training text did; give one of these tags as 'tag'");
  REQUIRE(remarks[2].size() == 1);
  CHECK_THAT(remarks[2][0], Catch::StartsWith("has '@@ ', so it seems to be split into subwords already; "));
  REQUIRE(remarks[3].size() == 1);
  CHECK_THAT(remarks[3][0], Catch::StartsWith("has a tab; "));
  CHECK(remarks[4].empty());
}

TEST_CASE("a service puts the tag of a request before texts that begin with none, whatever other requests have") {
  LoadedEnsemble models = tiny_ensemble();
  models.config.tags = {"the", "on"};
  TranslationService service(std::move(models), {}, expected_utilities);
  const auto tagged = [](const char* tag) {
    RequestOptions options;
    options.tag = tag;
    return options;
  };
  const std::vector<std::string> with_tags = {"the cat sat", "on cat", ""};
  const auto expected = translate(service, with_tags, {});
  CHECK(translate(service, {"cat sat", "on cat", ""}, tagged("the")) == expected);
  CHECK(translate(service, {"cat"}, tagged("on")) == std::vector{expected[1]});
  // Texts with different tags are searched together, with alternatives and samples as well.
  std::vector<std::unique_ptr<RunningTranslation>> running;
  for (int64_t i = 0; i < 20; ++i)
    running.push_back(service.begin({{.text = "cat"}}, tagged(i % 2 == 0 ? "the" : "on")));
  while (running.back()->num_left() > 0) {
    if (auto text = running.back()->next(std::chrono::seconds(1))) CHECK(text->line.remarks.empty());
  }
  for (const bool is_sampled : {false, true}) {
    RequestOptions untagged;
    untagged.sample = is_sampled;
    if (!is_sampled) untagged.choice.alternatives = 3;
    RequestOptions options = untagged;
    options.tag = "the";
    CHECK(translate(service, {"cat sat"}, options) == translate(service, {"the cat sat"}, untagged));
  }
  CHECK_THROWS_WITH(service.begin({{.text = "cat"}}, tagged("cat")),
                    "'tag' cat: is no tag of the model; give on or the");
  RequestOptions options;
  CHECK_THROWS_WITH(set_request_option(options, "tag", 5), "'tag': must be a string, got 5");
}

TEST_CASE("a service checks options and texts before it begins") {
  TranslationService service(tiny_ensemble(), {}, expected_utilities);
  RequestOptions options;
  options.nbest = 5;
  CHECK_THROWS_AS(service.begin({{.text = "the cat"}}, options), ParameterError);
  CHECK_THROWS_WITH(service.begin({{.text = "a"}, {.text = "the\ncat"}}, {}), Catch::StartsWith("text 2: has a line"));
  CHECK_THROWS_WITH(service.begin({{.text = "a", .prefix = "\u0436"}}, {}),
                    Catch::StartsWith("prefix 1: has '\u0436', which"));
  CHECK_THROWS_WITH(service.begin({{.text = "a", .prefix = "a\nb"}}, {}), Catch::StartsWith("prefix 1: has a line"));
  options.first_text = 256;
  options.nbest = 1;
  CHECK_THROWS_WITH(service.begin({{.text = "the\ncat"}}, options), Catch::StartsWith("text 257: has a line"));
  CHECK_THROWS_WITH(set_request_option(options, "beam_sise", 4), Catch::Contains("'beam_size'"));
  CHECK_THROWS_WITH(set_request_option(options, "alpha", "x"), Catch::StartsWith("'alpha': must be a number from 0"));
  CHECK_THROWS_WITH(set_request_option(options, "nbest", 2.5), Catch::StartsWith("'nbest': must be a whole number"));
}

}  // namespace transformer
