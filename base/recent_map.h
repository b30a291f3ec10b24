// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace beckon {

/// A map that remembers at most `capacity` entries: when it is full, a new one takes the place of
/// the entry that was touched longest ago. Looking at an entry does not touch it. The entries are
/// in the order of their keys.
template <typename Key, typename Value>
class RecentMap {
  struct Entry {
    Value value{};
    std::uint64_t turn{};
  };
  using Entries = std::map<Key, Entry>;

 public:
  explicit RecentMap(std::size_t capacity) : capacity_(capacity) {}

  /// The value of the key, a new one if there is none; from now on the youngest.
  Value& touch(const Key& key) {
    auto found = entries_.find(key);
    if (found == entries_.end()) {
      if (!by_turn_.empty() && entries_.size() >= capacity_) erase(by_turn_.begin()->second);
      found = entries_.try_emplace(key).first;
    } else {
      by_turn_.erase(found->second.turn);
    }
    found->second.turn = ++last_turn_;
    by_turn_.emplace(last_turn_, key);
    return found->second.value;
  }
  const Value* find(const Key& key) const {
    auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second.value;
  }
  Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  /// The first entry at or behind the key, going round at the end.
  const Value* at_or_behind(const Key& key) const {
    if (entries_.empty()) return nullptr;
    auto found = entries_.lower_bound(key);
    return &(found == entries_.end() ? entries_.begin() : found)->second.value;
  }
  void erase(Key key) {  // by value: it may be the entry's own
    auto found = entries_.find(key);
    if (found == entries_.end()) return;
    by_turn_.erase(found->second.turn);
    entries_.erase(found);
  }
  template <typename Which>
  void erase_if(Which which) {
    for (auto i = entries_.begin(); i != entries_.end();) {
      bool gone = which(i->first, i->second.value);
      if (gone) by_turn_.erase(i->second.turn);
      i = gone ? entries_.erase(i) : std::next(i);
    }
  }
  template <typename Look>
  void each(Look look) const {
    for (const auto& [key, entry] : entries_) look(key, entry.value);
  }
  bool contains(const Key& key) const { return entries_.contains(key); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() {
    entries_.clear();
    by_turn_.clear();
  }

  /// Same entries, and they would be forgotten in the same order.
  friend bool operator==(const RecentMap& a, const RecentMap& b) {
    auto same_value = [](const auto& x, const auto& y) {
      return x.first == y.first && x.second.value == y.second.value;
    };
    auto same_key = [](const auto& x, const auto& y) { return x.second == y.second; };
    return std::equal(a.entries_.begin(), a.entries_.end(), b.entries_.begin(), b.entries_.end(),
                      same_value) &&
           std::equal(a.by_turn_.begin(), a.by_turn_.end(), b.by_turn_.begin(), b.by_turn_.end(),
                      same_key);
  }

 private:
  std::size_t capacity_;
  Entries entries_{};
  std::map<std::uint64_t, Key> by_turn_{};  // the oldest first
  std::uint64_t last_turn_ = 0;
};

}  // namespace beckon
