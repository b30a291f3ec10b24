// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/hash.h"

namespace beckon::service {

using OverlayId = Digest;

/// A schema in its canonical text, which holds its number, and the authority's word that it is the
/// overlay's. An overlay whose schema may grow has such a document; one with a greater number
/// replaces it. On the wire: version 1 | counted32 text | signature.
struct SchemaDocument {
  std::string text{};
  Signature signature{};

  static constexpr std::size_t max_text = 64 * 1024;
  Bytes encode() const;
  static Result<SchemaDocument> decode(ByteView bytes);  // the layout; the text may be anything

  /// "beckon/schema/1" | overlay id | counted32 text
  Bytes signed_part(const OverlayId& overlay) const;
  bool signed_by(const PublicKey& authority, const OverlayId& overlay, const Signer& signer) const;
  friend bool operator==(const SchemaDocument&, const SchemaDocument&) = default;
};

}  // namespace beckon::service
