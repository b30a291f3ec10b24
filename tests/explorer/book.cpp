// SPDX-License-Identifier: MIT
#include "tests/explorer/book.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/hash.h"

namespace beckon::service::explorer {

namespace {

constexpr Arc ring{};
enum Op : std::uint64_t { begins = 1, prepares, accepts, fills, learns, restarts };
enum Question : std::uint64_t { decides = 1, is_safe, orders };

std::uint64_t key_of(std::initializer_list<std::uint64_t> bytes) {
  std::uint64_t key = 0;
  for (std::uint64_t byte : bytes) key = key << 8 | (byte & 0xff);
  return key;
}

/// The order of those behind the lead means nothing, so lists have one form here.
template <typename List>
void sort_rest(List& list) {
  if (!list.empty()) std::sort(list.begin() + 1, list.end());
}

std::uint64_t u(int number) { return static_cast<std::uint64_t>(number); }

}  // namespace

Book::Book(int nodes, int first) : nodes_(nodes) {
  Naming naming{};
  std::iota(naming.begin(), naming.end(), std::uint8_t{0});
  do {
    bool keeps =
        std::all_of(naming.begin(), naming.begin() + first, [&](int to) { return to < first; });
    if (keeps) namings_.push_back(naming);
  } while (std::next_permutation(naming.begin() + 1, naming.begin() + nodes));
  renamed_.resize(namings_.size());
  renamed_told_.resize(namings_.size());
  renamed_lists_.resize(namings_.size());
}

Holder Book::holder(int node) {
  Holder out{.disk = static_cast<unsigned>(node + 1)};
  out.node.bytes[0] = static_cast<std::uint8_t>(node + 1);
  return out;
}

Holders Book::holders(List list) const {
  Holders out;
  for (int node : lists_[list]) out.push_back(holder(node));
  return out;
}

Book::List Book::list(const std::vector<int>& nodes) {
  auto [at, fresh] = list_numbers_.emplace(nodes, static_cast<List>(lists_.size()));
  if (fresh) {
    ENSURE(lists_.size() < 256);
    lists_.push_back(nodes);
    Mask mask = 0;
    for (int node : nodes) mask |= bit(node);
    masks_.push_back(mask);
  }
  return at->second;
}

Book::List Book::list_of(const Holders& some) {
  std::vector<int> nodes;
  for (const Holder& h : some) nodes.push_back(node_of(h.node));
  return list(nodes);
}

Book::Told Book::told_of(const Claim& claim) {
  Claim told{.accepted = claim.accepted, .x_accepted = claim.x_accepted, .value = claim.value};
  auto at = std::find(told_.begin() + 1, told_.end(), told);
  if (at == told_.end()) {
    ENSURE(told_.size() < 0xffff);
    at = told_.insert(told_.end(), told);
  }
  return static_cast<Told>(at - told_.begin());
}

Book::Ref Book::number_of(const Claims& claims) {
  std::string key(1, static_cast<char>(node_of(claims.self().node)));
  for (const ClaimRow& row : claims.rows()) key += as_text(encode_claim(row));
  // The store may leave something out by mistake, so what it leaves out is a part of the key, too.
  const Claim& c = claims.at({});
  key += static_cast<char>(c.promised.number);
  auto [at, fresh] = numbers_.emplace(key, static_cast<Ref>(claims_.size()));
  if (!fresh) return at->second;
  ENSURE(claims_.size() < 0xffff);
  claims_.push_back(claims);
  facts_.push_back({.x = static_cast<std::uint8_t>(c.x),
                    .holders = list_of(c.holders),
                    .state = claims.state({}),
                    .settled = claims.settled({}),
                    .may_drop = claims.may_drop({}),
                    .next_x = static_cast<std::uint8_t>(claims.next_x(ring)),
                    .promised = static_cast<std::uint8_t>(c.promised.number),
                    .told = told_of(c)});
  return at->second;
}

Book::Ref Book::founder(int self) {
  Claims claims(holder(self));
  auto founded = claims.found();
  ENSURE(founded.has_value());
  return number_of(claims);
}

template <typename Call>
Book::Step Book::once(std::uint64_t key, Call&& call) {
  if (auto at = steps_.find(key); at != steps_.end()) return at->second;
  Step step = call();
  steps_.emplace(key, step);
  return step;
}

Book::Step Book::begin(Ref ref, int seen) {
  return once(key_of({begins, u(ref >> 8), ref, u(seen)}), [&]() -> Step {
    Claims claims = claims_[ref];
    auto begun = claims.begin(ring, static_cast<std::uint32_t>(seen));
    if (!begun) return {.claims = ref};
    auto number = static_cast<std::uint8_t>(begun->attempt.ballot().number);
    return {number_of(claims), true, told_of(claims.at({})), number};
  });
}

Book::Step Book::prepare(Ref ref, int from, int x, int number) {
  return once(key_of({prepares, u(ref >> 8), ref, u(from), u(x), u(number)}), [&]() -> Step {
    Claims claims = claims_[ref];
    Ballot ballot{static_cast<std::uint32_t>(number), holder(from).node};
    Reply reply = claims.on_prepare(holder(from), ring, u(x), ballot).replies.at(0);
    if (reply.verdict != Verdict::granted) return {.claims = ref};
    return {number_of(claims), true, told_of(reply.claim)};
  });
}

Book::Step Book::accept(Ref ref, int from, int x, int number, int x_next, List list) {
  auto key = key_of({accepts, u(ref >> 8), ref, u(from), u(x), u(number), u(x_next), list});
  return once(key, [&]() -> Step {
    Claims claims = claims_[ref];
    Ballot ballot{static_cast<std::uint32_t>(number), holder(from).node};
    Proposal proposal{ring, u(x), ballot, u(x_next), holders(list)};
    bool granted =
        claims.on_accept(holder(from), proposal).replies.at(0).verdict == Verdict::granted;
    return {granted ? number_of(claims) : ref, granted};
  });
}

Book::Step Book::filled(Ref ref, int from, int x) {
  return once(key_of({fills, u(ref >> 8), ref, u(from), u(x)}), [&]() -> Step {
    Claims claims = claims_[ref];
    bool granted =
        claims.on_filled(holder(from), ring, u(x)).replies.at(0).verdict == Verdict::granted;
    return {granted ? number_of(claims) : ref, granted};
  });
}

Book::Ref Book::learn(Ref ref, int x, List list) {
  return once(key_of({learns, u(ref >> 8), ref, u(x), list}),
              [&]() -> Step {
                Claims claims = claims_[ref];
                (void)claims.learn(ring, u(x), holders(list));
                return {.claims = number_of(claims)};
              })
      .claims;
}

Book::Ref Book::restarted(Ref ref) {
  return once(key_of({restarts, u(ref >> 8), ref}),
              [&]() -> Step {
                std::vector<ClaimRow> rows;
                for (const ClaimRow& row : claims_[ref].rows()) {
                  auto read = decode_claim(encode_claim(row));
                  ENSURE(read.has_value());
                  rows.push_back(*read);
                }
                return {.claims = number_of(*Claims::restore(claims_[ref].self(), rows))};
              })
      .claims;
}

Book::Choice Book::may_propose(List list, int number, int by,
                               const std::array<Told, most_nodes>& told) {
  ByteWriter question;
  question.u8(list);
  question.u8(static_cast<std::uint8_t>(number));
  question.u8(static_cast<std::uint8_t>(by));
  for (Told one : told) question.u16(one);
  std::uint64_t key = xxh3_64(question.bytes()) | 1ULL << 63U;  // other keys are shorter
  auto at = answers_.find(key);
  if (at == answers_.end()) {
    Ballot ballot{static_cast<std::uint32_t>(number), holder(by).node};
    Attempt attempt({ring, {.x = 1, .holders = holders(list)}}, ballot, {});
    for (int i = 0; i < nodes_; ++i) {
      if (told[static_cast<std::size_t>(i)] == 0) continue;
      attempt.promised(holder(i),
                       {ring, Verdict::granted, told_[told[static_cast<std::size_t>(i)]]});
    }
    auto may = attempt.may_propose();
    std::uint16_t answer = 0xffff;
    if (!may.empty()) answer = list_of(may[0].holders);
    at = answers_.emplace(key, answer).first;
  }
  if (at->second == 0xffff) return {};
  return {true, static_cast<List>(at->second)};
}

bool Book::decided(List list, int number, int by, Mask accepted) {
  std::uint64_t key = key_of({decides << 4U, list, u(number), u(by), accepted});
  auto at = answers_.find(key);
  if (at == answers_.end()) {
    Ballot ballot{static_cast<std::uint32_t>(number), holder(by).node};
    Attempt attempt({ring, {.x = 1, .holders = holders(list)}}, ballot, {});
    for (int i = 0; i < nodes_; ++i) {
      if (has(accepted, i)) attempt.accepted(holder(i), {ring, Verdict::granted, {}});
    }
    at = answers_.emplace(key, attempt.decided().empty() ? 0 : 1).first;
  }
  return at->second == 1;
}

bool Book::safe(List list, Mask ok) {
  std::uint64_t key = key_of({is_safe << 4U, list, ok});
  auto at = answers_.find(key);
  if (at == answers_.end()) {
    PutTally tally(1, holders(list));
    for (int i = 0; i < nodes_; ++i) {
      if (has(ok, i)) tally.ok(holder(i));
    }
    at = answers_.emplace(key, tally.safe(1) ? 1 : 0).first;
  }
  return at->second == 1;
}

bool Book::complete(const std::array<Ref, most_nodes>& answers, Mask who) {
  std::vector<ReadAnswer> out;
  for (int i = 0; i < nodes_; ++i) {
    if (!has(who, i)) continue;
    out.push_back({holder(i).node, facts_[answers[static_cast<std::size_t>(i)]].settled, true});
  }
  return service::complete(out, 0);
}

Book::List Book::in_order(List wanted, List old) {
  std::uint64_t key = key_of({orders << 4U, wanted, old});
  auto at = answers_.find(key);
  if (at == answers_.end()) {
    at = answers_.emplace(key, list_of(Claims::in_order(holders(wanted), holders(old)))).first;
  }
  return static_cast<List>(at->second);
}

Claim Book::renamed(const Naming& naming, const Claim& claim) const {
  auto other = [&](const Id& id) { return holder(naming[static_cast<std::size_t>(node_of(id))]); };
  Claim out = claim;
  for (Holder& h : out.holders) h = other(h.node);
  for (Holder& h : out.value) h = other(h.node);
  sort_rest(out.holders);
  sort_rest(out.value);
  if (!out.promised.none()) out.promised.node = other(out.promised.node).node;
  if (!out.accepted.none()) out.accepted.node = other(out.accepted.node).node;
  return out;
}

Book::Ref Book::rename(std::size_t naming, Ref ref) {
  auto& known = renamed_[naming];
  if (known.size() <= ref) known.resize(ref + 1U, 0xffff);
  if (known[ref] != 0xffff) return known[ref];
  const Naming& names = namings_[naming];
  std::vector<ClaimRow> rows;
  for (const ClaimRow& row : claims_[ref].rows()) {
    rows.push_back({row.arc, renamed(names, row.claim)});
  }
  int self = names[static_cast<std::size_t>(node_of(claims_[ref].self().node))];
  Ref out = number_of(*Claims::restore(holder(self), rows));
  return renamed_[naming][ref] = out;
}

Book::Told Book::rename_told(std::size_t naming, Told told) {
  auto& known = renamed_told_[naming];
  if (told == 0) return 0;
  if (known.size() <= told) known.resize(told + 1U, 0);
  if (known[told] == 0) known[told] = told_of(renamed(namings_[naming], told_[told]));
  return known[told];
}

Book::List Book::rename_list(std::size_t naming, List wanted) {
  auto& known = renamed_lists_[naming];
  if (wanted == 0) return 0;
  if (known.size() <= wanted) known.resize(wanted + 1U, 0);
  if (known[wanted] == 0) {
    std::vector<int> nodes = lists_[wanted];
    for (int& node : nodes) node = namings_[naming][static_cast<std::size_t>(node)];
    sort_rest(nodes);
    known[wanted] = list(nodes);
  }
  return known[wanted];
}

std::string Book::text_of(List list) const {
  std::string out;
  for (int node : lists_[list]) out += static_cast<char>('a' + node);
  return out.empty() ? "-" : out;
}

std::string Book::text(Ref ref) const {
  const Facts& f = facts_[ref];
  return "x" + std::to_string(f.x) + " " + text_of(f.holders) + " " +
         std::string(name_of(f.state)) + (f.promised != 0 ? " b" + std::to_string(f.promised) : "");
}

}  // namespace beckon::service::explorer
