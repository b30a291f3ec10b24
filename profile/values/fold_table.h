// SPDX-License-Identifier: MIT
#pragma once

#include <array>

namespace beckon::profile {

/// A character that Unicode leaves alone, and what people type in its place.
struct Spelling {
  char32_t written;
  const char16_t* folded;  // ASCII
};

/// The table of fold 1 (docs/protocol-index.md, "Folding a text"), in the order of the characters.
/// It is frozen: other spellings make another fold.
inline constexpr auto fold_table = std::to_array<Spelling>(
    {{0x0060, u"'"},  {0x00AB, u"\""}, {0x00B4, u"'"},  {0x00BB, u"\""}, {0x00E6, u"ae"},
     {0x00F0, u"d"},  {0x00F8, u"o"},  {0x00FE, u"th"}, {0x0111, u"d"},  {0x0127, u"h"},
     {0x0131, u"i"},  {0x0138, u"q"},  {0x0142, u"l"},  {0x014B, u"n"},  {0x0153, u"oe"},
     {0x0167, u"t"},  {0x0180, u"b"},  {0x0188, u"c"},  {0x0192, u"f"},  {0x0199, u"k"},
     {0x019A, u"l"},  {0x01A5, u"p"},  {0x01AD, u"t"},  {0x01B4, u"y"},  {0x01B6, u"z"},
     {0x01DD, u"e"},  {0x01E5, u"g"},  {0x0225, u"z"},  {0x0237, u"j"},  {0x023C, u"c"},
     {0x0247, u"e"},  {0x0249, u"j"},  {0x024D, u"r"},  {0x024F, u"y"},  {0x0253, u"b"},
     {0x0254, u"o"},  {0x0256, u"d"},  {0x0257, u"d"},  {0x0259, u"e"},  {0x025B, u"e"},
     {0x0260, u"g"},  {0x0268, u"i"},  {0x0272, u"n"},  {0x0289, u"u"},  {0x028B, u"v"},
     {0x02B9, u"'"},  {0x02BA, u"\""}, {0x02BB, u"'"},  {0x02BC, u"'"},  {0x02BD, u"'"},
     {0x02BE, u"'"},  {0x02BF, u"'"},  {0x02D7, u"-"},  {0x02EE, u"\""}, {0x055A, u"'"},
     {0x058A, u"-"},  {0x05BE, u"-"},  {0x05F3, u"'"},  {0x05F4, u"\""}, {0x1D7D, u"p"},
     {0x1FFD, u"'"},  {0x2010, u"-"},  {0x2012, u"-"},  {0x2013, u"-"},  {0x2014, u"-"},
     {0x2015, u"-"},  {0x2018, u"'"},  {0x2019, u"'"},  {0x201A, u"'"},  {0x201B, u"'"},
     {0x201C, u"\""}, {0x201D, u"\""}, {0x201E, u"\""}, {0x201F, u"\""}, {0x2032, u"'"},
     {0x2033, u"\""}, {0x2035, u"'"},  {0x2036, u"\""}, {0x2039, u"'"},  {0x203A, u"'"},
     {0x2043, u"-"},  {0x2212, u"-"},  {0x2C65, u"a"},  {0x2C66, u"t"},  {0x301D, u"\""},
     {0x301E, u"\""}, {0x301F, u"\""}, {0xA78C, u"'"}});

}  // namespace beckon::profile
