// SPDX-License-Identifier: MIT
#pragma once

#include <deque>

#include "node/service/kernel/event.h"

namespace beckon::service {

struct NumberedEvent {
  std::uint64_t id{};
  Event event{};
};

/// The last events, numbered without holes, so that a listener who lost its connection can go on
/// where it stopped. Old ones fall out; after() says when that has cost the listener some. Each
/// life of a node begins with a number no earlier life has reached, so that a number of another
/// life is known for one.
class EventLog {
 public:
  explicit EventLog(std::size_t capacity, std::uint64_t first_id = 1)
      : capacity_(capacity), first_id_(first_id), last_id_(first_id - 1) {}

  const NumberedEvent& add(Event event);
  std::uint64_t last_id() const { return last_id_; }

  struct Missed {
    std::uint64_t lost = 0;  // events that are gone, before the first of `events`
    std::deque<NumberedEvent> events{};
  };
  /// What a listener that has seen `id` has yet to see; 0 stands for the beginning of this life. An
  /// id of another life: everything kept is new to it, and how much it lost nobody knows (lost >=
  /// 1).
  Missed after(std::uint64_t id) const;

 private:
  std::size_t capacity_;
  std::uint64_t first_id_;
  std::uint64_t last_id_;
  std::deque<NumberedEvent> events_{};
};

std::string sse_text(const NumberedEvent& event);  // id, event and data lines
std::string sse_text(const Event& event);          // without an id
std::string sse_gap(std::uint64_t lost, std::uint64_t last_lost_id);

}  // namespace beckon::service
