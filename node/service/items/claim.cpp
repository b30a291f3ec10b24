// SPDX-License-Identifier: MIT
#include "node/service/items/claim.h"

#include <algorithm>

#include "base/hash.h"

namespace beckon::service {

namespace {

constexpr std::uint8_t row_format = 1;
constexpr std::size_t check_size = 8;

void write(ByteWriter& out, const Ballot& ballot) {
  out.u32(ballot.number);
  out.raw(ballot.node.bytes);
}

void write(ByteWriter& out, const Holders& holders) {
  out.u8(static_cast<std::uint8_t>(holders.size()));
  for (const Holder& holder : holders) {
    out.raw(holder.node.bytes);
    out.u64(holder.disk);
  }
}

Id read_id(ByteReader& in) { return {.bytes = in.array<Id::size>()}; }

Ballot read_ballot(ByteReader& in) {
  Ballot ballot{.number = in.u32()};
  ballot.node = read_id(in);
  return ballot;
}

Holders read_holders(ByteReader& in) {
  Holders out;
  std::size_t count = in.u8();
  if (count > most_holders) in.fail();
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    Holder holder{.node = read_id(in)};
    holder.disk = in.u64();
    out.push_back(holder);
  }
  return out;
}

bool possible(const Ballot& ballot) { return !ballot.none() || ballot.node == Id{}; }

bool possible(const Claim& c) {
  if (c.x == 0 || !well_formed(c.holders) || c.filled > c.x) return false;
  if (!possible(c.promised) || !possible(c.accepted) || c.accepted > c.promised) return false;
  if (c.led && c.promised.none()) return false;
  return c.accepted.none() ? c.x_accepted == 0 && c.value.empty()
                           : c.x_accepted > c.x && well_formed(c.value);
}

}  // namespace

bool contains(const Holders& holders, const Holder& holder) {
  return std::find(holders.begin(), holders.end(), holder) != holders.end();
}

bool well_formed(const Holders& holders) {
  Holders sorted = holders;
  std::sort(sorted.begin(), sorted.end());
  return !holders.empty() && holders.size() <= most_holders &&
         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

std::uint64_t hash_of(const Holders& holders) {
  ByteWriter out;
  write(out, holders);
  return ByteReader(sha256({as_bytes("beckon/holders/v1"), out.bytes()})).u64();
}

Bytes encode_claim(const ClaimRow& row) {
  ByteWriter body;
  body.raw(row.arc.after.bytes);
  body.raw(row.arc.upto.bytes);
  body.u64(row.claim.x);
  write(body, row.claim.holders);
  write(body, row.claim.promised);
  write(body, row.claim.accepted);
  body.u64(row.claim.x_accepted);
  write(body, row.claim.value);
  body.u64(row.claim.filled);
  body.u8(row.claim.led ? 1 : 0);

  ByteWriter out;
  out.u8(row_format);
  out.raw(ByteView(sha256(body.bytes())).first(check_size));
  out.raw(body.bytes());
  return out.take();
}

Result<ClaimRow> decode_claim(ByteView bytes) {
  ByteReader in(bytes);
  std::uint8_t format = in.u8();
  ByteView check = in.raw(check_size);
  if (!in.ok() || format != row_format) return invalid("a claim of an unknown format");
  Digest whole = sha256(in.rest());
  if (!std::equal(check.begin(), check.end(), whole.begin())) {
    return invalid("a claim was changed on disk");
  }
  ClaimRow row;
  row.arc.after = read_id(in);
  row.arc.upto = read_id(in);
  row.claim.x = in.u64();
  row.claim.holders = read_holders(in);
  row.claim.promised = read_ballot(in);
  row.claim.accepted = read_ballot(in);
  row.claim.x_accepted = in.u64();
  row.claim.value = read_holders(in);
  row.claim.filled = in.u64();
  std::uint8_t led = in.u8();
  row.claim.led = led != 0;
  if (auto fits = in.finish("claim"); !fits) return fits.error();
  if (led > 1 || !possible(row.claim)) return invalid("a claim that contradicts itself");
  return row;
}

}  // namespace beckon::service
