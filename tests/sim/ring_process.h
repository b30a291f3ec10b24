// SPDX-License-Identifier: MIT
#pragma once

#include "tests/world/process.h"

namespace beckon::sim {

/// Processes that are a ring peer and nothing else; their disk remembers peers.
class RingFactory final : public Factory {
 public:
  std::unique_ptr<Disk> empty_disk() override;
  std::unique_ptr<Process> make(const Birth& birth, Disk& disk) override;
};

}  // namespace beckon::sim
