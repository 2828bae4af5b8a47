#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace transformer {

/// Whether the name is that of a section of the config: "model", "data.train".
bool is_section(const std::string& name);

/// The keys that an assignment to `key` sets: those of both sides for `data.vocabulary`, otherwise `key` alone.
std::vector<std::string> keys_set_by(const std::string& key);

/// For each key that an item of a list of sections may omit, its value in an item that omits it while another item has
/// it; nullopt: all items must have it then.
using OptionalKeys = std::map<std::string, std::optional<std::string>>;

/// The optional keys of a section that may be a list of sections: the corpora (`data.train`) or the validation sets
/// (`data.valid`). nullptr for the other sections.
const OptionalKeys* optional_keys_of_items(const std::string& section);

}  // namespace transformer
