#include "inference/translator_pool.h"

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "decoding/non_finite_scores.h"
#include "tiny_model.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

struct PoolSetting {
  explicit PoolSetting(TranslatorOptions options = {}, int64_t max_extra_tokens = 8)
      : tokenizers(word_tokenizer()), model(tiny_model(tiny_config(), tokenizers.target().size())) {
    DecodingConfig config;
    config.max_extra_tokens = max_extra_tokens;
    translator = std::make_unique<Translator>(model, tokenizers, config, options);
  }

  Tokenizers tokenizers;
  Transformer model;
  std::unique_ptr<Translator> translator;
};

const std::vector<std::string> kPoolLines = {"the cat", "", "on the mat", "der Hund", "sat", "\xFF auf der Matte"};

}  // namespace

TEST_CASE("a pool translates lines that several threads add as the translator alone does") {
  TranslatorOptions options;
  options.workers = GENERATE(1, 2);
  options.nbest = 2;
  options.alignment = true;
  const PoolSetting setting(options);
  const auto expected = setting.translator->translate(requests_of(kPoolLines));
  TranslatorPool pool(*setting.translator);
  std::vector<std::thread> threads;
  std::vector<std::vector<PendingTranslation>> pending(4);
  for (auto& of_thread : pending) {
    threads.emplace_back([&] {
      for (const auto& request : requests_of(kPoolLines)) of_thread.push_back(pool.add(request));
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto& of_thread : pending) {
    for (size_t i = 0; i < kPoolLines.size(); ++i) {
      INFO(i);
      const TranslatedLine line = of_thread[i].line.get();
      REQUIRE(line.translations.size() == expected[i].translations.size());
      CHECK(line.was_invalid == expected[i].was_invalid);
      for (size_t n = 0; n < line.translations.size(); ++n) {
        CHECK(line.translations[n].text == expected[i].translations[n].text);
        CHECK(line.translations[n].score == Approx(expected[i].translations[n].score).epsilon(1e-5));
        CHECK(line.translations[n].alignment.size() == expected[i].translations[n].alignment.size());
      }
    }
  }
}

TEST_CASE("a pool's callback gets each line once, with its translations") {
  const PoolSetting setting;
  const auto expected = best_texts(setting.translator->translate(requests_of(kPoolLines)));
  std::vector<std::promise<std::string>> texts(kPoolLines.size());
  TranslatorPool pool(*setting.translator);
  for (size_t i = 0; i < kPoolLines.size(); ++i) {
    pool.add({.text = kPoolLines[i]}, [&texts, i](const TranslatedLine& line, const std::exception_ptr& error) {
      texts[i].set_value(error ? "an error" : line.best().text);
    });
  }
  for (size_t i = 0; i < kPoolLines.size(); ++i) CHECK(texts[i].get_future().get() == expected[i]);
}

TEST_CASE("a pool forgets the callback of a line that is done, also while its sentence is kept") {
  const PoolSetting setting;
  TranslatorPool pool(*setting.translator);
  auto held = std::make_shared<int>();
  std::promise<void> done;
  const auto sentence =
      pool.add({.text = "the cat"}, [held, &done](const auto& /*line*/, const auto& /*error*/) { done.set_value(); });
  const std::weak_ptr<int> observed = std::exchange(held, nullptr);
  done.get_future().wait();
  for (int i = 0; i < 10000 && !observed.expired(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(observed.expired());
}

TEST_CASE("a translation of a pool can be cancelled, and a pool that ends cancels the others") {
  TranslatorOptions options;
  options.batch_size = 1;  // so that the others wait
  options.output_tokens = 1000000;
  const PoolSetting setting(options);
  std::vector<PendingTranslation> pending;
  {
    TranslatorPool pool(*setting.translator);
    for (int i = 0; i < 4; ++i) pending.push_back(pool.add({.text = "the cat"}));
    pending[0].cancel();
    CHECK_THROWS_AS(pending[0].line.get(), SearchCancelled);
    pending[1].cancel();
    CHECK_THROWS_AS(pending[1].line.get(), SearchCancelled);
  }
  for (const size_t i : {2, 3}) CHECK_THROWS_AS(pending[i].line.get(), SearchCancelled);
}

TEST_CASE("a line without a permitted output gives its error, and the lines that are searched with it go on") {
  TranslatorOptions options;
  if (GENERATE(false, true)) options.sampling = SamplingOptions{.top_k = 1};
  const PoolSetting setting(options);
  const std::string expected = setting.translator->translate({{.text = "the cat"}}).front().best().text;
  TranslatorPool pool(*setting.translator);
  const TranslationRequest impossible{.text = "cat", .prefix = {SpecialTokens().pad}};
  std::vector<PendingTranslation> pending;
  for (int i = 0; i < 3; ++i) {
    pending.push_back(pool.add({.text = "the cat"}));
    pending.push_back(pool.add(impossible));
  }
  for (size_t i = 0; i < pending.size(); i += 2) {
    CHECK(pending[i].line.get().best().text == expected);
    CHECK_THROWS_WITH(pending[i + 1].line.get(), Catch::StartsWith("no token is permitted after 0 tokens"));
  }
  CHECK_THROWS_WITH(setting.translator->translate({{.text = "the cat"}, impossible}),
                    Catch::StartsWith("the line 'cat': no token is permitted after 0 tokens"));
}

TEST_CASE("a line that cannot be translated gives its error, and the pool goes on") {
  PoolSetting setting;
  TranslatorPool pool(*setting.translator);
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> before;
  for (auto& parameter : setting.model->parameters()) before.push_back(parameter.clone());
  for (auto& parameter : setting.model->parameters()) parameter.mul_(1e30);
  CHECK_THROWS_AS(pool.add({.text = "the cat"}).line.get(), NonFiniteScores);
  for (size_t i = 0; i < before.size(); ++i) setting.model->parameters()[i].copy_(before[i]);
  CHECK(pool.add({.text = "the cat"}).line.get().best().text ==
        setting.translator->translate({{.text = "the cat"}}).front().best().text);
}

}  // namespace transformer
