#include "attention_view/attention_view.h"

#include "attention_view/attention_statistics.h"
#include "attention_view/word_attention.h"
#include "base/error.h"
#include "base/json.h"
#include "catch.h"
#include "tiny_model_file.h"

namespace transformer {
namespace {

std::vector<std::string> texts(const std::vector<ShownToken>& tokens) {
  std::vector<std::string> list;
  for (const ShownToken& token : tokens) list.push_back(token.text);
  return list;
}

/// The weight of the first sentence.
double at(const torch::Tensor& weights, int64_t head, int64_t query, int64_t key) {
  return weights[0][head][query][key].item<double>();
}

}  // namespace

TEST_CASE("attention view: tokens, words and weights of a given pair") {
  const TinyModelFile file;
  const AttentionView view = view_attention(
      {.model = file / "model.pt", .source = "the cat", .target = "ein Hund", .decoding = {}}, torch::kCPU);
  CHECK(words_of(view.source) == std::vector<std::string>{"the", "cat", "</s>"});
  CHECK(words_of(view.target) == std::vector<std::string>{"<s>", "ein", "Hund"});
  CHECK_FALSE(view.search.has_value());
  const int64_t source = std::ssize(view.source), target = std::ssize(view.target);
  REQUIRE(view.weights.encoder.size() == 2);
  CHECK(view.weights.encoder[0].sizes() == torch::IntArrayRef({1, 4, source, source}));
  CHECK(view.weights.decoder[1].sizes() == torch::IntArrayRef({1, 4, target, target}));
  CHECK(view.weights.cross[1].sizes() == torch::IntArrayRef({1, 4, target, source}));
  CHECK(at(view.weights.decoder[0], 0, 0, 0) == 1);
  CHECK(at(view.weights.decoder[0], 0, 0, 1) == 0);
}

TEST_CASE("attention view: without a target, the translation that search finds, and the search") {
  const TinyModelFile file;
  DecodingOverrides decoding;
  decoding.beam_size = 2;
  const AttentionView view = view_attention(
      {.model = file / "model.pt", .source = "the cat", .target = std::nullopt, .decoding = decoding}, torch::kCPU);
  REQUIRE(view.search.has_value());
  CHECK(view.search->config.beam_size == 2);
  // The pieces on the way from the best node to the root are the target.
  std::vector<std::string> pieces;
  for (int64_t node = view.search->best; node > 0; node = view.search->nodes[static_cast<size_t>(node)].parent) {
    pieces.insert(pieces.begin(), view.search->pieces[static_cast<size_t>(node)]);
  }
  if (!pieces.empty() && pieces.back() == "</s>") pieces.pop_back();
  std::vector<std::string> target;
  for (size_t i = 1; i < view.target.size(); ++i) target.push_back(view.target[i].piece);
  CHECK(pieces == target);

  const Json json = parse_json(format_json(view));
  CHECK(json.at("search").at("nodes").size() == view.search->nodes.size());
  CHECK(json.at("search").at("nodes")[1].at("state") == "live");
  CHECK(json.at("target").size() == view.target.size());
  CHECK(json.at("cross")[1][3][0][0].get<double>() == Approx(at(view.weights.cross[1], 3, 0, 0)).epsilon(1e-6));
}

TEST_CASE("attention view: a character without a piece is marked as unknown") {
  const TinyModelFile file;
  const AttentionView view = view_attention(
      {.model = file / "model.pt", .source = "the \u4e2d", .target = "ein", .decoding = {}}, torch::kCPU);
  std::vector<bool> unknown;
  for (const ShownToken& token : view.source) unknown.push_back(token.is_unknown);
  CHECK(std::count(unknown.begin(), unknown.end(), true) == 1);
  CHECK(texts(view.source).back() == "</s>");
}

TEST_CASE("attention view: empty and long sentences and layers and heads that do not exist are refused") {
  const TinyModelFile file;
  const auto view = [&](const std::string& source, const std::string& target) {
    return view_attention({.model = file / "model.pt", .source = source, .target = target, .decoding = {}},
                          torch::kCPU);
  };
  CHECK_THROWS_WITH(view(" ", "ein"), "--source: is empty; give a sentence");
  CHECK_THROWS_WITH(view("the", ""), "--target: is empty; give a sentence");
  std::string many;
  for (int i = 0; i < 250; ++i) many += "the ";
  CHECK_THROWS_WITH(
      view(many, "ein"),
      Catch::Contains("--source: has more than 199 pieces or 12,800 bytes, but this command shows at most 200 tokens"));
  DecodingOverrides long_outputs;
  long_outputs.max_extra_tokens = 250;
  long_outputs.alpha = 100;  // so that the longest output is the best
  CHECK_THROWS_WITH(
      view_attention({.model = file / "model.pt", .source = "the", .target = std::nullopt, .decoding = long_outputs},
                     torch::kCPU),
      Catch::Contains("the translation that search finds has ") &&
          Catch::Contains("this command shows at most 200 tokens") && Catch::Contains("--max-extra-tokens"));

  const AttentionView pair = view("the cat", "ein");
  CHECK_THROWS_WITH(format_svg(pair, {.layers = {3}, .heads = {}}),
                    Catch::Contains("has no layer 3; give numbers from 1 to "));
  CHECK_THROWS_WITH(format_svg(pair, {.layers = {}, .heads = {0}}),
                    Catch::Contains("has no head 0; give numbers from 1 to "));
  const std::string svg = format_svg(pair, {.layers = {1, 2}, .heads = {4}});
  CHECK(svg.find("layer 2, heads<tspan") != std::string::npos);
}

TEST_CASE("attention statistics: the means over the words of all pairs") {
  const TinyModelFile file;
  const std::vector<std::pair<std::string, std::string>> pairs = {{"the cat sat", "ein Hund"},
                                                                  {"on the mat", "der Matte auf"}};
  file.write("source", pairs[0].first + "\n\n" + pairs[1].first + "\n");
  file.write("target", pairs[0].second + "\nein\n" + pairs[1].second + "\n");
  const AttentionStatistics statistics =
      measure_attention_statistics({file / "model.pt", file / "source", file / "target"}, torch::kCPU);
  CHECK(statistics.num_pairs == 2);

  HeadStatistics encoder, decoder, cross;  // of layer 2, head 3
  double source_words = 0, target_words = 0, queries = 0;
  for (const auto& [source, target] : pairs) {
    const AttentionView view =
        view_attention({.model = file / "model.pt", .source = source, .target = target, .decoding = {}}, torch::kCPU);
    const auto words = [](const torch::Tensor& weights, const auto& from, const auto& to) {
      return merge_into_words(weights, from, to)[0][2];  // [queries, keys]
    };
    const auto value = [](const torch::Tensor& x, int64_t i, int64_t j) { return x[i][j].item<double>(); };
    const auto e = words(view.weights.encoder[1], view.source, view.source);
    for (int64_t i = 0; i < e.size(0) - 1; ++i, ++source_words) {
      if (i > 0) encoder.previous += value(e, i, i - 1);
      encoder.itself += value(e, i, i);
      if (i + 2 < e.size(1)) encoder.next += value(e, i, i + 1);
      encoder.symbol += value(e, i, e.size(1) - 1);
      for (int64_t j = 0; j < e.size(1) - 1; ++j)
        encoder.distance += static_cast<double>(std::abs(i - j)) * value(e, i, j);
      encoder.largest += e[i].max().item<double>();
    }
    const auto d = words(view.weights.decoder[1], view.target, view.target);
    for (int64_t i = 1; i < d.size(0); ++i, ++target_words) {
      if (i > 1) decoder.previous += value(d, i, i - 1);
      decoder.symbol += value(d, i, 0);
    }
    const auto c = words(view.weights.cross[1], view.target, view.source);
    for (int64_t i = 0; i < c.size(0); ++i, ++queries) {
      cross.symbol += value(c, i, c.size(1) - 1);
      cross.largest += c[i].max().item<double>();
    }
  }
  const auto near = [](double expected) { return Approx(expected).epsilon(1e-5); };
  const HeadStatistics& of_encoder = statistics.encoder.at(1).at(2);
  CHECK(of_encoder.previous == near(encoder.previous / source_words));
  CHECK(of_encoder.itself == near(encoder.itself / source_words));
  CHECK(of_encoder.next == near(encoder.next / source_words));
  CHECK(of_encoder.symbol == near(encoder.symbol / source_words));
  CHECK(of_encoder.distance == near(encoder.distance / source_words));
  CHECK(of_encoder.largest == near(encoder.largest / source_words));
  CHECK(statistics.decoder.at(1).at(2).previous == near(decoder.previous / target_words));
  CHECK(statistics.decoder.at(1).at(2).symbol == near(decoder.symbol / target_words));
  CHECK(statistics.cross.at(1).at(2).symbol == near(cross.symbol / queries));
  CHECK(statistics.cross.at(1).at(2).largest == near(cross.largest / queries));

  const Json json = parse_json(format_json(statistics));
  CHECK(json.at("encoder")[1][2].at("next").get<double>() == Approx(of_encoder.next));
  CHECK_FALSE(json.at("cross")[0][0].contains("next"));
  file.write("blank", "\n\n\n");
  CHECK_THROWS_WITH(measure_attention_statistics({file / "model.pt", file / "blank", file / "target"}, torch::kCPU),
                    Catch::Contains("blank: has no line with text"));
}

}  // namespace transformer
