#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "settings/fields.h"

namespace transformer {

/// The keys that a config may have, and their sections.
class Schema {
 public:
  template <class SomeKey>
  explicit Schema(const std::vector<SomeKey>& keys) : keys_(keys.begin(), keys.end()) {}

  /// All keys, in order.
  const std::vector<Key>& keys() const { return keys_; }
  /// The key with this name; null if there is none.
  const Key* find(const std::string& name) const;
  /// Whether the name is that of a section: "model", "data.train".
  bool has_section(const std::string& name) const;
  /// The keys that a value of `key` sets: those of both sides for `data.vocabulary`, in most cases `key` alone.
  std::vector<std::string> keys_set_by(const std::string& key) const;
  /// Whether the section may be a list of sections, one for each struct of a list (Column).
  bool is_list(const std::string& section) const;
  /// The keys that an item of such a list may omit, by the last parts of their names.
  std::map<std::string, ItemKey> optional_keys_of_items(const std::string& section) const;

 private:
  std::vector<Key> keys_;
};

}  // namespace transformer
