#include "profile/values/text_fold.h"

#include <fmt/core.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include "base/bytes.h"

namespace beckon::profile {

namespace {

bool is_accent(UChar32 c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) ||
         (c >= 0x1DC0 && c <= 0x1DFF) || (c >= 0x20D0 && c <= 0x20FF) ||
         (c >= 0xFE20 && c <= 0xFE2F);
}

icu::UnicodeString without_accents(const icu::UnicodeString& text, UErrorCode& error) {
  icu::UnicodeString apart = icu::Normalizer2::getNFDInstance(error)->normalize(text, error);
  icu::UnicodeString out;
  for (int32_t i = 0; i < apart.length(); i = apart.moveIndex32(i, 1)) {
    UChar32 c = apart.char32At(i);
    if (!is_accent(c)) out.append(c);
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
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* fold = icu::Normalizer2::getNFKCCasefoldInstance(error);
  if (U_FAILURE(error)) return Error{ErrorCode::internal, "ICU has no NFKC case folding data"};
  // Removing an accent can lay bare a letter that folds again; twice is stable (tested).
  for (int round = 0; round < 2; ++round) {
    folded = without_accents(fold->normalize(folded, error), error);
  }
  folded = squeezed(fold->normalize(folded, error));
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
