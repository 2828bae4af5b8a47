#include "reporting/attention_page.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/temporary_directory.h"
#include "browser.h"
#include "catch.h"
#include "count.h"
#include "workplace.h"

namespace transformer {
namespace {

using Catch::Contains;

Json token(const std::string& piece, const std::string& text, int word) {
  return {{"piece", piece}, {"text", text}, {"word", word}, {"unknown", false}};
}

using Weight = std::function<int(int head, int query, int key)>;

/// Attention of two layers and two heads, with the same weights in both layers.
Json attention(int queries, int keys, const Weight& weight) {
  Json weights = Json::array();
  for (int layer = 0; layer < 2; ++layer) {
    for (int head = 0; head < 2; ++head) {
      for (int query = 0; query < queries; ++query) {
        for (int key = 0; key < keys; ++key) weights.push_back(weight(head, query, key));
      }
    }
  }
  return {{"layers", 2}, {"heads", 2}, {"queries", queries}, {"keys", keys}, {"weights", weights}};
}

Json node(int id, int parent, int step, const std::string& piece, const std::string& state) {
  return {{"id", id},
          {"parent", parent},
          {"step", step},
          {"piece", piece},
          {"token_log_prob", step == 0 ? 0 : -0.5},
          {"log_prob", -0.5 * step - 0.01 * id},
          {"score", -0.4 * step - 0.01 * id},
          {"state", state}};
}

Json search() {
  return {{"beam_size", 2},
          {"length_penalty", "gnmt, alpha 0.6"},
          {"best", 5},
          {"nodes",
           {node(0, -1, 0, "", "live"), node(1, 0, 1, "▁Hallo", "live"), node(2, 0, 1, "▁Gruß", "live"),
            node(3, 0, 1, "▁Tag", "dropped"), node(4, 1, 2, "▁Erde", "dropped"), node(5, 1, 2, "</s>", "finished")}}};
}

/// "Hello world" and "Hallo Welt". In the encoder head 1 attends to the previous position and head 2 to all; in
/// cross-attention both heads attend to the position of the same number.
Json example() {
  const auto same = [](int /*head*/, int query, int key) { return query == key ? 10000 : 0; };
  const auto previous_or_all = [](int head, int query, int key) {
    return head == 1 ? 2500 : key == std::max(query - 1, 0) ? 10000 : 0;
  };
  return {{"model", "model.pt"},
          {"source_text", "Hello world"},
          {"target_text", "Hallo </script> Welt"},
          {"source",
           {token("▁Hello", "Hello", 0), token("▁wor", "wor", 1), token("ld", "ld", 1), token("</s>", "</s>", 2)}},
          {"target", {token("<s>", "<s>", 0), token("▁Hallo", "Hallo", 1), token("▁Welt", "Welt", 2)}},
          {"attention",
           {{"encoder", attention(4, 4, previous_or_all)},
            {"decoder", attention(3, 3, same)},
            {"cross", attention(3, 4, same)}}},
          {"search", search()}};
}

/// One word, one layer and one head: an empty sentence.
Json tiny() {
  Json data = example();
  const Json one = {{"layers", 1}, {"heads", 1}, {"queries", 1}, {"keys", 1}, {"weights", {10000}}};
  data["source"] = {token("</s>", "</s>", 0)};
  data["target"] = {token("<s>", "<s>", 0)};
  data["attention"] = {{"encoder", one}, {"decoder", one}, {"cross", one}};
  data["search"] = nullptr;
  return data;
}

/// The document after the page's scripts have run with this fragment, followed by `script`.
std::string document(const Json& data, const std::string& fragment, const std::string& script = "") {
  const TemporaryDirectory directory;
  const Workplace place(directory.path());
  place.write("page.html", attention_page(data) + "<script>" + script + "</script>");
  const std::string page = document_in_browser(place, "file://$PWD/page.html#" + fragment);
  CHECK_THAT(page, !Contains("data-error"));
  return page;
}

/// The contents of <main> for each fragment, all from one start of the browser.
std::vector<std::string> views(const Json& data, const std::vector<std::string>& fragments) {
  std::string script = R"(
    const show = (fragment) => {
      history.replaceState(null, "", "#" + fragment);
      dispatchEvent(new Event("hashchange"));
      document.body.append(document.querySelector("main").cloneNode(true));
    };)";
  for (const std::string& fragment : fragments) script += "show('" + fragment + "');";
  std::string page = document(data, "", script);
  std::vector<std::string> found;
  for (size_t at = page.rfind("<main>"); found.size() < fragments.size(); at = page.rfind("<main>")) {
    found.insert(found.begin(), page.substr(at));
    page.resize(at);
  }
  return found;
}

}  // namespace

TEST_CASE("attention page shows the words and lines of the heads that its fragment selects") {
  if (!has_browser()) return;
  const std::string heads = document(example(), "view=heads&attention=cross&layer=2&heads=1&word=q1");
  CHECK_THAT(heads, Contains("Hallo &lt;/script&gt; Welt"));
  CHECK_THAT(heads,
             Contains("id=\"kind-cross\" aria-pressed=\"true\"") && Contains("id=\"layer-2\" aria-pressed=\"true\""));
  CHECK(count(heads, "class=\"swatch\"") == 2);
  CHECK_THAT(heads, Contains("“Hallo” (predicts “Welt”) attends most to “wor”, 100 % (head 1)."));
  CHECK(count(heads, "class=\"word") >= 3 + 4);
  CHECK_THAT(heads, Contains("data-count=\"1\"") && !Contains("data-count=\"3\""));
  CHECK(count(heads, "class=\"cells\"") == 4);  // the weights of the word stand beside the keys
  CHECK_THAT(heads, Contains("→ &lt;/s&gt;"));
  Json unfinished = example();
  unfinished["search"]["best"] = 1;
  CHECK_THAT(document(unfinished, "view=heads&attention=cross&layer=2&heads=1&word=q1"), !Contains("→ &lt;/s&gt;"));
}

TEST_CASE("attention page merges word pieces: weights are summed over keys and averaged over queries") {
  if (!has_browser()) return;
  const auto matrices = views(example(), {"view=matrix&attention=encoder&layer=1&heads=1&merge=1",
                                          "view=matrix&attention=decoder&layer=1&heads=1,2"});
  const std::string& matrix = matrices.at(0);
  const std::string& masked = matrices.at(1);
  CHECK_THAT(matrix, Contains(">world</bdi>") && !Contains(">wor</bdi>"));
  CHECK(count(matrix, "<td") == 3 * 3);
  CHECK(count(matrix, "data-weight=\"0.5000\">0.50</td>") == 2);  // "wor" attends to "Hello" and "ld" to "wor"
  CHECK(count(masked, "class=\"masked\"") == 3);
  CHECK_THAT(masked, Contains("mean of heads 1, 2"));
}

TEST_CASE("attention page shows the tree of the search and the candidates of a step") {
  if (!has_browser()) return;
  const auto trees = views(example(), {"view=search&step=1", "view=search&step=1&dropped=0"});
  const std::string& all = trees.at(0);
  CHECK(count(all, "class=\"node") == 6);
  CHECK(count(all, "class=\"edge") == 5);
  CHECK(count(all, "class=\"edge live best\"") + count(all, "class=\"edge finished best later\"") == 2);
  CHECK_THAT(all, Contains("Candidates of step 1") && Contains("<b>Gruß</b>") && Contains("61 %"));
  CHECK(count(trees.at(1), "class=\"node") == 4);
}

TEST_CASE("attention page reacts to keys and clicks and keeps its state in the fragment") {
  if (!has_browser()) return;
  const std::string script = R"(
    const log = [];
    const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key }));
    const click = (id) => document.getElementById(id).click();
    const note = () => log.push(location.hash.slice(1));
    note(); press("ArrowLeft"); press("2"); note(); press("m"); click("word-k1"); note(); press("Escape");
    click("view-model"); note(); document.querySelectorAll(".thumbnail")[3].click(); note();
    click("view-search");
    const slider = document.getElementById("step");
    slider.value = 1; slider.dispatchEvent(new Event("input")); note(); log.push(slider.isConnected);
    document.title = log.join(" ");)";
  CHECK_THAT(document(example(), "view=heads&attention=encoder&layer=2&heads=1,2", script),
             Contains("<title>view=heads&amp;attention=encoder&amp;layer=2&amp;heads=1,2 "
                      "view=heads&amp;attention=encoder&amp;layer=1&amp;heads=1 "
                      "view=heads&amp;attention=encoder&amp;layer=1&amp;heads=1&amp;merge=1&amp;word=k1 "
                      "view=model&amp;attention=encoder&amp;layer=1&amp;heads=1&amp;merge=1 "
                      "view=heads&amp;attention=encoder&amp;layer=2&amp;heads=2&amp;merge=1 "
                      "view=search&amp;attention=encoder&amp;layer=2&amp;heads=2&amp;merge=1&amp;step=1 true</title>"));
}

TEST_CASE("attention page shows a single word, and ignores what a fragment cannot select") {
  if (!has_browser()) return;
  const auto pages = views(
      tiny(), {"view=search&attention=none&layer=7&heads=3,x&word=q0.5&step=-1", "", "view=model", "view=matrix"});
  CHECK_THAT(pages.at(0), Contains("Encoder self-attention, layer 1: no head is selected"));
  CHECK_THAT(pages.at(1), Contains("data-count=\"1\""));
  CHECK(count(pages.at(2), "class=\"thumbnail") == 1);
  CHECK_THAT(pages.at(3), Contains(">1.00</td>"));
}

}  // namespace transformer
