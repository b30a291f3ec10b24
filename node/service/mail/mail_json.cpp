// SPDX-License-Identifier: MIT
#include "node/service/mail/mail_json.h"

#include <fmt/core.h>

#include <array>

#include "base/json.h"

namespace beckon::service {

namespace {

constexpr std::size_t request_preview = 160;  // bytes

bool is_group(const Letter& letter) { return letter.thread != Letter::Number{}; }

/// The longest beginning of at most `limit` bytes that does not end inside a character.
std::string_view beginning(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
  return text.substr(0, limit);
}

struct Tally {
  std::array<std::size_t, send_states> of{};  // by SendState
  explicit Tally(const SentLetter& sent) {
    for (const auto& [user, outgoing] : sent.to) ++of[static_cast<std::size_t>(outgoing.state)];
  }
  void add_to(Json& json) const {
    for (SendState state : {SendState::delivered, SendState::kept, SendState::refused,
                            SendState::unreachable, SendState::waiting, SendState::sending}) {
      json[to_text(state)] = of[static_cast<std::size_t>(state)];
    }
  }
};

}  // namespace

std::string iso_time(WallTime time) {
  using namespace std::chrono;
  sys_time<milliseconds> moment{time.time_since_epoch()};
  auto day = floor<days>(moment);
  year_month_day date{day};
  hh_mm_ss clock{moment - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

Json message_json(const Message& message, Inbox::Place place, const Contact* sender, bool whole) {
  const Letter& letter = message.letter;
  UserId from = user_id(letter.from);
  std::string_view text = whole ? letter.body : beginning(letter.body, request_preview);
  Json out{{"id", std::to_string(message.number)},
           {"from",
            {{"id", from.hex()},
             {"name", letter.name},
             {"alias", sender != nullptr ? sender->alias : std::string()}}},
           {"text", text},
           {"time", iso_time(letter.time)},
           {"received", iso_time(message.received)},
           {"thread", is_group(letter) ? to_hex(letter.thread) : from.hex()},
           {"group", is_group(letter)},
           {"unread", message.unread},
           {"request", place == Inbox::Place::requests}};
  if (text.size() < letter.body.size()) out["cut"] = true;
  return out;
}

Json sent_letter_json(const SentLetter& sent) {
  Json to = Json::array();
  for (const auto& [user, outgoing] : sent.to) {
    to.push_back(
        {{"user", user.hex()}, {"name", outgoing.callee.name}, {"state", to_text(outgoing.state)}});
  }
  Json out{{"id", to_hex(sent.letter.id)}, {"to", std::move(to)}};
  Tally(sent).add_to(out);
  return out;
}

Json progress_json(const SentLetter& sent) {
  Json out{{"to", sent.to.size()}};
  Tally(sent).add_to(out);
  return out;
}

}  // namespace beckon::service
