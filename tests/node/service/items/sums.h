// SPDX-License-Identifier: MIT
#pragma once

#include "base/rng.h"
#include "node/service/items/item_table.h"

namespace beckon::test {

/// Arcs of every sort, by turns: any, the whole ring, one id, a short one, nearly all; half of them
/// pass zero.
inline chord::Arc some_arc(Rng& rng, int turn) {
  chord::Arc arc;
  rng.fill(arc.after.bytes);
  rng.fill(arc.upto.bytes);
  switch (turn % 5) {
    case 0:
      arc.upto = arc.after;
      break;
    case 1:
      arc.upto.bytes = {static_cast<std::uint8_t>(rng.below(64) * 4)};
      arc.after = arc.upto - chord::Id{}.plus_power(0);
      break;
    case 2:
      arc.upto = arc.after.plus_power(120 + turn % 40);
      break;
    case 3:
      arc.upto = arc.after - chord::Id{}.plus_power(turn % 160);
      break;
    default:
      break;
  }
  return arc;
}

inline service::ItemSum sum_of(service::ItemTable& table, const chord::Arc& arc, WallTime now) {
  service::ItemSum out;
  const service::ItemSums& sums = table.sums(now);
  for (const service::Span& span : service::spans_of(arc)) out += sums.over(span).sum;
  return out;
}

/// The naive twin: looks at every item.
inline service::ItemSum sum_afresh(const service::ItemTable& table, const chord::Arc& arc,
                                   WallTime now) {
  service::ItemSum out;
  table.each(arc, [&](const service::Item& item) {
    if (item.live(now)) out += number_of(item_stamp(item));
    return true;
  });
  return out;
}

}  // namespace beckon::test
