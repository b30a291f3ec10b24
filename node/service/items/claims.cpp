// SPDX-License-Identifier: MIT
#include "node/service/items/claims.h"

#include <algorithm>

namespace beckon::service {

namespace {

constexpr Arc whole_ring{};

using Pieces = std::vector<ArcMap<Claim>::Piece>;

const ArcMap<Claim>::Piece* with_end(const Pieces& rows, const Id& end) {
  for (const auto& row : rows) {
    if (row.arc.upto == end && row.value.x > 0) return &row;
  }
  return nullptr;
}

ClaimWrites difference(const Pieces& before, const Pieces& after) {
  ClaimWrites out;
  for (const auto& row : after) {
    auto old = with_end(before, row.arc.upto);
    if (row.value.x > 0 && !(old && *old == row)) out.put.push_back({row.arc, row.value});
  }
  for (const auto& row : before) {
    if (row.value.x > 0 && !with_end(after, row.arc.upto)) out.erase.push_back(row.arc.upto);
  }
  return out;
}

Reply promise(const Arc& arc, const Claim& c) {
  Claim told{.accepted = c.accepted, .x_accepted = c.x_accepted, .value = c.value};
  return {arc, Verdict::granted, std::move(told)};
}

Reply refusal(const Arc& arc, const Claim& c) {
  return {arc, Verdict::refused, {.promised = c.promised}};
}

/// Ballot 1 needs no PREPARE, so nobody but the lead may use it.
bool may_use(const Holder& from, const Ballot& ballot, const Claim& c) {
  return ballot.node == from.node && !ballot.none() &&
         (ballot.number > 1 || c.holders.front() == from);
}

/// Sets with equal numbers exist only after a disk was forgotten that was alive. One of them wins.
bool later(std::uint64_t x, const Holders& holders, const Claim& than) {
  if (x != than.x) return x > than.x;
  return holders != than.holders && hash_of(holders) > hash_of(than.holders);
}

}  // namespace

std::string_view name_of(ClaimState state) {
  constexpr std::string_view names[] = {"unknown", "receiving", "settled", "changing", "former"};
  return names[static_cast<std::size_t>(state)];
}

Result<Claims> Claims::restore(const Holder& self, const std::vector<ClaimRow>& rows) {
  Claims out(self);
  for (const ClaimRow& row : rows) {
    for (const ClaimRow& there : out.pieces(row.arc)) {
      if (there.claim.x > 0) return invalid("two claims speak of the same keys");
    }
    out.rows_.change(row.arc, [&](const Arc&, Claim& claim) { claim = row.claim; });
  }
  return out;
}

ClaimState Claims::state_of(const Claim& c) const {
  if (c.x == 0) return ClaimState::unknown;
  if (contains(forgotten_, self_)) return ClaimState::former;
  if (contains(c.holders, self_)) {
    return c.promised.none() ? ClaimState::settled : ClaimState::changing;
  }
  return c.filled >= c.x ? ClaimState::receiving : ClaimState::former;
}

Settled Claims::settled(const Id& key) const {
  const Claim& c = at(key);
  if (state_of(c) != ClaimState::settled) return {};
  return {.x = c.x,
          .n = static_cast<std::uint8_t>(c.holders.size()),
          .hash = hash_of(c.holders),
          .votes = static_cast<std::uint8_t>(votes_of(c.holders, self_))};
}

std::vector<ClaimRow> Claims::rows() const {
  std::vector<ClaimRow> out;
  for (auto& row : rows_.rows()) {
    if (row.value.x > 0) out.push_back({row.arc, std::move(row.value)});
  }
  return out;
}

std::vector<ClaimRow> Claims::pieces(const Arc& arc) const {
  std::vector<ClaimRow> out;
  for (auto& piece : rows_.pieces(arc)) out.push_back({piece.arc, std::move(piece.value)});
  return out;
}

std::optional<PutTally> Claims::begin_put(const Id& key) const {
  if (state(key) != ClaimState::settled) return std::nullopt;
  return PutTally(at(key).x, at(key).holders);
}

CopyVerdict Claims::copied(const Id& key, std::uint64_t x) const {
  const Claim& c = at(key);
  if (c.x > x) return CopyVerdict::behind;
  return c.x == x && state_of(c) == ClaimState::settled ? CopyVerdict::ok : CopyVerdict::kept;
}

Result<ClaimWrites> Claims::found() {
  if (rows_ != Rows{}) return Error{ErrorCode::conflict, "claims are known here already"};
  return learn(whole_ring, 1, {self_});
}

std::optional<Claims::Begun> Claims::begin(const Arc& arc, std::uint32_t seen) {
  auto parts = pieces(arc);
  ClaimState state = state_of(parts.front().claim);
  if (state != ClaimState::settled && state != ClaimState::changing) return std::nullopt;
  for (const ClaimRow& part : parts) {
    if (part.claim != parts.front().claim) return std::nullopt;
  }
  Claim claim = parts.front().claim;
  bool first = claim.holders.front() == self_ && !claim.led && claim.promised.none();
  std::uint32_t number = std::max({1U, claim.promised.number, seen}) + 1;
  claim.promised = {.number = first ? 1 : number, .node = self_.node};
  claim.led = claim.led || first;

  Begun out{Attempt({arc, claim}, claim.promised, forgotten_)};
  out.attempt.promised(self_, promise(arc, claim));
  auto before = rows_.rows();
  rows_.change(arc, [&](const Arc&, Claim& c) { c = claim; });
  out.writes = difference(before, rows_.rows());
  return out;
}

bool Claims::under_way(const Attempt& attempt) const {
  auto parts = rows_.pieces(attempt.arc());
  return std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
    return part.value.x == attempt.x() && part.value.promised == attempt.ballot();
  });
}

std::uint64_t Claims::next_x(const Arc& arc) const {
  std::uint64_t highest = 0;
  for (const auto& piece : rows_.pieces(arc)) highest = std::max(highest, piece.value.x);
  // Neighbours of equal content become one row, so take a number that a neighbour can have too.
  for (const Claim* beside : {&at(arc.after), &at(arc.upto.plus_power(0))}) {
    if (beside->x > 0 && beside->holders.front() == self_) highest = std::max(highest, beside->x);
  }
  return highest + 1;
}

Holders Claims::in_order(Holders wanted, const Holders& holders) {
  if (wanted.size() == 2 && !contains(holders, wanted[0]) && contains(holders, wanted[1])) {
    std::swap(wanted[0], wanted[1]);
  }
  return wanted;
}

/// The part that all requests have in common: only a holder of the latest set known here may ask.
template <typename Grant>
Claims::Answer Claims::ask(const Holder& from, const Arc& arc, std::uint64_t x, Grant&& grant) {
  Answer out;
  auto before = rows_.rows();
  rows_.change(arc, [&](const Arc& piece, Claim& c) {
    if (c.x > x) {
      out.replies.push_back({piece, Verdict::behind, {.x = c.x, .holders = c.holders}});
    } else if (c.x < x) {
      out.replies.push_back({piece, Verdict::ahead, {}});
    } else if (x == 0 || !contains(c.holders, from)) {
      out.replies.push_back(refusal(piece, c));
    } else {
      out.replies.push_back(grant(piece, c));
    }
  });
  out.writes = difference(before, rows_.rows());
  return out;
}

Claims::Answer Claims::on_prepare(const Holder& from, const Arc& arc, std::uint64_t x,
                                  const Ballot& ballot) {
  return ask(from, arc, x, [&](const Arc& piece, Claim& c) {
    bool may = contains(c.holders, self_) && may_use(from, ballot, c) && ballot.number > 1;
    if (!may || c.promised >= ballot) return refusal(piece, c);
    c.promised = ballot;
    return promise(piece, c);
  });
}

Claims::Answer Claims::on_accept(const Holder& from, const Proposal& p) {
  bool possible = p.x_next > p.x && well_formed(p.holders);
  return ask(from, p.arc, p.x, [&](const Arc& piece, Claim& c) {
    bool may = possible && contains(c.holders, self_) && may_use(from, p.ballot, c);
    if (!may || c.promised > p.ballot) return refusal(piece, c);
    c.promised = c.accepted = p.ballot;
    c.x_accepted = p.x_next;
    c.value = p.holders;
    return Reply{piece, Verdict::granted, {}};
  });
}

Claims::Answer Claims::on_filled(const Holder& from, const Arc& arc, std::uint64_t x) {
  return ask(from, arc, x, [&](const Arc& piece, Claim& c) {
    c.filled = x;
    return Reply{piece, Verdict::granted, {}};
  });
}

ClaimWrites Claims::learn(const Arc& arc, std::uint64_t x, const Holders& holders) {
  if (x == 0 || !well_formed(holders)) return {};
  auto before = rows_.rows();
  rows_.change(arc, [&](const Arc&, Claim& c) {
    if (later(x, holders, c)) c = {.x = x, .holders = holders, .filled = c.filled};
  });
  return difference(before, rows_.rows());
}

void Claims::forget(const Holder& holder) {
  if (contains(forgotten_, holder)) return;
  forgotten_.insert(std::upper_bound(forgotten_.begin(), forgotten_.end(), holder), holder);
}

}  // namespace beckon::service
