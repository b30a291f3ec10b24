// SPDX-License-Identifier: MIT
#include "node/service/items/put_server.h"

#include <algorithm>

namespace beckon::service {

PutServer::PutServer(Context& context, ItemHolder& holder, const Neighbourhood& neighbourhood,
                     const ReplicaOptions& options)
    : context_(context),
      holder_(holder),
      neighbourhood_(neighbourhood),
      options_(options),
      puts_(context, "records", {options.put_rate, options.put_burst, options.rate_peers}),
      copies_(context, "copies of records",
              {options.copy_rate, options.copy_burst, options.rate_peers}) {}

/// Nobody honest passes on what does not verify, and finding it out is dear.
void PutServer::charge_forgeries(Gate& gate, const Id& peer, const std::vector<Status>& statuses) {
  auto forged = std::ranges::count(statuses, Status::bad_signature);
  if (forged > 0) gate.charge(peer, options_.forgery_cost * static_cast<double>(forged));
}

void PutServer::on_put(const Request& request) {
  auto put = decode<PutRequest>(request.body);
  if (!put) return context_.refuse(request, put.error());
  std::size_t count = put->entries.size();
  if (leaving_) return reply_all(request, count, Status::leaving);
  double amount = static_cast<double>(std::max<std::size_t>(count, 1));
  if (!puts_.admit(request.from.id, amount)) return reply_all(request, count, Status::rate);
  if (jobs_.size() >= options_.max_put_jobs) return reply_all(request, count, Status::rate);
  begin(request, std::move(*put));
}

void PutServer::reply_all(const Request& request, std::size_t count, Status status) {
  PutReply reply{.entries = std::vector<PutReply::Entry>(count, {.status = status})};
  context_.reply(request, raw(FrameType::put_rep), encode(reply));
}

void PutServer::begin(const Request& request, PutRequest put) {
  JobId id = ++last_id_;
  Job& job = jobs_[id];
  job.request = {request.from, request.type, request.number, {}};
  std::size_t first_targets = choose_targets(job, put);
  job.reply.entries.resize(put.entries.size());
  job.raw_items.resize(put.entries.size());

  std::vector<ItemHolder::Offer> offers;
  std::optional<Source> source = Source{.peer = request.from.id};
  if (request.from.id == context_.self().id) source.reset();
  for (const auto& entry : put.entries) {
    offers.push_back({entry.raw_item, entry.expected_seq, source});
  }
  job.waiting = 1;
  auto statuses = holder_.take(std::move(offers), ItemHolder::Intake::put,
                               [this, id](const auto& taken) { stored_here(id, taken); });
  charge_forgeries(puts_, request.from.id, statuses);
  // Copies travel while the disk here works; what is refused here travels nowhere.
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i] == Status::ok) job.raw_items[i] = std::move(put.entries[i].raw_item);
    job.reply.entries[i].status = statuses[i];
  }
  spread(id, job, first_targets);
  job.deadline = context_.timer(options_.put_deadline, [this, id] { answer(id); });
}

std::size_t PutServer::choose_targets(Job& job, const PutRequest& put) const {
  job.targets = context_.successors();
  job.reply.wanted = static_cast<std::uint8_t>(std::min(options_.replicas, 1 + job.targets.size()));
  auto own = neighbourhood_.own();
  for (std::size_t i = 0; own && i < put.entries.size(); ++i) {
    if (!own->contains(put.entries[i].raw_item.ring)) job.owner_lacks.insert(i);
  }
  auto owner = context_.predecessor();
  if (job.owner_lacks.empty() || !owner) return options_.replicas - 1;
  job.owner = owner->id;
  std::erase(job.targets, *owner);
  job.targets.insert(job.targets.begin(), *owner);
  return options_.replicas;
}

void PutServer::stored_here(JobId id, const std::vector<ItemHolder::Taken>& taken) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    PutReply::Entry& entry = job.reply.entries[i];
    entry.status = taken[i].status;
    entry.seq = taken[i].seq;
    if (entry.status == Status::ok) ++entry.copies;
  }
  --job.waiting;
  go_on(id, job);
}

/// Entries that want a copy more than they have. The copy here counts before it is confirmed: the
/// job waits for it in any case.
std::vector<std::size_t> PutServer::lacking(const Job& job) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < job.raw_items.size(); ++i) {
    bool wanted = !job.raw_items[i].bytes.empty() && job.reply.entries[i].status == Status::ok;
    if (wanted && job.reply.entries[i].copies < options_.replicas) out.push_back(i);
  }
  return out;
}

void PutServer::spread(JobId id, Job& job, std::size_t targets) {
  for (; targets > 0 && job.next_target < job.targets.size(); --targets) {
    send(id, job, job.targets[job.next_target++], lacking(job));
  }
}

void PutServer::send(JobId id, Job& job, const PeerRef& to, std::vector<std::size_t> entries) {
  for (std::size_t i = 0; i < entries.size();) {
    ReplicateRequest request;
    std::vector<std::size_t> sent;
    std::size_t bytes = 0;
    for (; i < entries.size() && sent.size() < max_parcels; ++i) {
      const RawItem& raw_item = job.raw_items[entries[i]];
      if (bytes > 0 && bytes + raw_item.bytes.size() > max_parcel_bytes) break;
      bytes += raw_item.bytes.size();
      request.raw_items.push_back(raw_item);
      sent.push_back(entries[i]);
    }
    ++job.waiting;
    context_.ask(to, raw(FrameType::replicate_req), encode(request), options_.request_timeout,
                 [this, id, peer = to.id, sent = std::move(sent)](const Result<Frame>& frame) {
                   got(id, peer, sent, frame);
                 });
  }
}

void PutServer::got(JobId id, const Id& peer, const std::vector<std::size_t>& entries,
                    const Result<Frame>& frame) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  --job.waiting;
  if (frame && frame->type == raw(FrameType::replicate_rep)) {
    auto reply = decode<ReplicateReply>(frame->body);
    bool fits = reply && reply->statuses.size() == entries.size();
    for (std::size_t i = 0; fits && i < entries.size(); ++i) {
      if (reply->statuses[i] != Status::ok) continue;
      ++job.reply.entries[entries[i]].copies;
      if (peer == job.owner) job.owner_lacks.erase(entries[i]);
    }
  }
  go_on(id, job);
}

void PutServer::go_on(JobId id, Job& job) {
  if (job.waiting > 0) return;
  if (lacking(job).empty() || job.next_target >= job.targets.size()) return answer(id);
  spread(id, job, 1);
}

void PutServer::answer(JobId id) {
  auto node = jobs_.extract(id);
  if (node.empty()) return;
  Job& job = node.mapped();
  for (std::size_t i : job.owner_lacks) {
    auto& copies = job.reply.entries[i].copies;
    copies = std::min(copies, static_cast<std::uint8_t>(job.reply.wanted - 1));
  }
  for (auto& entry : job.reply.entries) {
    // Past the deadline and still without the word of our own disk: not stored, as far as we know.
    if (entry.status == Status::ok && entry.seq == 0 && entry.copies == 0) {
      entry.status = Status::unavailable;
    }
  }
  context_.reply(job.request, raw(FrameType::put_rep), encode(job.reply));
}

void PutServer::on_replicate(const Request& request) {
  auto asked = decode<ReplicateRequest>(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  std::size_t count = asked->raw_items.size();
  // From afar come strays only, which are few; what looks like one is judged as if it were put.
  bool near = holder_.near(request.from.id);
  Gate& gate = near ? copies_ : puts_;
  if (!gate.admit(request.from.id, static_cast<double>(std::max<std::size_t>(count, 1)))) {
    ReplicateReply reply{.statuses = std::vector<Status>(count, Status::rate)};
    return context_.reply(request, raw(FrameType::replicate_rep), encode(reply));
  }
  Source source{.copied = near, .peer = request.from.id};
  std::vector<ItemHolder::Offer> offers;
  for (RawItem& raw_item : asked->raw_items) {
    offers.push_back({.raw_item = std::move(raw_item), .source = source});
  }
  Request kept{request.from, request.type, request.number, {}};
  auto statuses =
      holder_.take(std::move(offers), ItemHolder::Intake::copy, [this, kept](const auto& taken) {
        ReplicateReply reply;
        for (const auto& t : taken) reply.statuses.push_back(t.status);
        context_.reply(kept, raw(FrameType::replicate_rep), encode(reply));
      });
  charge_forgeries(gate, request.from.id, statuses);
}

}  // namespace beckon::service
