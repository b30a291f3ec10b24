// SPDX-License-Identifier: MIT
#include "node/home.h"

#include <fmt/core.h>

#include "base/text.h"
#include "node/io/enrol.h"
#include "node/io/sqlite_store.h"
#include "node/service/people/user.h"

namespace beckon {

namespace {

namespace fs = std::filesystem;
using service::Admission;
using service::Overlay;

constexpr Duration long_ask = std::chrono::seconds(10);
constexpr Duration short_ask = std::chrono::seconds(3);

Result<std::optional<Bytes>> read_if_there(const fs::path& file, std::size_t limit) {
  std::error_code problem;
  if (!fs::exists(file, problem)) return std::optional<Bytes>{};
  auto bytes = io::read_file(file, limit);
  if (!bytes) return bytes.error();
  return std::optional(std::move(*bytes));
}

Result<Overlay> load_overlay(const config::Paths& paths) {
  auto bytes = read_if_there(paths.overlay_file(), service::max_overlay_file);
  if (!bytes) return bytes.error();
  if (!*bytes) return service::builtin_overlay();
  auto overlay = service::parse_overlay(as_text(**bytes));
  if (!overlay)
    return invalid(fmt::format("{}: {}", paths.overlay_file().string(), overlay.error().text));
  if (auto genuine = service::check_schema(*overlay, Ed25519()); !genuine)
    return invalid(fmt::format("{}: {}", paths.overlay_file().string(), genuine.error().text));
  if (auto able = service::check_capabilities(*overlay); !able)
    return Error{able.error().code,
                 fmt::format("{}: {}", paths.overlay_file().string(), able.error().text)};
  return overlay;
}

/// The authority's own node has nobody to ask when it comes back after its credential has ended.
Result<void> renew_own(const config::Paths& paths, WallTime now, Home& home) {
  auto credential = home.authority->admit_self(home.identity.key, now);
  if (!credential) return credential.error();
  home.identity.credential = *credential;
  return keep_credential(paths, *credential);
}

Result<void> load_credential(const config::Paths& paths, WallTime now, Home& home) {
  auto bytes = read_if_there(paths.credential_file(), service::Credential::size);
  if (!bytes) return bytes.error();
  if (!*bytes) {
    return Error{
        ErrorCode::refused,
        fmt::format(
            "the overlay {} is closed and this node has no credential. Ask one of its members "
            "for an invite, then: beckon up --invite STRING",
            home.overlay.name)};
  }
  auto credential = service::decode<service::Credential>(**bytes);
  if (!credential)
    return invalid(
        fmt::format("{}: {}", paths.credential_file().string(), credential.error().text));
  auto valid = credential->check(home.overlay.id(), *home.overlay.authority, home.identity.key,
                                 Ed25519(), now);
  if (!valid && home.authority) return renew_own(paths, now, home);
  if (!valid) {
    return Error{ErrorCode::refused,
                 fmt::format("this node's credential does not hold: {}. Check the clock; else "
                             "ask for a new invite: beckon up --invite STRING",
                             valid.error().text)};
  }
  home.identity.credential = *credential;
  return {};
}

Result<void> load_revocations(const config::Paths& paths, Home& home) {
  auto bytes = read_if_there(paths.revocations_file(), 512 * 1024);
  if (!bytes) return bytes.error();
  if (!*bytes) return {};
  auto list = service::decode<service::Revocations>(**bytes);
  if (!list)
    return invalid(fmt::format("{}: {}", paths.revocations_file().string(), list.error().text));
  home.revocations = *list;
  return {};
}

/// A minute of hashing at most for sensible overlays; done once and kept.
Result<void> solve(const config::Paths& paths, Home& home) {
  if (home.overlay.puzzle == 0) return {};
  service::Puzzle puzzle{home.overlay.id(), home.overlay.puzzle};
  std::uint64_t& solution = home.identity.puzzle_solution;
  auto kept = read_if_there(paths.puzzle_file(), 8);
  if (!kept) return kept.error();
  if (*kept) {
    ByteReader in(**kept);
    solution = in.u64();
    if (in.finish("puzzle") && puzzle.solved_by(home.identity.key, solution)) return {};
  }
  solution = puzzle.solve(home.identity.key);
  ByteWriter out;
  out.u64(solution);
  return io::replace_file(paths.puzzle_file(), out.bytes());
}

Result<void> load_authority(const config::Paths& paths, Home& home) {
  if (!io::Authority::exists(paths.authority_dir())) return {};
  auto authority = io::Authority::open(paths.authority_dir(), home.overlay);
  if (!authority) return authority.error();
  home.revocations = authority->revocations();
  home.authority.emplace(std::move(*authority));
  return {};
}

Result<void> load_authority_node(const config::Paths& paths, Home& home) {
  if (home.authority) {
    home.authority_node = home.identity.id();
    return {};
  }
  auto bytes = read_if_there(paths.authority_node_file(), chord::Id::size);
  if (!bytes) return bytes.error();
  if (!*bytes) return {};
  ByteReader in(**bytes);
  chord::Id id{in.array<chord::Id::size>()};
  if (auto whole = in.finish(paths.authority_node_file().string()); !whole) return whole;
  home.authority_node = id;
  return {};
}

Result<void> check_not_expelled(const Home& home) {
  bool expelled = home.revocations && home.revocations->contains(home.identity.id());
  if (!expelled) return {};
  return Error{ErrorCode::refused,
               fmt::format("the authority of the overlay {} has expelled this node. To come back, "
                           "ask for a new invite, then: beckon up --invite STRING",
                           home.overlay.name)};
}

/// An authority of an open overlay signs schemas and nothing else.
Result<void> load_open(const config::Paths& paths, Home& home) {
  if (home.overlay.authority) {
    if (auto read = load_authority(paths, home); !read) return read;
  }
  return solve(paths, home);
}

Result<void> load_closed(const config::Paths& paths, WallTime now, Home& home) {
  if (auto read = load_revocations(paths, home); !read) return read;
  if (auto read = load_authority(paths, home); !read) return read;
  if (auto read = load_credential(paths, now, home); !read) return read;
  if (auto fine = check_not_expelled(home); !fine) return fine;
  return load_authority_node(paths, home);
}

/// Whether the home is admitted, as far as it knows.
bool holds_credential(const config::Paths& paths, const io::Identity& identity,
                      const Overlay& overlay, WallTime now) {
  Home home{.identity = identity, .overlay = overlay};
  return load_closed(paths, now, home).has_value();
}

/// A home whose node neither met a peer nor kept or published anything is tied to no overlay: it
/// tried in vain to join, for one.
Result<bool> is_unused(const config::Paths& paths) {
  if (fs::exists(paths.overlay_file())) return false;
  if (!fs::exists(paths.database())) return true;
  auto store = io::SqliteStore::open(paths.database().string(), {});
  if (!store) return store.error();
  bool unused = true;
  auto any = [&](ByteView, ByteView) { return unused = false; };
  auto published = [&](ByteView, ByteView row) { return unused = service::never_published(row); };
  auto scanned = (*store)->scan(service::Table::peers, {}, any);
  if (unused && scanned) scanned = (*store)->scan(service::Table::items, {}, any);
  if (unused && scanned) scanned = (*store)->scan(service::Table::users, {}, published);
  if (!scanned) return scanned.error();
  return unused;
}

/// Where this home stands to the overlay of an invite.
enum class Standing { newcomer, admitted, elsewhere };

Result<Standing> standing(const config::Paths& paths, const io::Identity& identity,
                          const Overlay& current, const service::Invite& invite, WallTime now) {
  if (current.id() == invite.overlay) {
    bool admitted =
        invite.admission == Admission::open || holds_credential(paths, identity, current, now);
    return admitted ? Standing::admitted : Standing::newcomer;
  }
  auto unused = is_unused(paths);
  if (!unused) return unused.error();
  return *unused ? Standing::newcomer : Standing::elsewhere;
}

Result<void> keep(const config::Paths& paths, const service::Enrolment& enrolment,
                  const chord::Id& from) {
  if (auto overlay = keep_overlay(paths, enrolment.overlay); !overlay) return overlay;
  if (enrolment.revocations) {
    auto revocations = keep_revocations(paths, *enrolment.revocations);
    if (!revocations) return revocations;
  }
  if (!enrolment.credential) return {};
  auto authority = io::replace_file(paths.authority_node_file(), from.bytes);
  if (!authority) return authority;
  return keep_credential(paths, *enrolment.credential);
}

}  // namespace

Result<Home> load_home(const config::Paths& paths, WallTime now) {
  Home out{.paths = paths};
  auto identity = io::load_or_create_identity(paths.node_key());
  if (!identity) return identity.error();
  out.identity = std::move(*identity);
  auto overlay = load_overlay(paths);
  if (!overlay) return overlay.error();
  out.overlay = std::move(*overlay);
  bool closed = out.overlay.admission == Admission::closed;
  auto admitted = closed ? load_closed(paths, now, out) : load_open(paths, out);
  if (!admitted) return admitted.error();
  return out;
}

Result<std::vector<std::string>> accept_invite(const config::Paths& paths, const std::string& text,
                                               WallTime now) {
  auto invite = service::Invite::parse(text);
  if (!invite) return invalid("--invite: " + invite.error().text);
  if (invite->not_after < now) {
    return Error{ErrorCode::refused,
                 "--invite: this invite has expired, or the clock is wrong. Ask for a new one"};
  }
  auto current = load_overlay(paths);
  if (!current) return current.error();
  auto identity = io::load_or_create_identity(paths.node_key());
  if (!identity) return identity.error();
  auto stands = standing(paths, *identity, *current, *invite, now);
  if (!stands) return stands.error();
  if (*stands == Standing::elsewhere) {
    return Error{
        ErrorCode::conflict,
        fmt::format("this home belongs to the overlay {}, the invite to {}. Use another --home DIR",
                    current->name, printable(invite->name, 64))};
  }
  bool admitted = *stands == Standing::admitted;
  if (admitted && invite->admission == Admission::open) return invite->addresses;
  // Asked even if admitted: who was expelled while away does not know it.
  auto enrolment = io::enrol(*identity, *invite, admitted ? short_ask : long_ask);
  if (!enrolment && admitted) return invite->addresses;
  if (!enrolment) return Error{enrolment.error().code, "--invite: " + enrolment.error().text};
  // The inviting node may not have heard of a schema that this home has already.
  bool newer =
      service::schema_of(*current).number() > service::schema_of(enrolment->overlay).number();
  if (current->id() == invite->overlay && newer) enrolment->overlay.schema = current->schema;
  auto kept = keep(paths, *enrolment, invite->inviter);
  if (!kept) return kept.error();
  return invite->addresses;
}

Result<Overlay> create_overlay(const config::Paths& paths, const io::Authority::NewOverlay& wanted,
                               WallTime now) {
  auto unused = is_unused(paths);
  if (!unused) return unused.error();
  if (!*unused) {
    return Error{ErrorCode::conflict,
                 "this home belongs to an overlay already. Use another --home DIR"};
  }
  auto identity = io::load_or_create_identity(paths.node_key());
  if (!identity) return identity.error();
  auto overlay = io::Authority::create(paths.authority_dir(), wanted);
  if (!overlay) return overlay.error();
  if (wanted.admission == Admission::open) {
    auto kept = keep_overlay(paths, *overlay);
    if (!kept) return kept.error();
    return overlay;
  }
  auto authority = io::Authority::open(paths.authority_dir(), *overlay);
  if (!authority) return authority.error();
  auto credential = authority->admit_self(identity->key, now);
  if (!credential) return credential.error();
  auto kept = keep(
      paths,
      {.overlay = *overlay, .credential = *credential, .revocations = authority->revocations()},
      service::node_id(identity->key, credential->nonce));
  if (!kept) return kept.error();
  return overlay;
}

Result<void> keep_credential(const config::Paths& paths, const service::Credential& credential) {
  return io::replace_file(paths.credential_file(), encode(credential));
}

Result<void> keep_revocations(const config::Paths& paths, const service::Revocations& list) {
  return io::replace_file(paths.revocations_file(), encode(list));
}

Result<void> keep_overlay(const config::Paths& paths, const service::Overlay& overlay) {
  return io::replace_file(paths.overlay_file(), as_bytes(service::overlay_json(overlay)));
}

}  // namespace beckon
