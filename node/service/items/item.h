// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "chord/id.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

using chord::Id;

/// What a replicated item is; each kind has its own ItemRules.
enum class ItemKind : std::uint8_t { author_item = 1, index_item = 2, mailbox_item = 3 };

/// Where an item lives: its place on the ring, its kind, and which of the items of that kind there
/// it is (an author, an owner, a message id). Sorted by place first, so a stretch of the ring is a
/// stretch of the table.
struct ItemKey {
  Id ring{};
  ItemKind kind{};
  Id sub{};

  static constexpr std::size_t size = 2 * Id::size + 1;
  static constexpr Form form = exact("itemkey");  // also the row key in Table::items
  static void fields(auto& f, auto& m) {
    f("ring", m.ring);
    f("kind", m.kind);  // any kind passes: this node may not know it
    f("sub", m.sub);
  }
  friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};

/// What the signed bytes of an item say, read by the rules of its kind.
struct ItemInfo {
  Id sub{};
  std::uint64_t seq{};  // 0 for items that never change
  WallTime issued{};
  WallTime expiry{};
  bool tombstone = false;
  Id author{};  // whose quota it counts against
};

/// Which peer brought an item to this node, and how. Not kept over a restart.
struct Source {
  bool copied = false;  // by a peer that holds it too; else by one that puts it
  Id peer{};
  friend auto operator<=>(const Source&, const Source&) = default;
};

/// One version of an item: the verbatim bytes its author signed, and what they say. Never encoded
/// again: what was received is what is stored and passed on.
struct Item {
  ItemKey key{};
  ItemInfo info{};
  Bytes bytes{};
  Digest digest{};  // SHA-256 of what its author signed of the bytes
  std::optional<Source> source{};

  bool live(WallTime now) const { return info.expiry > now; }
};

/// A version without its bytes: enough to say which of two is newer.
struct Version {
  std::uint64_t seq{};
  Digest digest{};
  /// The total order of versions: larger seq, on a tie larger digest. Merging copies takes the
  /// maximum, so any order of arrival ends at the same version.
  friend auto operator<=>(const Version&, const Version&) = default;
};
inline Version version(const Item& item) { return {item.info.seq, item.digest}; }

/// An item on its way between nodes: not yet judged.
struct RawItem {
  Id ring{};
  ItemKind kind{};
  Bytes bytes{};
  static constexpr Form form = exact("raw_item");
  static void fields(auto& f, auto& m) {
    f("ring", m.ring);
    f("kind", m.kind);
    f.bytes32("bytes", m.bytes);
  }
  friend bool operator==(const RawItem&, const RawItem&) = default;
};
inline RawItem raw_item(const Item& item) { return {item.key.ring, item.key.kind, item.bytes}; }

struct ItemLimits {
  std::size_t max_bytes{};          // of one item
  std::chrono::seconds max_life{};  // from issued to expiry
  std::size_t per_author_items{};   // on one storing node
  std::size_t per_author_bytes{};
};

/// What makes an item of one kind acceptable. Pure; the same answer at the author, every storing
/// node and every reader.
class ItemRules {
 public:
  virtual ~ItemRules() = default;
  virtual ItemKind kind() const = 0;
  virtual ItemLimits limits() const = 0;
  /// Strict layout and placement; everything but signature and clock. Status: malformed, wrong_key.
  virtual Result<ItemInfo> read(const Id& ring, ByteView bytes) const = 0;
  /// Whether whoever knows the key may read; otherwise the service of this kind hands items out.
  virtual bool open_to_all() const { return true; }
  /// Whether this node may put it on the ring, if its author signed who may. Else whoever comes by
  /// a copy could put it under keys its author never chose, and use up the author's quota there.
  virtual bool may_put(ByteView, const Id&) const { return true; }
  /// Whether anybody may write at one place: then each node only a few there.
  virtual bool shared_place() const { return false; }
  /// What of the bytes is signed: it alone tells versions apart, so that nobody makes a "newer" one
  /// by changing the rest.
  virtual ByteView signed_part(ByteView bytes) const { return bytes; }
  /// The signature over the verbatim bytes. Dear: asked last.
  virtual bool genuine(ByteView bytes) const = 0;
};

/// Rules by kind, and the acceptance tests common to all kinds (issued, life, seq, expiry).
class RuleBook {
 public:
  struct Options {
    std::chrono::milliseconds skew = std::chrono::minutes(5);
    std::chrono::milliseconds seq_ahead = std::chrono::hours(1);  // seq as wall milliseconds
  };
  RuleBook() = default;
  explicit RuleBook(Options options) : options_(options) {}

  void add(const ItemRules& rules);  // kept by reference
  const ItemRules* find(ItemKind kind) const;

  struct Judged {
    Status status{};
    Item item{};  // complete when ok
  };
  Judged judge(RawItem raw_item, WallTime now) const;  // all but the signature
  bool genuine(const Item& item) const;
  Judged judge_fully(RawItem raw_item, WallTime now) const;  // what a reader does

 private:
  Status judge_times(const ItemInfo& info, const ItemLimits& limits, WallTime now) const;

  Options options_{};
  std::map<ItemKind, const ItemRules*> rules_{};
};

/// The row of Table::items: u8 format | first 8 bytes of SHA-256 of the rest | verbatim bytes. The
/// check finds what a disk changed; who wrote the bytes was verified before they were stored.
Bytes encode_row(const Item& item);
Result<Item> decode_row(ByteView key, ByteView value, const RuleBook& rules);

}  // namespace beckon::service
