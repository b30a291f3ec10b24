// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "node/service/items/item.h"
#include "node/service/items/item_span.h"
#include "node/service/items/item_stamp.h"

namespace beckon::service {

/// Bodies of the frames about records on the ring. Counts are bounded here, bytes by the frame
/// limit.
inline constexpr std::size_t max_parcels = 512;
inline constexpr std::size_t max_parcel_bytes = 128 * 1024;  // soft: what senders put in one frame
inline constexpr std::size_t max_digests = 512;
inline constexpr std::size_t max_sync_entries = 1024;
inline constexpr std::size_t max_chain = 16;

struct PutRequest {
  struct Entry {
    RawItem raw_item{};
    std::optional<std::uint64_t> expected_seq{};  // compare-and-swap; 0 expects nothing there
    static void fields(auto& f, auto& m) {
      f("expected seq", m.expected_seq);
      f("raw_item", m.raw_item);
    }
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries{};
  static constexpr Form form = may_grow("put request", FrameType::put_req);
  static void fields(auto& f, auto& m) { f.list16("entries", m.entries, upto(max_parcels)); }
};

struct PutReply {
  struct Entry {
    Status status{};
    std::uint8_t copies{};  // durable ones, this node's included
    std::uint64_t seq{};    // of the version held now
    static void fields(auto& f, auto& m) {
      f("status", m.status, any_status);
      f("copies", m.copies);
      f("seq", m.seq);
    }
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint8_t wanted{};  // copies that make it safe: r, or all nodes when they are fewer
  std::vector<Entry> entries{};
  static constexpr Form form = may_grow("put reply", FrameType::put_rep);
  static void fields(auto& f, auto& m) {
    f("copies wanted", m.wanted);
    f.list16("entries", m.entries, upto(max_parcels));
  }
};

struct GetRequest {
  Id ring{};
  ItemKind kind{};
  std::uint64_t newer_than{};  // versions with a smaller or equal seq are left out, unless 0
  std::optional<Id> after{};   // continue behind this sub id
  static constexpr Form form = may_grow("get request", FrameType::get_req);
  static void fields(auto& f, auto& m) {
    f("ring", m.ring);
    f("kind", m.kind);
    f("newer than", m.newer_than);
    f("after", m.after);
  }
};

struct GetReply {
  bool more = false;  // ask again behind the last one
  std::vector<Bytes> items{};
  static constexpr Form form = may_grow("get reply", FrameType::get_rep);
  static void fields(auto& f, auto& m) {
    f("more", m.more);
    f.list16("items", m.items, upto(max_parcels),
             [](auto& g, auto& item) { g.bytes32("item", item); });
  }
};

struct ReplicateRequest {
  std::vector<RawItem> raw_items{};
  static constexpr Form form = may_grow("replicate request", FrameType::replicate_req);
  static void fields(auto& f, auto& m) { f.list16("raw_items", m.raw_items, upto(max_parcels)); }
};
struct ReplicateReply {
  std::vector<Status> statuses{};  // ok: this version or a newer one is durable there
  static constexpr Form form = may_grow("replicate reply", FrameType::replicate_rep);
  static void fields(auto& f, auto& m) {
    f.list16("statuses", m.statuses, upto(max_parcels),
             [](auto& g, auto& status) { g("status", status, any_status); });
  }
};

struct DigestRequest {
  struct Part {
    Span span{};
    ItemSum sum{};  // of all I hold there
    static void fields(auto& f, auto& m) {
      f("span", m.span);
      f("sum", m.sum);
    }
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts{};
  static constexpr Form form = may_grow("digest request", FrameType::sync_digest_req);
  static void fields(auto& f, auto& m) {
    f.list16("parts", m.parts, upto(max_digests));
    // Overlaps would let a short request cause much work.
    f.rule("spans rise, none overlaps another", [&] {
      return rising(m.parts,
                    [](const Part& a, const Part& b) { return a.span.last < b.span.first; });
    });
  }
};
struct DigestReply {
  std::vector<std::uint16_t> differing{};  // places in the request's list
  static constexpr Form form = may_grow("digest reply", FrameType::sync_digest_rep);
  static void fields(auto& f, auto& m) {
    f.list16("differing", m.differing, upto(max_digests));
    f.rule("rising", [&] { return rising(m.differing); });
  }
};

struct ListRequest {
  Span span{};
  bool offer = false;                // also say what you have that I lack
  std::vector<ItemStamp> entries{};  // all I hold in the span
  static constexpr Form form = may_grow("list request", FrameType::sync_list_req);
  static void fields(auto& f, auto& m) {
    f("span", m.span);
    f("offer", m.offer);
    f.list16("entries", m.entries, upto(max_sync_entries));
    f.rule("entries rise within the span", [&] {
      return rising(m.entries, by_key) &&
             (m.entries.empty() ||
              (m.span.contains(m.entries.front().key) && m.span.contains(m.entries.back().key)));
    });
  }
};
struct ListReply {
  std::vector<std::uint16_t> wanted{};  // places in the request's list
  std::vector<ItemStamp> offered{};     // newer here, or unknown to the asker
  ItemKey covered{};                    // offers are complete up to here, inclusive
  static constexpr Form form = may_grow("list reply", FrameType::sync_list_rep);
  static void fields(auto& f, auto& m) {
    f.list16("wanted", m.wanted, upto(max_sync_entries));
    f.list16("offered", m.offered, upto(max_sync_entries));
    f("upto", m.covered);
    f.rule("both lists rise", [&] { return rising(m.wanted) && rising(m.offered, by_key); });
  }
};

struct WantRequest {
  std::vector<ItemKey> keys{};
  static constexpr Form form = may_grow("want request", FrameType::sync_want_req);
  static void fields(auto& f, auto& m) { f.list16("keys", m.keys, upto(max_sync_entries)); }
};
struct WantReply {
  std::vector<RawItem>
      raw_items{};       // in the order asked, as many as fit; those not held are left out
  std::uint16_t done{};  // keys dealt with; ask again for the rest
  static constexpr Form form = may_grow("want reply", FrameType::sync_want_rep);
  static void fields(auto& f, auto& m) {
    f("keys done", m.done);
    f.list16("raw_items", m.raw_items, upto(max_parcels));
  }
};

struct ChainRequest {
  std::vector<Id> predecessors{};  // of the sender, nearest first
  static constexpr Form form = may_grow("chain request", FrameType::chain_req);
  static void fields(auto& f, auto& m) { f.list8("predecessors", m.predecessors, upto(max_chain)); }
};

}  // namespace beckon::service
