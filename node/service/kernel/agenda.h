// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "node/service/kernel/context.h"

namespace beckon::service {

/// Things to be done at later moments, with one timer for the first of them, however many there
/// are. What is due comes out in the order of its moments, all of it at once.
template <typename Thing>
class Agenda {
 public:
  using Due = std::function<void(std::vector<Thing>)>;
  Agenda(Context& context, Due due) : context_(context), due_(std::move(due)) {}

  void add(Duration delay, Thing thing) {
    auto place = things_.emplace(context_.now().mono + delay, std::move(thing));
    if (place == things_.begin()) wait();
  }
  std::size_t size() const { return things_.size(); }

 private:
  void wait() {
    if (things_.empty()) return;
    Duration left = things_.begin()->first - context_.now().mono;
    timer_ = context_.timer(left, [this] {
      std::vector<Thing> due;
      while (!things_.empty() && things_.begin()->first <= context_.now().mono)
        due.push_back(std::move(things_.extract(things_.begin()).mapped()));
      wait();
      due_(std::move(due));
    });
  }

  Context& context_;
  Due due_;
  std::multimap<Time, Thing> things_{};
  Timer timer_{};
};

}  // namespace beckon::service
