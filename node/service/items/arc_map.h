// SPDX-License-Identifier: MIT
#pragma once

#include <iterator>
#include <map>
#include <vector>

#include "chord/id.h"

namespace beckon::service {

/// A value for every key of the ring, kept as few arcs of equal value. An arc is cut where a part
/// of it changes, and neighbours that become equal are joined, round zero too. So two maps are
/// equal exactly when every key has the same value in both.
template <typename T>
class ArcMap {
 public:
  struct Piece {
    chord::Arc arc{};
    T value{};
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  const T& at(const chord::Id& key) const { return row_at(ends_.lower_bound(key))->second; }

  /// The parts of an arc, clockwise from its start.
  std::vector<Piece> pieces(const chord::Arc& arc) const {
    std::vector<Piece> out;
    chord::Id from = arc.after;
    do {
      auto row = row_at(ends_.upper_bound(from));
      bool ends_inside = chord::Arc{.after = from, .upto = arc.upto}.contains(row->first);
      chord::Id to = ends_inside ? row->first : arc.upto;
      if (!out.empty() && out.back().value == row->second) {
        out.back().arc.upto = to;  // the whole ring is one row, which ends at zero
      } else {
        out.push_back({{.after = from, .upto = to}, row->second});
      }
      from = to;
    } while (from != arc.upto);
    return out;
  }

  /// All arcs, each as long as it can be, in the order of their ends.
  std::vector<Piece> rows() const {
    std::vector<Piece> out;
    chord::Id from = std::prev(ends_.end())->first;
    for (const auto& [end, value] : ends_) {
      out.push_back({{.after = from, .upto = end}, value});
      from = end;
    }
    return out;
  }

  /// Calls change(piece, value) for every part of the arc.
  template <typename Change>
  void change(const chord::Arc& arc, Change&& change) {
    cut(arc.after);
    cut(arc.upto);
    chord::Id from = std::prev(ends_.end())->first;
    for (auto& [end, value] : ends_) {
      if (arc.contains(end)) change(chord::Arc{.after = from, .upto = end}, value);
      from = end;
    }
    join();
  }

  friend bool operator==(const ArcMap&, const ArcMap&) = default;

 private:
  using Rows = std::map<chord::Id, T>;

  typename Rows::const_iterator row_at(typename Rows::const_iterator found) const {
    return found == ends_.end() ? ends_.begin() : found;
  }

  void cut(const chord::Id& end) { ends_.emplace(end, at(end)); }

  void join() {
    for (auto row = ends_.begin(); row != ends_.end();) {
      auto next = std::next(row) == ends_.end() ? ends_.begin() : std::next(row);
      row = next != row && next->second == row->second ? ends_.erase(row) : std::next(row);
    }
    if (ends_.size() > 1 || ends_.begin()->first == chord::Id{}) return;
    ends_ = Rows{{chord::Id{}, std::move(ends_.begin()->second)}};  // one form of the whole ring
  }

  Rows ends_{
      {chord::Id{}, T{}}};  // by the end of the arc, which begins at the end before; never empty
};

}  // namespace beckon::service
