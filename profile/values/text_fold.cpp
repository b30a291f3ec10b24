// SPDX-License-Identifier: MIT
#include "profile/values/text_fold.h"

#include <fmt/core.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "profile/values/fold_table.h"

namespace beckon::profile {

namespace {

bool is_accent(UChar32 c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) ||
         (c >= 0x1DC0 && c <= 0x1DFF) || (c >= 0x20D0 && c <= 0x20FF) ||
         (c >= 0xFE20 && c <= 0xFE2F);
}

/// Those of Unicode 15.0: both leave later characters alone.
struct Normalizers {
  icu::FilteredNormalizer2 fold;
  icu::FilteredNormalizer2 apart;
};

/// nullptr if ICU has no data.
const Normalizers* normalizers() {
  static const auto made = []() -> std::unique_ptr<const Normalizers> {
    UErrorCode error = U_ZERO_ERROR;
    // What 15.0 assigns, and what it calls ignorable beforehand.
    static icu::UnicodeSet known(u"[[:age=15.0:]\\u2065\\uFFF0-\\uFFF8\\U000E0000-\\U000E0FFF]",
                                 error);
    known.freeze();
    const auto* fold = icu::Normalizer2::getNFKCCasefoldInstance(error);
    const auto* apart = icu::Normalizer2::getNFDInstance(error);
    if (U_FAILURE(error)) return nullptr;
    return std::make_unique<const Normalizers>(
        Normalizers{.fold = {*fold, known}, .apart = {*apart, known}});
  }();
  return made.get();
}

icu::UnicodeString without_accents(const icu::UnicodeString& apart) {
  icu::UnicodeString out;
  for (int32_t i = 0; i < apart.length(); i = apart.moveIndex32(i, 1)) {
    UChar32 c = apart.char32At(i);
    if (!is_accent(c)) out.append(c);
  }
  return out;
}

icu::UnicodeString respelled(const icu::UnicodeString& text) {
  icu::UnicodeString out;
  for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    auto c = static_cast<char32_t>(text.char32At(i));
    auto row =
        std::lower_bound(fold_table.begin(), fold_table.end(), c,
                         [](const Spelling& s, char32_t wanted) { return s.written < wanted; });
    if (row != fold_table.end() && row->written == c) {
      out.append(row->folded, -1);
    } else {
      out.append(static_cast<UChar32>(c));
    }
  }
  return out;
}

icu::UnicodeString squeezed(const icu::UnicodeString& text) {
  icu::UnicodeString out;
  for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    UChar32 c = text.char32At(i);
    if (!u_isUWhiteSpace(c)) {
      out.append(c);
    } else if (!out.isEmpty() && out.charAt(out.length() - 1) != u' ') {
      out.append(u' ');
    }
  }
  return out.trim();
}

bool has_control(const icu::UnicodeString& text) {
  for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    UChar32 c = text.char32At(i);
    if (u_charType(c) == U_CONTROL_CHAR && !u_isUWhiteSpace(c)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> fold_text(std::string_view text) {
  if (text.size() > max_text_size) {
    return invalid(
        fmt::format("the text has {} bytes, at most {} are allowed", text.size(), max_text_size));
  }
  if (!is_utf8(text)) return invalid("the text is not valid UTF-8");
  auto size = static_cast<int32_t>(text.size());
  icu::UnicodeString folded = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), size));
  if (has_control(folded)) return invalid("the text contains a control character");
  const Normalizers* unicode = normalizers();
  if (unicode == nullptr) return Error{ErrorCode::internal, "ICU has no normalization data"};
  const icu::Normalizer2& fold = unicode->fold;
  const icu::Normalizer2& apart = unicode->apart;
  UErrorCode error = U_ZERO_ERROR;
  // Removing an accent can lay bare a letter that folds again; twice is stable (tested).
  for (int round = 0; round < 2; ++round) {
    folded = fold.normalize(respelled(folded), error);
    folded = without_accents(apart.normalize(folded, error));
  }
  folded = squeezed(fold.normalize(respelled(folded), error));
  if (U_FAILURE(error)) return Error{ErrorCode::internal, u_errorName(error)};
  std::string out;
  folded.toUTF8String(out);
  if (out.empty()) return invalid("the text is empty");
  if (out.size() > max_text_size) {
    return invalid(fmt::format("the text has {} bytes after folding, at most {} are allowed",
                               out.size(), max_text_size));
  }
  return out;
}

}  // namespace beckon::profile
