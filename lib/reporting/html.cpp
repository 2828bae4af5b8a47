#include "reporting/html.h"

namespace transformer {

std::string escaped_html(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string filled_template(std::string_view html, const HtmlParts& parts) {
  std::string page;
  while (true) {
    const size_t begin = html.find("{{");
    page += html.substr(0, begin);
    if (begin == std::string_view::npos) return page;
    const size_t end = html.find("}}", begin);
    page += parts.at(html.substr(begin + 2, end - begin - 2));
    html.remove_prefix(end + 2);
  }
}

}  // namespace transformer
