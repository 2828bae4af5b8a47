#include "reporting/attention_page.h"

#include <string>

#include "base/error.h"
#include "catch.h"

namespace transformer {
namespace {

using Catch::Contains;

Json data_with_source(const std::string& text) {
  return {{"model", "model.pt"}, {"source_text", text}, {"target_text", "{{style}}"}, {"search", nullptr}};
}

/// The data as the page's script reads them.
Json embedded_data(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t start = page.find(begin) + begin.size();
  return parse_json(page.substr(start, page.find("</script>", start) - start));
}

TEST_CASE("an attention page holds its data unchanged") {
  for (const char* text :
       {"The law.", "</script><b>&amp;", "<!-- <script>", "{{script}} \" \\ '", "Größe ▁ מבוא", ""}) {
    const Json data = data_with_source(text);
    CHECK(embedded_data(attention_page(data)) == data);
  }
}

TEST_CASE("an attention page escapes its title") {
  CHECK_THAT(attention_page(data_with_source("</title> & \"b\"")),
             Contains("<title>Attention: &lt;/title&gt; &amp; &quot;b&quot;</title>"));
}

TEST_CASE("an attention page replaces invalid UTF-8") {
  CHECK(embedded_data(attention_page(data_with_source("a\xFF"))).at("source_text") == "a\uFFFD");
}

TEST_CASE("an attention page holds its style and scripts and refers to no other file") {
  const std::string page = attention_page(data_with_source("a"));
  CHECK_THAT(page, Contains("color-scheme") && Contains("function renderHeads()") &&
                       Contains("function renderSearch()") && Contains("function onKey(event)") &&
                       Contains("default-src 'none'"));
  CHECK_THAT(page, !Contains("src=") && !Contains("url(") && !Contains("@import") && !Contains("import(") &&
                       !Contains("fetch("));
}

TEST_CASE("an attention page needs a source text") { CHECK_THROWS_AS(attention_page({{"model", "model.pt"}}), Error); }

}  // namespace
}  // namespace transformer
