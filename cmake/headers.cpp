// SPDX-License-Identifier: MIT
// Compiled once, to make the precompiled header that all other files reuse (beckon.cmake).
