#include "reporting/attention_page.h"

#include <fmt/core.h>

#include "embedded/attention.css.h"
#include "embedded/attention.html.h"
#include "embedded/attention.js.h"
#include "embedded/attention_data.js.h"
#include "embedded/attention_search.js.h"
#include "embedded/attention_views.js.h"
#include "reporting/html.h"

namespace transformer {
namespace {

/// JSON for a <script> element, which would end at "</script>" in a string. Outside of strings JSON has no "<".
std::string script_json(const Json& data) {
  std::string json;
  for (const char c : json_text(data)) {
    if (c == '<') {
      json += "\\u003c";
    } else {
      json += c;
    }
  }
  return json;
}

}  // namespace

std::string attention_page(const Json& data) {
  return filled_template(
      kAttentionHtml,
      {{"title", escaped_html(fmt::format("Attention: {}", string_of(member_of(data, "source_text"))))},
       {"style", std::string(kAttentionCss)},
       {"data", script_json(data)},
       {"script", fmt::format("{}{}{}{}", kAttentionDataJs, kAttentionViewsJs, kAttentionSearchJs, kAttentionJs)}});
}

}  // namespace transformer
