#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "settings/range.h"

namespace transformer {

/// What must be prepared again when a key changes. (The contents of the text files count in any case.)
enum class Prepares {
  nothing,
  vocabulary,  // the vocabulary and the corpus, unless the vocabulary is given instead of learned
  corpus
};

/// What holds for a key beside its name, type and meaning. `visit_fields` of each section gives them with the key.
struct KeyTraits {
  std::optional<Range> range = {};        // of the number, or of each number of a list; none: any number
  bool may_change = false;                // whether a resumed run may have another value
  Prepares prepares = Prepares::nothing;  // what must be prepared again when the value changes
  bool is_set_by_section = false;         // whether a value of its section, such as data.vocabulary, is that of the key
};

/// A member of the structs of a list. A config has one key for each such member, whose value is the list of the
/// members; a list of sections with these keys means the same. A member of type std::optional may be left out: the
/// key's list is then empty. `omitted` is the value of an item that leaves the member out while others have it; without
/// it, either all items have the member or none.
template <class Item, class T>
struct Column {
  std::vector<Item>& items;
  T Item::*member;
  T omitted{};
};

template <class Item, class Owner, class T>
Column<Item, T> column(std::vector<Item>& items, T Owner::*member, std::type_identity_t<T> omitted = {}) {
  return {items, member, std::move(omitted)};
}

}  // namespace transformer
