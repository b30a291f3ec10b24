// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "base/crypto.h"

namespace beckon {

/// When an Ed25519 signature (R, S) of a key A holds: docs/protocol.md, "Signatures". Libraries
/// disagree about signatures that only a dishonest signer makes, and change their minds between
/// versions; nodes that disagree would store and answer differently. So the rule is ours:
///
///   - S < L, and the y of A and of R are below p;
///   - neither A nor R is one of the eight points of small order;
///   - R is encode([S]B - [k]A), byte for byte, without the cofactor.
///
/// acceptable_form() decides the first two. The third is a library's work, and keeps_the_rule()
/// asks known answers of it first: libsodium 1.0.18 multiplies by no cofactor, a later one may.

enum class SignatureEngine { sodium, openssl };  // the quicker one first

bool acceptable_form(const PublicKey& key, const Signature& signature);

bool signature_holds(SignatureEngine engine, const PublicKey& key, ByteView message,
                     const Signature& signature);

using SignatureCheck = std::function<bool(const PublicKey&, ByteView, const Signature&)>;
bool keeps_the_rule(const SignatureCheck& check);

/// The first that gives the known answers, asked once in a process; nullopt if none does. Then no
/// signature holds, and beckond does not start.
std::optional<SignatureEngine> trusted_signature_engine();

}  // namespace beckon
