#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// "1,234,567".
std::string with_thousands(int64_t value);

/// "1 line", "1,234 lines": the count with the noun, which forms its plural with an "s".
std::string counted(int64_t count, const std::string& noun);

/// "the only such line", "the first of 1,234 such lines": whether the line that a message names is the only one with
/// the problem, or the first of several.
std::string first_of_such_lines(int64_t count);

/// "a", "a or b", "a, b or c": a list in a sentence, with the conjunction "or" or "and". Of more than `max_shown` items
/// only the first ones are shown: "a, b and 3 more".
std::string enumeration(const std::vector<std::string>& items, std::string_view conjunction,
                        size_t max_shown = SIZE_MAX);

/// The same for `num_items` items of which `items` has the first ones.
std::string enumeration(const std::vector<std::string>& items, std::string_view conjunction, size_t max_shown,
                        size_t num_items);

/// The shortest text that reads back as the same number.
std::string number_text(double value);

/// A text of the user's, such as a value or a key, as error messages show it: at most 80 characters.
std::string shown_value(const std::string& text);

/// " (the remark)", to be appended to a text; empty for an empty remark.
std::string in_parentheses(const std::string& remark);

/// "1.5 GB" (powers of 1000).
std::string human_bytes(int64_t bytes);

/// "1 h 02 min", "3 min 20 s", "12 s", "0.4 s".
std::string human_duration(double seconds);

/// "2017-06-12 17:57:34 UTC".
std::string utc_time(std::chrono::system_clock::time_point time);

}  // namespace transformer
