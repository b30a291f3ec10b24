// SPDX-License-Identifier: MIT
#include "cli/args/program.h"
#include "cli/commands/daemon.h"
#include "cli/commands/filter.h"
#include "cli/commands/mail.h"
#include "cli/commands/people.h"
#include "config/version.h"

int main(int argc, char** argv) {
  using namespace beckon::cli;
  return run_program(
      {.name = "beckon",
       .about = "Beckon reaches people by what you know of them. No server, no numbers.",
       .version = beckon::config::version_text(),
       .commands = {add_up, add_down, add_status, add_send, add_inbox, add_contact, add_call,
                    add_profile, add_me, add_find, add_net, add_filter, add_config, add_overlay,
                    add_doctor, add_completion}},
      argc, argv);
}
