// SPDX-License-Identifier: MIT
#include "node/service/find/index.h"

#include "node/service/find/index_item.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

namespace {

constexpr double work_per_request = 20'000;  // positions; they take about as long as a request

}  // namespace

Index::Index(Context& context, const Replicas& replicas, const profile::Schema& schema,
             Options options)
    : context_(context),
      replicas_(replicas),
      schema_(schema),
      options_(options),
      gate_(context, "questions to the index", options.rate) {}

void Index::item_changed(const Item* before, const Item* after) {
  const ItemKey& key = (after != nullptr ? after : before)->key;
  IndexRows& rows = keys_[key.ring];
  rows_ -= rows.size();
  if (after == nullptr || after->info.tombstone) {
    rows.erase(key.sub);
  } else if (auto entry = decode_index_item(after->bytes)) {
    profile::Record& record = entry->record;
    rows.put({.owner = key.sub,
              .marks = entry->marks,
              .layout = schema_.class_named(record.layout),
              .presence = record.presence,
              .open = record.open,
              .filter = std::move(record.filter)});
  }
  rows_ += rows.size();
  if (rows.size() == 0) keys_.erase(key.ring);
}

void Index::on_query(const Request& request) {
  auto asked = decode<QueryRequest>(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!gate_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  // A lookup made while the ring changed may have led here; an empty answer would look complete.
  if (!replicas_.neighbourhood().among_first(replicas_.options().replicas, asked->key)) {
    return context_.refuse(request, to_error(Status::not_responsible));
  }
  QueryReply reply;
  bool changed = changed_ && context_.now().mono - *changed_ < options_.settling;
  reply.settling = changed || !replicas_.settled(asked->key);
  if (auto rows = keys_.find(asked->key); rows != keys_.end()) {
    profile::Matcher matcher(schema_, asked->predicates);
    auto found =
        rows->second.scan(matcher, asked->wanted, asked->start, asked->after, asked->credit);
    gate_.charge(request.from.id, static_cast<double>(matcher.work()) / work_per_request);
    reply.listed = static_cast<std::uint32_t>(rows->second.size());
    reply.scanned = found.scanned;
    reply.more = found.more;
    for (const Id& owner : found.owners) {
      const Item* item = replicas_.table().find({asked->key, ItemKind::index_item, owner});
      ENSURE(item != nullptr);
      ByteView record = record_of(item->bytes);
      reply.records.emplace_back(record.begin(), record.end());
    }
  }
  context_.reply(request, raw(FrameType::query_rep), encode(reply));
}

void Index::on_count(const Request& request) {
  auto asked = decode<CountRequest>(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!gate_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  CountReply reply;
  for (const Id& key : asked->keys) {
    auto rows = keys_.find(key);
    reply.listed.push_back(rows == keys_.end() ? 0
                                               : static_cast<std::uint32_t>(rows->second.size()));
  }
  context_.reply(request, raw(FrameType::count_rep), encode(reply));
}

}  // namespace beckon::service
