// SPDX-License-Identifier: MIT
#include "node/io/authority.h"

#include <fmt/core.h>

namespace beckon::io {

namespace {

constexpr std::uint8_t ledger_version = 1;
constexpr std::size_t max_ledger = 32 * 1024 * 1024;
constexpr std::size_t max_list = 256 * 1024;
constexpr auto clock_tolerance = std::chrono::hours(1);

std::filesystem::path key_in(const std::filesystem::path& d) { return d / "key"; }
std::filesystem::path ledger_in(const std::filesystem::path& d) { return d / "ledger"; }
std::filesystem::path list_in(const std::filesystem::path& d) { return d / "revocations"; }

Error refuse(std::string text) { return {ErrorCode::refused, std::move(text)}; }

/// A file that may not be there yet.
Result<std::optional<Bytes>> read_if_any(const std::filesystem::path& file, std::size_t limit) {
  auto bytes = read_file(file, limit);
  if (bytes) return std::optional(std::move(*bytes));
  if (bytes.error().code == ErrorCode::not_found) return std::optional<Bytes>();
  return bytes.error();
}

}  // namespace

bool Authority::exists(const std::filesystem::path& directory) {
  std::error_code error;
  return std::filesystem::exists(key_in(directory), error);
}

Result<service::Overlay> Authority::create(const std::filesystem::path& directory,
                                           const NewOverlay& wanted) {
  if (exists(directory)) {
    return Error{
        ErrorCode::conflict,
        fmt::format("{} holds an authority already; use another --home for another overlay",
                    directory.string())};
  }
  Identity fresh = new_identity();
  service::Overlay draft{
      .name = wanted.name, .admission = wanted.admission, .authority = fresh.key};
  fill_random(draft.salt);
  draft.schema.text = wanted.schema;
  auto overlay = service::canonical(draft);
  if (!overlay) return overlay.error();
  if (overlay->schema_kind() == service::SchemaKind::granted) {
    overlay->schema.signature =
        Ed25519().sign(fresh.seed, overlay->schema.signed_part(overlay->id()));
  }
  if (auto made = create_secret(key_in(directory), fresh.seed); !made) return made.error();
  return overlay;
}

Result<Authority> Authority::open(const std::filesystem::path& directory, service::Overlay overlay,
                                  Options options) {
  Authority out;
  out.directory_ = directory;
  out.overlay_ = std::move(overlay);
  out.options_ = options;
  auto seed = load_secret(key_in(directory));
  if (!seed) return seed.error();
  out.seed_ = *seed;
  if (out.overlay_.authority != Ed25519().public_key(*seed)) {
    return invalid(fmt::format("{} is not the key of overlay \"{}\"", key_in(directory).string(),
                               out.overlay_.name));
  }
  out.revocations_.overlay = out.overlay_.id();
  auto ledger = read_if_any(ledger_in(directory), max_ledger);
  if (!ledger) return ledger.error();
  if (*ledger) {
    if (auto read = out.decode_ledger(**ledger); !read) return read.error();
  }
  auto list = read_if_any(list_in(directory), max_list);
  if (!list) return list.error();
  if (*list) {
    auto decoded = service::decode<service::Revocations>(**list);
    if (!decoded) return decoded.error();
    out.revocations_ = std::move(*decoded);
  }
  return out;
}

Bytes Authority::encode_ledger() const {
  ByteWriter out;
  out.u8(ledger_version);
  out.u64(next_serial_);
  out.u32(static_cast<std::uint32_t>(invites_.size()));
  for (const auto& [digest, until] : invites_) {
    out.raw(digest);
    out.i64(to_ms(until));
  }
  out.u32(static_cast<std::uint32_t>(members_.size()));
  for (const auto& [id, credential] : members_) {
    out.raw(id.bytes);
    out.raw(encode(credential));
  }
  return out.take();
}

Result<void> Authority::decode_ledger(ByteView bytes) {
  ByteReader in(bytes);
  if (in.u8() != ledger_version) return invalid("the authority's ledger has an unknown version");
  next_serial_ = in.u64();
  for (std::uint32_t left = in.u32(); in.ok() && left > 0; --left) {
    Digest digest = in.array<32>();
    invites_[digest] = wall_from_ms(in.i64());
  }
  for (std::uint32_t left = in.u32(); in.ok() && left > 0; --left) {
    chord::Id id{in.array<chord::Id::size>()};
    auto credential = service::decode<service::Credential>(in.raw(service::Credential::size));
    if (!credential) return credential.error();
    members_[id] = *credential;
  }
  return in.finish("the authority's ledger");
}

Result<void> Authority::save() { return replace_file(ledger_in(directory_), encode_ledger()); }

/// A key that comes a second time keeps its place on the ring: nobody draws until he likes it.
service::Nonce Authority::place_of(const Digest& key_hash) const {
  for (const auto& [id, credential] : members_) {
    if (credential.key_hash == key_hash) return credential.nonce;
  }
  service::Nonce nonce{};
  fill_random(nonce);
  return nonce;
}

/// Those whose credential ended long ago; all whose credential has ended when there is no room.
void Authority::forget_ended(WallTime now) {
  auto forget = [&](WallTime before) {
    std::erase_if(members_, [&](const auto& entry) {
      const service::Credential& credential = entry.second;
      return credential.not_after < before && credential.role != service::Role::authority;
    });
  };
  forget(now - options_.member_memory);
  if (members_.size() >= options_.max_members) forget(now);
}

Result<service::Credential> Authority::issue(const PublicKey& key, service::Role role,
                                             WallTime now) {
  service::Credential draft{
      .overlay = overlay_.id(), .key_hash = sha256(service::spki_of(key)), .role = role};
  draft.nonce = place_of(draft.key_hash);
  chord::Id id = service::node_id(key, draft.nonce);
  forget_ended(now);
  if (members_.size() >= options_.max_members && !members_.contains(id)) {
    return refuse(
        fmt::format("the overlay has {} members, as many as it may have", members_.size()));
  }
  return sign(draft, id, now);
}

Result<service::Credential> Authority::sign(service::Credential draft, const chord::Id& id,
                                            WallTime now) {
  draft.not_before = now - clock_tolerance;
  draft.not_after = now + options_.credential_life;
  draft.serial = next_serial_++;
  draft.signature = Ed25519().sign(seed_, draft.signed_part());
  members_[id] = draft;
  if (auto saved = save(); !saved) return saved.error();
  return draft;
}

Result<service::Credential> Authority::admit_self(const PublicKey& key, WallTime now) {
  return issue(key, service::Role::authority, now);
}

Result<service::Invite> Authority::invite(const chord::Id& inviter,
                                          std::vector<std::string> addresses, WallTime now) {
  std::erase_if(invites_, [&](const auto& entry) { return entry.second <= now; });
  if (invites_.size() >= options_.max_open_invites) {
    return refuse(
        fmt::format("{} invites are open; wait until one is used or has ended", invites_.size()));
  }
  if (addresses.empty())
    return invalid("this node listens nowhere, so nobody could use the invite");
  if (addresses.size() > 4) addresses.resize(4);
  service::Invite out{.overlay = overlay_.id(),
                      .name = overlay_.name,
                      .admission = service::Admission::closed,
                      .inviter = inviter,
                      .not_after = now + options_.invite_life,
                      .addresses = std::move(addresses),
                      .authority = overlay_.authority,
                      .secret = service::InviteSecret{}};
  fill_random(*out.secret);
  invites_[sha256(*out.secret)] = out.not_after;
  if (auto saved = save(); !saved) return saved.error();
  return out;
}

Result<service::Credential> Authority::admit(const PublicKey& key,
                                             const service::EnrolRequest& request, WallTime now) {
  auto found = invites_.find(sha256(request.secret));
  if (request.kind != service::EnrolRequest::Kind::join || found == invites_.end()) {
    return refuse("an invite that is unknown or was used");
  }
  bool in_time = now < found->second;
  invites_.erase(found);  // once, whatever comes of it
  auto issued = in_time ? issue(key, service::Role::member, now)
                        : Result<service::Credential>(refuse("an invite that has ended"));
  if (issued) return issued;  // and saved
  if (auto saved = save(); !saved) return saved.error();
  return issued;
}

Result<service::Credential> Authority::renew(const chord::Id& member, WallTime now) {
  auto found = members_.find(member);
  if (found == members_.end() || revocations_.contains(member)) {
    return refuse("a renewal by a node that is no member");
  }
  const service::Credential& current = found->second;
  bool fresh = current.not_after - now > options_.credential_life / 2;
  if (fresh) return current;  // the answer got lost, or somebody wants to wear out our disk
  return sign(current, member, now);
}

Result<service::Revocations> Authority::revoke(const chord::Id& member, WallTime now) {
  auto found = members_.find(member);
  if (found == members_.end()) {
    return Error{
        ErrorCode::not_found,
        fmt::format("node {} is no member; `beckon overlay show` lists them", member.hex())};
  }
  if (found->second.role == service::Role::authority)
    return refuse("the authority's own node cannot be expelled");
  service::Revocations next = revocations_;
  std::erase_if(next.expelled, [&](const auto& entry) { return entry.second <= now; });
  if (next.expelled.size() >= service::Revocations::max_entries) {
    return refuse("the revocation list is full until credentials on it have ended");
  }
  next.expelled[member] = found->second.not_after;
  ++next.version;
  next.signature = Ed25519().sign(seed_, next.signed_part());
  if (auto saved = replace_file(list_in(directory_), encode(next)); !saved) return saved.error();
  revocations_ = std::move(next);
  members_.erase(found);
  if (auto saved = save(); !saved) return saved.error();
  return revocations_;
}

Result<service::SchemaDocument> Authority::grow(const service::Overlay& present,
                                                const std::string& schema) const {
  auto next = service::draft_schema(schema);
  if (!next) return next.error();
  next->signature = Ed25519().sign(seed_, next->signed_part(overlay_.id()));
  if (auto good = service::check_growth(present, *next, Ed25519()); !good) return good.error();
  return next;
}

std::vector<Authority::Member> Authority::members() const {
  std::vector<Member> out;
  for (const auto& [id, credential] : members_) out.push_back({credential, id});
  return out;
}

}  // namespace beckon::io
