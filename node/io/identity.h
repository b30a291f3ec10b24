// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "base/crypto.h"
#include "node/service/admission/credential.h"

namespace beckon::io {

/// Who this node is: its Ed25519 key, and in a closed overlay the authority's credential, in an
/// open one with a puzzle its solution. Plain data; where it is kept is the caller's business.
struct Identity {
  SecretSeed seed{};
  PublicKey key{};
  std::optional<service::Credential> credential{};
  std::uint64_t puzzle_solution{};

  chord::Id id() const;
};

/// A fresh key from the system's entropy.
Identity new_identity();

/// Reads the key file; makes it, 0600, and its directory, 0700, when there is none. A file that
/// others may read, that is not ours or does not hold 64 hex digits, or a directory that others may
/// write, is an error that says what to do. Never replaces a file that exists.
Result<Identity> load_or_create_identity(const std::filesystem::path& key_file);

/// 32 bytes as hex in a file of mode 0600, by the same rules; also used for an authority's key.
Result<SecretSeed> load_secret(const std::filesystem::path& file);
Result<void> create_secret(const std::filesystem::path& file, const SecretSeed& seed);

/// Replaces the file whole, durably, mode 0600: after a crash it holds the old or the new bytes.
Result<void> replace_file(const std::filesystem::path& file, ByteView content);
Result<Bytes> read_file(const std::filesystem::path& file, std::size_t limit);

void fill_random(std::span<std::uint8_t> out);  // the system's entropy

}  // namespace beckon::io
