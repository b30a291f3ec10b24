// SPDX-License-Identifier: MIT
#include "filters/design/layout_classes.h"

#include <algorithm>
#include <limits>

#include "filters/design/go_best.h"

namespace beckon::filters {

namespace {

/// Descent over d, s and k of one layout shared by many profiles.
class ClassFit {
 public:
  ClassFit(const ClassSchema& schema, std::span<const Sample* const> samples)
      : schema_(schema), samples_(samples) {
    Load load;
    for (double scope : schema.scopes) load.ranges.push_back({{scope, std::min(scope, 2.0)}});
    steps_.emplace_back(load, schema.bits);  // only for walking the sequences
  }

  double cost(const LayoutClass& layout) const {
    double sum = 0;
    for (const Sample* sample : samples_) sum += class_fpr(schema_, *sample, layout);
    return sum;
  }

  double descend(LayoutClass& layout) const {
    double best = cost(layout);
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < layout.shapes.size(); ++i) {
        again |= gallop(layout, i, +1, best) || gallop(layout, i, -1, best);
      }
    }
    return best;
  }

  LayoutClass run(const LayoutClass& start) const {
    LayoutClass best = start;
    double lowest = descend(best);
    for (int direction : {+1, -1}) {
      LayoutClass at = best;
      for (int since = 0; since < 2;) {
        int k = at.k + direction;
        if (k < 1 || k > design_limits::max_k) break;
        for (Shape& shape : at.shapes) {  // s follows k where positions are shared by choice
          shape.k = k;
          shape.s = std::clamp(shape.d == 1 && shape.s > 1 ? shape.s + direction : shape.s, 1, k);
        }
        at.k = k;
        double found = descend(at);
        since = found < lowest ? 0 : since + 1;
        if (found < lowest) {
          lowest = found;
          best = at;
        }
      }
    }
    return best;
  }

 private:
  bool gallop(LayoutClass& layout, std::size_t i, int direction, double& best) const {
    bool moved = false;
    for (std::int64_t step = 1; step > 0;) {
      Shape before = layout.shapes[i];
      bool better = false;
      if (steps_[0].step(i, layout.shapes[i], direction * step)) {
        double found = cost(layout);
        better = found < best * (1 - 1e-9);
        if (better) best = found;
      }
      if (!better) layout.shapes[i] = before;
      moved |= better;
      step = better ? step * 2 : step / 2;
    }
    return moved;
  }

  const ClassSchema& schema_;
  std::span<const Sample* const> samples_;
  std::vector<GoCost> steps_;
};

using Members = std::vector<std::vector<const Sample*>>;

Members assign(const ClassSchema& schema, std::span<const Sample> samples,
               std::span<const LayoutClass> classes) {
  Members members(classes.size());
  for (const Sample& sample : samples) {
    members[choose_class(schema, sample, classes)].push_back(&sample);
  }
  return members;
}

/// The profile that loses most to its class, as a layout of its own on top of that class.
LayoutClass layout_of_the_worst(const ClassSchema& schema, std::span<const Sample> samples,
                                std::span<const double> own, std::span<const LayoutClass> classes) {
  double worst = -1;
  std::size_t loser = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const LayoutClass& used = classes[choose_class(schema, samples[i], classes)];
    double loss = class_fpr(schema, samples[i], used) - own[i];
    if (loss <= worst) continue;
    worst = loss;
    loser = i;
  }
  LayoutClass layout = classes[choose_class(schema, samples[loser], classes)];
  own_layout_fpr(schema, samples[loser], &layout);
  return layout;
}

void lloyd(const ClassSchema& schema, std::span<const Sample> samples, int rounds,
           std::vector<LayoutClass>& classes) {
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    Members members = assign(schema, samples, classes);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (!members[c].empty()) classes[c] = fit_class(schema, members[c], classes[c]);
    }
    double now = mean_fpr(schema, samples, classes);
    if (now > before * (1 - 1e-4)) return;
    before = now;
  }
}

}  // namespace

double class_fpr(const ClassSchema& schema, const Sample& sample, const LayoutClass& layout) {
  int keys = sample.texts;
  double positions = 0;
  for (std::size_t i = 0; i < sample.widths.size(); ++i) {
    if (sample.widths[i] == 1) ++keys;
    if (sample.widths[i] > 1) positions += go_positions(sample.widths[i], layout.shapes[i]);
  }
  positions += static_cast<double>(keys) * layout.k;
  Fill fill = fill_of(positions, schema.bits);
  double total = keys * text_fpr(fill, layout.k);
  for (std::size_t i = 0; i < sample.widths.size(); ++i) {
    if (sample.widths[i] <= 1) continue;
    total += go_fpr({schema.scopes[i], sample.widths[i]}, layout.shapes[i], fill);
  }
  return total;
}

std::size_t choose_class(const ClassSchema& schema, const Sample& sample,
                         std::span<const LayoutClass> classes) {
  std::size_t best = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    double rate = class_fpr(schema, sample, classes[c]);
    if (rate >= lowest) continue;
    lowest = rate;
    best = c;
  }
  return best;
}

LayoutClass fit_class(const ClassSchema& schema, std::span<const Sample* const> samples,
                      LayoutClass start) {
  return ClassFit(schema, samples).run(start);
}

std::vector<LayoutClass> fit_classes(const ClassSchema& schema, std::span<const Sample> samples,
                                     const FitOptions& options) {
  LayoutClass first{12, {}};
  for (std::size_t i = 0; i < schema.scopes.size(); ++i) first.shapes.push_back({first.k, 1, 1});
  std::vector<LayoutClass> classes{first};
  lloyd(schema, samples, options.rounds, classes);
  std::vector<double> own;
  if (options.classes > 1) {
    for (const Sample& sample : samples) own.push_back(own_layout_fpr(schema, sample));
  }
  while (classes.size() < options.classes && classes.size() < samples.size()) {
    classes.push_back(layout_of_the_worst(schema, samples, own, classes));
    lloyd(schema, samples, options.rounds, classes);
  }
  return classes;
}

double mean_fpr(const ClassSchema& schema, std::span<const Sample> samples,
                std::span<const LayoutClass> classes) {
  double sum = 0;
  for (const Sample& sample : samples) {
    sum += class_fpr(schema, sample, classes[choose_class(schema, sample, classes)]);
  }
  return sum / static_cast<double>(samples.size());
}

double own_layout_fpr(const ClassSchema& schema, const Sample& sample, LayoutClass* layout) {
  Load load;
  load.texts = {{sample.texts, 1}};
  std::vector<std::size_t> attribute;
  for (std::size_t i = 0; i < sample.widths.size(); ++i) {
    if (sample.widths[i] == 1) ++load.texts[0].count;
    if (sample.widths[i] <= 1) continue;
    load.ranges.push_back({{schema.scopes[i], sample.widths[i]}});
    attribute.push_back(i);
  }
  GoCost cost(load, schema.bits);
  Candidate best = BestSearch(cost, {}).common_k();
  if (layout != nullptr) {
    layout->k = best.text_k[0];
    for (Shape& shape : layout->shapes) {
      shape.k = layout->k;
      shape.s = std::min(shape.s, layout->k);
    }
    for (std::size_t i = 0; i < attribute.size(); ++i)
      layout->shapes[attribute[i]] = best.ranges[i];
  }
  return best.cost;
}

}  // namespace beckon::filters
