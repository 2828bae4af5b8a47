#include "attention_view/attention_statistics.h"

#include <fmt/core.h>

#include <cstdlib>

#include "attention_view/word_attention.h"
#include "base/command_files.h"
#include "base/error.h"
#include "base/json.h"
#include "data/batch.h"
#include "inference/encode_line.h"
#include "inference/loaded_model.h"
#include "model/attention_weights.h"
#include "model/decoder_start.h"
#include "reporting/text_table.h"
#include "text/clean_line.h"
#include "text/line_pairs.h"

namespace transformer {
namespace {

using Layers = std::vector<std::vector<HeadStatistics>>;

/// Where the begin or end symbol stands among the words of the queries and keys.
enum class Symbol {
  last_of_both,   // encoder: the end symbol attends and is attended to
  first_of_both,  // decoder: so does the begin symbol
  last_of_keys,   // cross-attention
  none_of_both,   // encoder of a model whose source has no end symbol
  none_of_keys,   // cross-attention of such a model
};

/// Sums over the queries of all sentence pairs: the words, and in cross-attention also the begin symbol.
class Sums {
 public:
  explicit Sums(Symbol symbol) : symbol_(symbol) {}

  /// weights [layers, h, queries, keys], merged into words, symbol included
  void add(const torch::Tensor& weights) {
    if (!values_.defined()) values_ = torch::zeros({kNumStatistics, weights.size(0), weights.size(1)}, torch::kDouble);
    const bool is_self_attention = symbol_ != Symbol::last_of_keys && symbol_ != Symbol::none_of_keys;
    const bool has_symbol = symbol_ != Symbol::none_of_both && symbol_ != Symbol::none_of_keys;
    const int64_t first = symbol_ == Symbol::first_of_both ? 1 : 0;
    const int64_t num_queries = is_self_attention && has_symbol ? weights.size(2) - 1 : weights.size(2);
    const auto of_queries = weights.narrow(2, first, num_queries);
    if (is_self_attention) add_neighbors_and_distance(of_queries.narrow(3, first, num_queries));
    if (has_symbol) values_[kSymbol] += of_queries.select(3, first == 1 ? 0 : weights.size(3) - 1).sum(-1);
    values_[kLargest] += std::get<0>(of_queries.max(3)).sum(-1);
    num_queries_ += num_queries;
  }

  Layers means() const {
    const auto means = (values_ / static_cast<double>(num_queries_)).permute({1, 2, 0}).contiguous();
    const auto value = means.accessor<double, 3>();
    Layers layers(static_cast<size_t>(means.size(0)));
    for (int64_t layer = 0; layer < means.size(0); ++layer) {
      for (int64_t head = 0; head < means.size(1); ++head) {
        const auto of = value[layer][head];
        layers[static_cast<size_t>(layer)].push_back(
            {of[kPrevious], of[kItself], of[kNext], of[kSymbol], of[kDistance], of[kLargest]});
      }
    }
    return layers;
  }

 private:
  /// The members of HeadStatistics.
  enum Statistic { kPrevious, kItself, kNext, kSymbol, kDistance, kLargest, kNumStatistics };

  /// weights [layers, h, words, words]
  void add_neighbors_and_distance(const torch::Tensor& weights) {
    for (int64_t offset = -1; offset <= 1; ++offset) {
      if (std::abs(offset) < weights.size(2)) values_[kItself + offset] += weights.diagonal(offset, 2, 3).sum(-1);
    }
    const auto positions = torch::arange(weights.size(2));
    values_[kDistance] += (weights * (positions.unsqueeze(1) - positions).abs()).sum({2, 3});
  }

  Symbol symbol_;
  torch::Tensor values_;  // [kNumStatistics, layers, h]
  int64_t num_queries_ = 0;
};

/// [1, h, queries, keys] of each layer -> [layers, h, query words, key words]
torch::Tensor word_weights(const std::vector<torch::Tensor>& layers, const std::vector<ShownToken>& queries,
                           const std::vector<ShownToken>& keys) {
  return merge_into_words(stack_layers(layers), queries, keys);
}

/// A row of a table: a head, with its layer and itself counted from 1.
struct HeadRow {
  size_t layer, head;
  HeadStatistics statistics;
};

/// `symbol` is the heading of the weight on the begin or end symbol, "" if there is none.
std::string table(const std::string& title, const std::string& symbol, const Layers& layers, bool is_self_attention) {
  std::vector<HeadRow> rows;
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    for (size_t head = 0; head < layers[layer].size(); ++head) {
      rows.push_back({layer + 1, head + 1, layers[layer][head]});
    }
  }
  const auto column = [&](const std::string& heading, double HeadStatistics::*mean) {
    return table_column(heading, rows, [&](const HeadRow& row) { return fixed_cell(row.statistics.*mean, 2); });
  };
  const TableColumn at_symbol = column(symbol, &HeadStatistics::symbol);
  const TableColumn largest = column("largest", &HeadStatistics::largest);
  std::vector<TableGroup> groups = {
      {"",
       {table_column("layer", rows, [](const HeadRow& row) { return fmt::format("{}", row.layer); }),
        table_column("head", rows, [](const HeadRow& row) { return fmt::format("{}", row.head); })}}};
  if (is_self_attention) {
    groups.push_back({"weight on",
                      {column("previous", &HeadStatistics::previous), column("itself", &HeadStatistics::itself),
                       column("next", &HeadStatistics::next)}});
    if (!symbol.empty()) groups.back().columns.push_back(at_symbol);
    groups.push_back({"", {column("distance", &HeadStatistics::distance), largest}});
  } else {
    if (!symbol.empty()) groups.push_back({"weight on", {at_symbol}});
    groups.push_back({"", {largest}});
  }
  return title + "\n" + text_table(groups);
}

Json json_of(const Layers& layers, bool has_symbol, bool is_self_attention) {
  Json list = Json::array();
  for (const auto& heads : layers) {
    Json layer = Json::array();
    for (const HeadStatistics& head : heads) {
      Json json = Json::object();
      if (is_self_attention) {
        json = {{"previous", head.previous}, {"itself", head.itself}, {"next", head.next}, {"distance", head.distance}};
      }
      if (has_symbol) json["symbol"] = head.symbol;
      json["largest"] = head.largest;
      layer.push_back(json);
    }
    list.push_back(layer);
  }
  return list;
}

}  // namespace

AttentionStatistics measure_attention_statistics(const AttentionStatisticsTask& task, torch::Device device) {
  static constexpr size_t kBlockPairs = 1024;
  check_input_texts({task.source, task.target});
  const c10::InferenceMode inference;
  LinePairReader reader({ParallelFiles{task.source, task.target}});
  LoadedModel model = load_for_inference(task.model, device);
  const LengthLimit limit = length_limit(model.config.model);
  const auto symbols = special_tokens_of(model.config.model, model.tokenizers);
  WholeLineEncoder sources(model.tokenizers.source(), limit, task.source),
      targets(model.tokenizers.target(), limit, task.target);
  AttentionStatistics statistics;
  statistics.source_has_end = symbols.source().source_has_end;
  Sums encoder(statistics.source_has_end ? Symbol::last_of_both : Symbol::none_of_both), decoder(Symbol::first_of_both),
      cross(statistics.source_has_end ? Symbol::last_of_keys : Symbol::none_of_keys);
  for (auto pairs = reader.next(kBlockPairs); !pairs.empty(); pairs = reader.next(kBlockPairs)) {
    for (const LinePair& pair : pairs) {
      const auto source = sources.encode(pair.source, pair.line), target = targets.encode(pair.target, pair.line);
      if (source.empty() || target.empty()) continue;
      const Batch batch = make_batch({SentencePair{source, target, pair.line}}, symbols).to(device);
      const AttentionWeights weights = attention_weights(model.network, batch.source, batch.target_in);
      const auto source_tokens = shown_source(model.tokenizers.source(), source),
                 target_tokens = shown_target(model.config.model, model.tokenizers, target);
      encoder.add(word_weights(weights.encoder, source_tokens, source_tokens));
      decoder.add(word_weights(weights.decoder, target_tokens, target_tokens));
      cross.add(word_weights(weights.cross, target_tokens, source_tokens));
      ++statistics.num_pairs;
    }
  }
  warn_of_invalid_lines(shown_path(task.source), sources.invalid_lines());
  warn_of_invalid_lines(shown_path(task.target), targets.invalid_lines());
  if (statistics.num_pairs == 0)
    throw Error("{}: has no line with text; give at least one sentence pair", shown_path(task.source));
  statistics.encoder = encoder.means();
  statistics.decoder = decoder.means();
  statistics.cross = cross.means();
  return statistics;
}

std::string format_text(const AttentionStatistics& statistics) {
  const std::string end = statistics.source_has_end ? "end" : "";
  return fmt::format(
      "{}\n\n{}\n\n{}\n\nmeans over the words of {} sentence pairs, in cross-attention also over the begin symbol",
      table("encoder self-attention", end, statistics.encoder, /*is_self_attention=*/true),
      table("decoder self-attention", "begin", statistics.decoder, /*is_self_attention=*/true),
      table("cross-attention", end, statistics.cross, /*is_self_attention=*/false), statistics.num_pairs);
}

std::string format_json(const AttentionStatistics& statistics) {
  return json_text({{"pairs", statistics.num_pairs},
                    {"encoder", json_of(statistics.encoder, statistics.source_has_end, /*is_self_attention=*/true)},
                    {"decoder", json_of(statistics.decoder, /*has_symbol=*/true, /*is_self_attention=*/true)},
                    {"cross", json_of(statistics.cross, statistics.source_has_end, /*is_self_attention=*/false)}});
}

}  // namespace transformer
