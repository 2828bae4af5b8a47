#include "parsing/evalb_parameters.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/parse_number.h"
#include "base/words.h"

namespace transformer {
namespace {

/// A line of a parameter file.
class Directive {
 public:
  Directive(const std::string& text, const std::string& path, int64_t line)
      : place_(fmt::format("{}:{}: ", path, line)) {
    arguments_ = split_words(text);
    if (arguments_.empty()) return;
    name_ = arguments_[0];
    arguments_.erase(arguments_.begin());
  }

  bool is_comment() const { return name_.empty() || name_[0] == '#'; }

  void apply(EvalbParameters& parameters) const {
    if (name_ == "DEBUG") {
      if (number(0) > 0)
        log_warning("{}DEBUG has no effect; the scores of each sentence are shown on request only", place_);
    } else if (name_ == "MAX_ERROR") {
      parameters.max_errors = number(0);
    } else if (name_ == "CUTOFF_LEN") {
      parameters.cutoff_length = number(0);
    } else if (name_ == "LABELED") {
      parameters.labeled = number(0) != 0;
    } else if (name_ == "DELETE_LABEL") {
      parameters.deleted.insert(names(1)[0]);
    } else if (name_ == "DELETE_LABEL_FOR_LENGTH") {
      parameters.deleted_for_length.insert(names(1)[0]);
    } else if (name_ == "QUOTE_LABEL") {
      parameters.quote_tags.insert(names(1)[0]);
    } else if (name_ == "EQ_LABEL") {
      parameters.labels.add(names(2)[0], names(2)[1]);
    } else if (name_ == "EQ_WORD") {
      parameters.words.add(names(2)[0], names(2)[1]);
    } else {
      throw UsageError(
          "{}unknown directive '{}'; the directives are DEBUG, MAX_ERROR, CUTOFF_LEN, LABELED, DELETE_LABEL, "
          "DELETE_LABEL_FOR_LENGTH, QUOTE_LABEL, EQ_LABEL and EQ_WORD",
          place_, name_);
    }
  }

 private:
  const std::vector<std::string>& names(size_t count) const {
    if (arguments_.size() == count) return arguments_;
    throw UsageError("{}{} needs {}, got {}; write {}{}", place_, name_, counted(static_cast<int64_t>(count), "value"),
                     arguments_.size(), name_, count == 1 ? " VALUE" : " VALUE VALUE");
  }

  int64_t number(int64_t least) const {
    const std::string& text = names(1)[0];
    const auto value = parse_number<int64_t>(text);
    if (!value || *value < least) {
      throw UsageError("{}{} needs a whole number of at least {}, got '{}'", place_, name_, least, text);
    }
    return *value;
  }

  std::string place_, name_;
  std::vector<std::string> arguments_;
};

}  // namespace

void Equivalences::add(const std::string& one, const std::string& other) { pairs_.insert(std::minmax(one, other)); }

bool Equivalences::same(const std::string& one, const std::string& other) const {
  return one == other || pairs_.contains(std::minmax(one, other));
}

EvalbParameters collins_parameters() {
  EvalbParameters parameters;
  parameters.deleted = {"TOP", "-NONE-", ",", ":", "``", "''", "."};
  parameters.deleted_for_length = {"-NONE-"};
  parameters.labels.add("ADVP", "PRT");
  return parameters;
}

EvalbParameters read_evalb_parameters(const std::string& path) {
  EvalbParameters parameters;
  LineReader lines(path);
  for (std::string line; lines.next(line);) {
    const Directive directive(line, shown_path(path), lines.line_number());
    if (!directive.is_comment()) directive.apply(parameters);
  }
  return parameters;
}

}  // namespace transformer
