// SPDX-License-Identifier: MIT
// The bytes of a state, and what people see of it.
#include <algorithm>

#include "base/hash.h"
#include "tests/explorer/model.h"

namespace beckon::service::explorer {

namespace {

Mask mask_renamed(const Book::Naming& naming, Mask mask) {
  Mask out = 0;
  for (int i = 0; i < most_nodes; ++i) {
    if (has(mask, i)) out |= bit(naming[at(i)]);
  }
  return out;
}

}  // namespace

void Model::write(const State& s, std::vector<std::uint8_t>& out) const {
  out.clear();
  auto put = [&](unsigned value) { out.push_back(static_cast<std::uint8_t>(value)); };
  for (int i = 0; i < scope_.nodes; ++i) {
    put(s.claims[at(i)] >> 8U);
    put(s.claims[at(i)]);
  }
  put(s.record);
  put(s.put_x);
  put(s.put_holders);
  put(s.ok);
  put(s.arrived);
  put(s.safe ? 1 : 0);
  put(s.answered);
  for (int i = 0; i < scope_.nodes; ++i) {
    put(s.answer[at(i)] >> 8U);
    put(s.answer[at(i)]);
    put(s.early[at(i)]);
  }
  for (int x = 1; x <= scope_.sets; ++x) put(set_of(s, x));
  for (int x = 1; x < scope_.sets; ++x) {
    for (int number = 1; number <= scope_.attempts + 1; ++number) {
      const Try& t = try_of(s, x, number);
      put(t.by);
      put(t.filling);
      put(t.filled);
      put(t.value);
      put(t.accepted);
      for (int i = 0; i < scope_.nodes; ++i) {
        put(t.promise[at(i)] >> 8U);
        put(t.promise[at(i)]);
      }
    }
  }
}

State Model::unpack(const std::uint8_t* from) const {
  State s;
  auto get = [&] { return *from++; };
  auto get_ref = [&] {
    unsigned high = get();
    return static_cast<Book::Ref>(high << 8U | get());
  };
  for (int i = 0; i < scope_.nodes; ++i) s.claims[at(i)] = get_ref();
  s.record = get();
  s.put_x = get();
  s.put_holders = get();
  s.ok = get();
  s.arrived = get();
  s.safe = get() != 0;
  s.answered = get();
  for (int i = 0; i < scope_.nodes; ++i) {
    s.answer[at(i)] = get_ref();
    s.early[at(i)] = get();
  }
  for (int x = 1; x <= scope_.sets; ++x) s.sets[at(x - 1)] = get();
  for (int x = 1; x < scope_.sets; ++x) {
    for (int number = 1; number <= scope_.attempts + 1; ++number) {
      Try& t = try_of(s, x, number);
      t.by = get();
      t.filling = get();
      t.filled = get();
      t.value = get();
      t.accepted = get();
      for (int i = 0; i < scope_.nodes; ++i) t.promise[at(i)] = get_ref();
    }
  }
  return s;
}

State Model::renamed(std::size_t naming, const State& s) {
  const Book::Naming& names = book_.namings()[naming];
  State out;
  for (int i = 0; i < scope_.nodes; ++i) {
    std::size_t to = names[at(i)];
    out.claims[to] = book_.rename(naming, s.claims[at(i)]);
    if (has(s.answered, i)) out.answer[to] = book_.rename(naming, s.answer[at(i)]);
    out.early[to] = mask_renamed(names, s.early[at(i)]);
  }
  out.record = mask_renamed(names, s.record);
  out.put_x = s.put_x;
  out.put_holders = book_.rename_list(naming, s.put_holders);
  out.ok = mask_renamed(names, s.ok);
  out.arrived = mask_renamed(names, s.arrived);
  out.safe = s.safe;
  out.answered = mask_renamed(names, s.answered);
  for (int x = 1; x <= scope_.sets; ++x) {
    out.sets[at(x - 1)] = book_.rename_list(naming, set_of(s, x));
  }
  for (int x = 1; x < scope_.sets; ++x) {
    for (int number = 1; number <= scope_.attempts + 1; ++number) {
      const Try& t = try_of(s, x, number);
      if (t.by == 0) continue;
      Try& r = try_of(out, x, number);
      r.by = static_cast<std::uint8_t>(names[at(t.by - 1)] + 1);
      r.filling = mask_renamed(names, t.filling);
      r.filled = mask_renamed(names, t.filled);
      r.value = book_.rename_list(naming, t.value);
      r.accepted = mask_renamed(names, t.accepted);
      for (int i = 0; i < scope_.nodes; ++i) {
        r.promise[names[at(i)]] = book_.rename_told(naming, t.promise[at(i)]);
      }
    }
  }
  return out;
}

/// Forgets what nothing can depend on any more, so that fewer states differ.
void Model::tidy(State& s) const {
  if (s.safe) s.ok = s.arrived = 0;
  int oldest = scope_.sets;
  for (int q = 0; q < scope_.nodes; ++q) {
    oldest = std::min<int>(oldest, book_.facts(s.claims[at(q)]).x);
  }
  for (int x = 1; x < scope_.sets; ++x) {
    for (int number = 1; number <= scope_.attempts + 1; ++number) {
      Try& t = try_of(s, x, number);
      if (t.by == 0) continue;
      if (x < oldest) {  // everybody answers BEHIND
        t = {};
        continue;
      }
      const Book::Facts& own = book_.facts(s.claims[at(t.by - 1)]);
      bool under_way = own.x == x && own.promised == number;
      if (t.value != 0 || !under_way) t.promise = {}, t.filling = t.filled = 0;
    }
  }
}

std::uint64_t Model::pack(const State& given, std::vector<std::uint8_t>& out) {
  State s = given;
  tidy(s);
  write(s, out);
  std::uint64_t least = xxh3_64(out);
  std::vector<std::uint8_t> bytes;
  for (std::size_t naming = 1; scope_.symmetry && naming < book_.namings().size(); ++naming) {
    write(renamed(naming, s), bytes);
    std::uint64_t hash = xxh3_64(bytes);
    if (hash >= least) continue;
    least = hash;
    out.swap(bytes);
  }
  return least;
}

std::string Model::text(const Move& move) const {
  std::string out(1, static_cast<char>('a' + move.node));
  out += std::string(" ") + move.what;
  if (move.number >= 0) out += " " + std::to_string(move.number);
  if (move.list != 0) out += " " + book_.text_of(move.list);
  if (move.from >= 0) out += std::string(" ") + static_cast<char>('a' + move.from);
  return out;
}

std::string Model::text(const State& s) {
  std::string out;
  for (int i = 0; i < scope_.nodes; ++i) {
    out += std::string(i == 0 ? "" : " | ") + static_cast<char>('a' + i) + ": " +
           book_.text(s.claims[at(i)]) + (has(s.record, i) ? " +" : "");
  }
  return out + (s.safe ? " | safe" : "");
}

}  // namespace beckon::service::explorer
