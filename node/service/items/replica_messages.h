#pragma once

#include <optional>
#include <vector>

#include "node/service/items/item.h"
#include "node/service/items/item_span.h"
#include "node/service/items/item_stamp.h"

namespace beckon::service {

/// Bodies of the frames about records on the ring; byte layouts in docs/protocol.md. Decoders are
/// strict: decode(x) = v means encode(v) = x. Counts are bounded here, bytes by the frame limit.
inline constexpr std::size_t max_parcels = 512;
inline constexpr std::size_t max_parcel_bytes = 128 * 1024;  // soft: what senders put in one frame
inline constexpr std::size_t max_digests = 512;
inline constexpr std::size_t max_sync_entries = 1024;
inline constexpr std::size_t max_chain = 16;

struct PutRequest {
  struct Entry {
    RawItem raw_item{};
    std::optional<std::uint64_t> expected_seq{};  // compare-and-swap; 0 expects nothing there
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries{};
};

struct PutReply {
  struct Entry {
    Status status{};
    std::uint8_t copies{};  // durable ones, this node's included
    std::uint64_t seq{};    // of the version held now
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint8_t wanted{};  // copies that make it safe: r, or all nodes when they are fewer
  std::vector<Entry> entries{};
};

struct GetRequest {
  Id ring{};
  ItemKind kind{};
  std::uint64_t newer_than{};  // versions with a smaller or equal seq are left out, unless 0
  std::optional<Id> after{};   // continue behind this sub id
};

struct GetReply {
  bool more = false;  // ask again behind the last one
  std::vector<Bytes> items{};
};

struct ReplicateRequest {
  std::vector<RawItem> raw_items{};
};
struct ReplicateReply {
  std::vector<Status> statuses{};  // ok: this version or a newer one is durable there
};

struct DigestRequest {
  struct Part {
    Span span{};
    ItemSum sum{};  // of all I hold there
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts{};  // in order, none overlaps another
};
struct DigestReply {
  std::vector<std::uint16_t> differing{};  // places in the request's list, rising
};

struct ListRequest {
  Span span{};
  bool offer = false;                // also say what you have that I lack
  std::vector<ItemStamp> entries{};  // sorted, within the span: all I hold there
};
struct ListReply {
  std::vector<std::uint16_t> wanted{};  // places in the request's list, rising
  std::vector<ItemStamp> offered{};     // newer here, or unknown to the asker
  ItemKey covered{};                    // offers are complete up to here, inclusive
};

struct WantRequest {
  std::vector<ItemKey> keys{};
};
struct WantReply {
  std::vector<RawItem>
      raw_items{};       // in the order asked, as many as fit; those not held are left out
  std::uint16_t done{};  // keys dealt with; ask again for the rest
};

struct ChainRequest {
  std::vector<Id> predecessors{};  // of the sender, nearest first
};

Bytes encode(const PutRequest& m);
Bytes encode(const PutReply& m);
Bytes encode(const GetRequest& m);
Bytes encode(const GetReply& m);
Bytes encode(const ReplicateRequest& m);
Bytes encode(const ReplicateReply& m);
Bytes encode(const DigestRequest& m);
Bytes encode(const DigestReply& m);
Bytes encode(const ListRequest& m);
Bytes encode(const ListReply& m);
Bytes encode(const WantRequest& m);
Bytes encode(const WantReply& m);
Bytes encode(const ChainRequest& m);

Result<PutRequest> decode_put_request(ByteView body);
Result<PutReply> decode_put_reply(ByteView body);
Result<GetRequest> decode_get_request(ByteView body);
Result<GetReply> decode_get_reply(ByteView body);
Result<ReplicateRequest> decode_replicate_request(ByteView body);
Result<ReplicateReply> decode_replicate_reply(ByteView body);
Result<DigestRequest> decode_digest_request(ByteView body);
Result<DigestReply> decode_digest_reply(ByteView body);
Result<ListRequest> decode_list_request(ByteView body);
Result<ListReply> decode_list_reply(ByteView body);
Result<WantRequest> decode_want_request(ByteView body);
Result<WantReply> decode_want_reply(ByteView body);
Result<ChainRequest> decode_chain_request(ByteView body);

}  // namespace beckon::service
