// SPDX-License-Identifier: MIT
#include "node/service/api/event_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace beckon::service {

namespace {

/// One line: JSON may hold line breaks between its tokens only, where a blank means the same.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

const NumberedEvent& EventLog::add(Event event) {
  if (events_.size() == capacity_) events_.pop_front();
  events_.push_back({++last_id_, std::move(event)});
  return events_.back();
}

EventLog::Missed EventLog::after(std::uint64_t id) const {
  Missed out;
  bool other_life = id != 0 && (id + 1 < first_id_ || id > last_id_);
  std::uint64_t seen = id == 0 || other_life ? first_id_ - 1 : id;
  std::uint64_t first_kept = events_.empty() ? last_id_ + 1 : events_.front().id;
  out.lost = seen < first_kept ? first_kept - 1 - seen : 0;
  if (other_life) out.lost = std::max<std::uint64_t>(out.lost, 1);
  for (const NumberedEvent& event : events_) {
    if (event.id > seen) out.events.push_back(event);
  }
  return out;
}

std::string sse_text(const Event& event) {
  return fmt::format("event: {}\ndata: {}\n\n", one_line(event.name), one_line(event.json));
}

std::string sse_text(const NumberedEvent& event) {
  return fmt::format("id: {}\n{}", event.id, sse_text(event.event));
}

std::string sse_gap(std::uint64_t lost, std::uint64_t last_lost_id) {
  return fmt::format("id: {}\nevent: gap\ndata: {{\"lost\":{}}}\n\n", last_lost_id, lost);
}

}  // namespace beckon::service
