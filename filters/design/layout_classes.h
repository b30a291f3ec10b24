// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "filters/go/go_model.h"

namespace beckon::filters {

/// Layouts for a whole population. Whoever asks must know where a profile's bits are, so profiles
/// cannot each have a layout of their own; a schema ships a few classes instead, and a publisher
/// takes the class that suits its profile best.

/// One profile against a schema: texts, and per attribute the published width (0 absent, 1 a
/// point).
struct Sample {
  int texts = 0;
  std::vector<double> widths{};
};

struct LayoutClass {
  int k = 1;
  std::vector<Shape> shapes{};  // one per attribute, all with this k
};

struct ClassSchema {
  int bits = 512;
  std::vector<double> scopes{};
};

/// Sum of the rates of everything the profile publishes. Points are keys of their own (s = k).
double class_fpr(const ClassSchema& schema, const Sample& sample, const LayoutClass& layout);

/// The lowest-rate class for the sample. `classes` is not empty.
std::size_t choose_class(const ClassSchema& schema, const Sample& sample,
                         std::span<const LayoutClass> classes);

/// One layout with the lowest mean rate over the samples (not empty), searched from `start`.
LayoutClass fit_class(const ClassSchema& schema, std::span<const Sample* const> samples,
                      LayoutClass start);

struct FitOptions {
  std::size_t classes = 8;
  int rounds = 20;  // of Lloyd's iteration at most
};

/// Lloyd's iteration: every profile goes to its best class, every class is fitted to its profiles,
/// until nothing moves. Starts with one class for all, then adds, one at a time, the layout of its
/// own of the profile that loses most. Deterministic. Fewer classes when no profile is left over.
std::vector<LayoutClass> fit_classes(const ClassSchema& schema, std::span<const Sample> samples,
                                     const FitOptions& options);

/// Mean rate over the samples, each in its best class.
double mean_fpr(const ClassSchema& schema, std::span<const Sample> samples,
                std::span<const LayoutClass> classes);

/// What one profile would reach with a layout of its own.
double own_layout_fpr(const ClassSchema& schema, const Sample& sample,
                      LayoutClass* layout = nullptr);

}  // namespace beckon::filters
