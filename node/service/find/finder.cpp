// SPDX-License-Identifier: MIT
#include "node/service/find/finder.h"

#include <algorithm>

#include "node/service/kernel/frames.h"

namespace beckon::service {

Finder::Finder(Context& context, const profile::Schema& schema, const profile::Salt& salt,
               GenuineRecords& genuine, Options options)
    : context_(context),
      schema_(schema),
      salt_(salt),
      genuine_(genuine),
      options_(options),
      counts_(options.max_counts) {}

Finder::Running* Finder::running(SearchId id) {
  auto found = searches_.find(id);
  return found == searches_.end() || found->second.paused ? nullptr : &found->second;
}

Result<Finder::SearchId> Finder::start(Search search, Listener listener) {
  forget_old();
  if (searches_.size() >= options_.max_searches) {
    return Error{ErrorCode::unavailable, "too many searches at once; try again in a moment"};
  }
  SearchId id = ++last_;
  Running& r = searches_.try_emplace(id, options_.probe_window).first->second;
  r.search = std::move(search);
  r.listener = std::move(listener);
  r.report.query = profile::canonical(schema_, r.search.query);
  context_.rng().fill(r.start.bytes);
  r.began = context_.now().mono;
  r.deadline = r.began + r.search.timeout;
  r.planning = r.search.query.branches.size();
  for (const profile::Branch& branch : r.search.query.branches) {
    r.blind.push_back(profile::blind(schema_, salt_, branch));
    r.accesses.push_back(profile::accesses(schema_, salt_, branch));
  }
  watch_deadlines();
  // Not inside this call: the caller is owed the id before the first hit.
  context_.after(Duration(0), [this, id] {
    Running* started = running(id);
    std::size_t branches = started == nullptr ? 0 : started->accesses.size();
    for (std::size_t branch = 0; branch < branches && running(id) != nullptr; ++branch)
      plan(id, branch);
  });
  return id;
}

Result<void> Finder::more(SearchId id, std::size_t limit, Duration timeout, Listener listener) {
  auto found = searches_.find(id);
  if (found == searches_.end() || !found->second.paused) {
    return Error{ErrorCode::not_found, "this search is over; ask again from the start"};
  }
  Running& r = found->second;
  r.search.limit = limit;
  r.search.timeout = timeout;
  r.listener = std::move(listener);
  r.found = 0;
  r.paused = false;
  r.report.limited = false;
  r.began = context_.now().mono;
  r.deadline = r.began + timeout;
  watch_deadlines();
  context_.after(Duration(0), [this, id] { pump(id); });
  return {};
}

const FindReport* Finder::progress(SearchId id) const {
  auto found = searches_.find(id);
  return found == searches_.end() ? nullptr : &found->second.report;
}

/// One timer for all searches: most end long before their time, and a timer each would stay behind.
void Finder::watch_deadlines() {
  auto busy = [](const auto& entry) { return !entry.second.paused; };
  if (watching_ || std::ranges::none_of(searches_, busy)) return;
  Time now = context_.now().mono;
  Time next = now + options_.timeout_grain;
  for (const auto& [id, r] : searches_) {
    if (!r.paused) next = std::min(next, std::max(now, r.deadline));
  }
  watching_ = true;
  context_.after(next - now, [this] {
    watching_ = false;
    look_at_deadlines();
    watch_deadlines();
  });
}

/// Hosts that take long must not hold up the rest: after a while they no longer count.
void Finder::look_at_deadlines() {
  Time now = context_.now().mono;
  std::vector<SearchId> late;
  std::vector<SearchId> impatient;
  for (auto& [id, r] : searches_) {
    if (r.paused) continue;
    if (r.deadline <= now) {
      late.push_back(id);
    } else if (r.patient_until <= now) {
      r.patient_until = Time::max();
      r.in_doubt = 0;
      ++r.wave;
      impatient.push_back(id);
    }
  }
  for (SearchId id : late) {
    if (running(id) != nullptr) finish(id, true);
  }
  for (SearchId id : impatient) pump(id);
}

void Finder::forget_old() {
  Time now = context_.now().mono;
  std::erase_if(searches_, [&](const auto& entry) {
    return entry.second.paused && now - entry.second.ended >= options_.keep;
  });
  if (searches_.size() >= options_.max_searches) {  // who asks now goes before who may ask for more
    auto oldest = searches_.end();
    for (auto it = searches_.begin(); it != searches_.end(); ++it) {
      bool older = oldest == searches_.end() || it->second.ended < oldest->second.ended;
      if (it->second.paused && older) oldest = it;
    }
    if (oldest != searches_.end()) searches_.erase(oldest);
  }
}

void Finder::finish(SearchId id, bool timed_out) {
  Running& r = searches_.at(id);
  bool rest = r.planning > 0 || !r.jobs.empty() || r.reads.size() > 0 || !r.unverified.empty() ||
              r.verifying > 0;
  bool enough = r.found >= r.search.limit;
  if ((timed_out || r.report.slow > 0) && !enough) r.report.complete = false;
  r.report.limited = enough && rest;
  r.report.elapsed = context_.now().mono - r.began;
  times_.observe(r.report.elapsed);
  auto done = r.listener.done;
  FindReport report = r.report;
  r.paused = true;
  r.ended = context_.now().mono;
  if (!report.limited) searches_.erase(id);
  done(report);
}

}  // namespace beckon::service
