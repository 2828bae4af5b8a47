#include "attention_view/attention_view.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "data/batch.h"
#include "inference/encode_line.h"
#include "inference/translator.h"
#include "model/decoder_start.h"
#include "reporting/attention_figure.h"
#include "reporting/attention_page.h"

namespace transformer {
namespace {

/// The limit of a model, or of the page if it is smaller: a page with 6 layers and 8 heads of 200 tokens has some 10
/// MB.
LengthLimit shown_limit(const ModelConfig& config) {
  static constexpr int64_t kMaxShown = 200;
  LengthLimit limit = length_limit(config);
  if (limit.positions > kMaxShown) limit = {kMaxShown, fmt::format("this command shows at most {} tokens", kMaxShown)};
  return limit;
}

/// The pieces of `text`. Throws Error, which names the command-line option that gave the text, if it has none or too
/// many.
std::vector<TokenId> encode(const Tokenizer& tokenizer, const std::string& text, const ModelConfig& config,
                            const char* option) {
  auto pieces = encode_whole_line(tokenizer, text, shown_limit(config), option).pieces;
  if (pieces.empty()) throw Error("{}: is empty; give a sentence", option);
  return pieces;
}

/// Searches for the translation of the source. Sets the view's search and text, and returns the translation's pieces.
std::vector<TokenId> search(LoadedModel& model, const AttentionTask& task, AttentionView& view) {
  DecodingConfig config = task.decoding.applied_to(model.config.decoding);
  warn_of_wide_beam(config);
  SearchTree tree;
  const Translator translator(model.network, model.tokenizers, config, TranslatorOptions{},
                              [&](int64_t, const std::vector<Candidate>& candidates) { tree.add_step(candidates); });
  const Translation best = translator.translate({{.text = task.source}}).front().best();
  if (best.reached_limit) {
    log_warning("--source: its translation was cut at the length limit; --max-extra-tokens raises the limit{}",
                remark_on_positions(model.config.model.max_positions));
  }
  view.target_text = best.text;
  view.search = {config, tree.nodes(), {}, tree.find(best.tokens)};
  for (const SearchNode& node : tree.nodes()) {
    view.search->pieces.push_back(node.parent < 0 ? "" : model.tokenizers.target().piece(node.token));
  }
  auto pieces = without_end(best.tokens, model.tokenizers.target().special_tokens());
  const LengthLimit limit = shown_limit(model.config.model);
  if (std::ssize(pieces) > limit.pieces()) {
    throw Error(
        "--source: the translation that search finds has {} pieces, but {}, one of which is for the begin symbol; give "
        "a shorter sentence, a smaller --max-extra-tokens or --target",
        pieces.size(), limit.reason);
  }
  return pieces;
}

Json json_of(const std::vector<ShownToken>& tokens) {
  Json list = Json::array();
  for (const ShownToken& token : tokens) {
    list.push_back({{"piece", token.piece}, {"text", token.text}, {"word", token.word}, {"unknown", token.is_unknown}});
  }
  return list;
}

Json json_of(const std::optional<AttentionView::Search>& search) {
  if (!search) return nullptr;
  const LengthPenalty penalty = search->config.penalty();
  const bool has_alpha = search->config.length_penalty != LengthPenaltyForm::none;
  Json nodes = Json::array();
  for (size_t i = 0; i < search->nodes.size(); ++i) {
    const SearchNode& node = search->nodes[i];
    nodes.push_back({{"id", i},
                     {"parent", node.parent},
                     {"step", node.length},
                     {"piece", search->pieces[i]},
                     {"token_log_prob", node.token_log_prob},
                     {"log_prob", node.log_prob},
                     {"score", node.length == 0 ? 0 : penalty.score(node.log_prob, node.length)},
                     {"state", name_of(node.state)}});
  }
  return {{"beam_size", search->config.beam_size},
          {"length_penalty", name_of(search->config.length_penalty) +
                                 (has_alpha ? fmt::format(", alpha {:g}", search->config.alpha) : "")},
          {"best", search->best},
          {"nodes", nodes}};
}

/// The parts that both formats share.
Json json_of_texts(const AttentionView& view) {
  return {{"model", view.model},
          {"source_text", view.source_text},
          {"target_text", view.target_text},
          {"source", json_of(view.source)},
          {"target", json_of(view.target)}};
}

/// Lists in lists as the tensor's dimensions, fp32 [...]; numbers with as many digits as an fp32 number has.
Json nested_lists(const torch::Tensor& x) {
  Json list = Json::array();
  if (x.dim() > 1) {
    for (int64_t i = 0; i < x.size(0); ++i) list.push_back(nested_lists(x[i]));
  } else {
    const auto values = x.contiguous();
    for (int64_t i = 0; i < x.size(0); ++i)
      list.push_back(std::stod(fmt::format("{:.8g}", values.data_ptr<float>()[i])));
  }
  return list;
}

std::vector<std::string> texts_of(const std::vector<ShownToken>& tokens) {
  std::vector<std::string> texts;
  for (const ShownToken& token : tokens) texts.push_back(token.text);
  return texts;
}

/// The weights as attention_page.h describes them: integers in units of 1/10,000, which keep the page small.
Json page_weights(const std::vector<torch::Tensor>& layers) {
  const auto weights = stack_layers(layers);
  const auto units = (weights * 10000).round().to(torch::kInt).flatten();
  return {{"layers", weights.size(0)},
          {"heads", weights.size(1)},
          {"queries", weights.size(2)},
          {"keys", weights.size(3)},
          {"weights", std::vector<int>(units.data_ptr<int>(), units.data_ptr<int>() + units.numel())}};
}

/// The selected numbers, from 1 to `count`, or if none are selected those from `first` to `count`.
std::vector<int64_t> selected(const std::vector<int64_t>& numbers, int64_t first, int64_t count, const char* kind,
                              const std::string& model) {
  std::vector<int64_t> all = numbers;
  for (int64_t number = first; numbers.empty() && number <= count; ++number) all.push_back(number);
  for (const int64_t number : all) {
    if (number < 1 || number > count) {
      throw Error("--{0}s: {1} has no {0} {2}; give numbers from 1 to {3}", kind, model, number, count);
    }
  }
  return all;
}

}  // namespace

AttentionView view_attention(const AttentionTask& task, torch::Device device) {
  LoadedModel model = load_for_inference(task.model, device);
  AttentionView view;
  view.model = task.model;
  view.source_text = task.source;
  view.target_text = task.target.value_or("");
  const auto source = encode(model.tokenizers.source(), task.source, model.config.model, "--source");
  const auto target = task.target ? encode(model.tokenizers.target(), *task.target, model.config.model, "--target")
                                  : search(model, task, view);
  view.source = shown_source(model.tokenizers.source(), source);
  view.target = shown_target(model.config.model, model.tokenizers, target);
  const c10::InferenceMode inference;
  const auto symbols = special_tokens_of(model.config.model, model.tokenizers);
  const Batch batch = make_batch({SentencePair{source, target, 0}}, symbols).to(device);
  view.weights = attention_weights(model.network, batch.source, batch.target_in);
  return view;
}

std::string format_json(const AttentionView& view) {
  Json json = json_of_texts(view);
  json["encoder"] = nested_lists(stack_layers(view.weights.encoder));
  json["decoder"] = nested_lists(stack_layers(view.weights.decoder));
  json["cross"] = nested_lists(stack_layers(view.weights.cross));
  json["search"] = json_of(view.search);
  return json_text(json);
}

std::string format_svg(const AttentionView& view, const AttentionSelection& selection) {
  using Attention = AttentionSelection::Attention;
  const auto& queries = selection.attention == Attention::encoder ? view.source : view.target;
  const auto& keys = selection.attention == Attention::decoder ? view.target : view.source;
  const auto& layers = selection.attention == Attention::encoder   ? view.weights.encoder
                       : selection.attention == Attention::decoder ? view.weights.decoder
                                                                   : view.weights.cross;
  auto weights = stack_layers(layers);  // [layers, h, queries, keys]
  if (selection.merges_words) weights = merge_into_words(weights, queries, keys);
  AttentionFigure figure{.queries = selection.merges_words ? words_of(queries) : texts_of(queries),
                         .keys = selection.merges_words ? words_of(keys) : texts_of(keys),
                         .panels = {}};
  for (const int64_t layer : selected(selection.layers, weights.size(0), weights.size(0), "layer", view.model)) {
    AttentionPanel panel{fmt::format("layer {}", layer), {}};
    for (const int64_t head : selected(selection.heads, 1, weights.size(1), "head", view.model)) {
      const auto values = weights[layer - 1][head - 1].contiguous();
      const float* data = values.data_ptr<float>();
      panel.heads.push_back({head, std::vector<float>(data, data + values.numel())});
    }
    figure.panels.push_back(std::move(panel));
  }
  return attention_figure_svg(figure);
}

std::string format_html(const AttentionView& view) {
  Json json = json_of_texts(view);
  json["attention"] = {{"encoder", page_weights(view.weights.encoder)},
                       {"decoder", page_weights(view.weights.decoder)},
                       {"cross", page_weights(view.weights.cross)}};
  json["search"] = json_of(view.search);
  return attention_page(json);
}

}  // namespace transformer
