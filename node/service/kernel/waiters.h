// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace beckon::service {

/// Base of what can wait for an answer: Pending in flow.h.
class Waiter {
 protected:
  Waiter() = default;
  ~Waiter() = default;
};

/// Who waits for which answer. An answer names a place and a turn, and finds the waiter that took
/// the place in that turn, or nobody: a waiter that is destroyed first leaves its place, and the
/// answer may come when it likes. Places are used again; there are as many as ever waited at once.
class Waiters {
 public:
  struct Ticket {
    std::uint32_t place{};
    std::uint32_t turn{};
  };

  Ticket enter(Waiter& waiter) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.push_back({});
    }
    std::uint32_t place = free_.back();
    free_.pop_back();
    places_[place].waiter = &waiter;
    return {place, places_[place].turn};
  }
  void leave(Ticket ticket) {
    Place& place = places_[ticket.place];
    place.waiter = nullptr;
    ++place.turn;
    free_.push_back(ticket.place);
  }
  Waiter* find(Ticket ticket) const {
    const Place& place = places_[ticket.place];
    return place.turn == ticket.turn ? place.waiter : nullptr;
  }
  std::size_t size() const { return places_.size() - free_.size(); }

 private:
  struct Place {
    Waiter* waiter = nullptr;
    std::uint32_t turn = 0;
  };
  std::vector<Place> places_{};
  std::vector<std::uint32_t> free_{};
};

}  // namespace beckon::service
