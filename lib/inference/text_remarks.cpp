#include "inference/text_remarks.h"

#include <fmt/core.h>

#include <string_view>

#include "text/tokenizer.h"
#include "text/untagged_lines.h"

namespace transformer {
namespace {

std::string remark_on_tag(const std::string& text, const UntaggedLines& untagged) {
  if (!untagged.lacks_tag(text)) return "";
  return fmt::format("does not begin with {}, as every source line of the training text did; give {} as 'tag'",
                     untagged.list_of_tags(), untagged.one_of_them());
}

/// TextForm warns of the same marks if most lines of a file have one.
std::string remark_on_marks(const std::string& text) {
  for (const std::string_view mark : {kSpaceMark, std::string_view("@@ "), std::string_view("\uFFED")}) {
    if (text.find(mark) == std::string::npos) continue;
    return fmt::format(
        "has '{}', so it seems to be split into subwords already; it was translated as it is, though the program "
        "splits text by itself: join the pieces first",
        mark);
  }
  return "";
}

}  // namespace

std::vector<std::string> remarks_on(const std::string& text, const LoadedEnsemble& models,
                                    const std::optional<std::string>& tag) {
  std::vector<std::string> remarks = {remark_on_tag(text, UntaggedLines(models.config.tags, tag))};
  if (!models.tokenizers.source().takes_divided_texts()) remarks.push_back(remark_on_marks(text));
  if (text.find('\t') != std::string::npos) {
    remarks.emplace_back("has a tab; it was translated as it is: if there are columns, give each as a text of its own");
  }
  std::erase(remarks, "");
  return remarks;
}

}  // namespace transformer
