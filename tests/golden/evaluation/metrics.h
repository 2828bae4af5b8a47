// Written by scripts/golden/metrics.py with sacreBLEU 2.6.0, NumPy 2.4.6,
// Python 3.11.7, Unicode 14.0.0. Do not edit.
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace transformer::golden {

using namespace std::string_literals;

// Every `corpus` is one of bleu.h, every `text` has 12 digits.

/// A negative smooth_value is the default.
struct BleuText {
  std::string corpus, tokenize;
  bool lowercase;
  std::string smooth;
  double smooth_value;
  bool effective_order;
  std::string text;
};

struct ChrfText {
  std::string corpus;
  int char_order, word_order, beta;
  bool lowercase, whitespace, eps_smoothing;
  std::string text;
};

struct TerText {
  std::string corpus;
  bool case_sensitive, normalized, no_punctuation, asian_support;
  std::string text;
};

/// The number of edits between two lines.
struct TerSegment {
  std::string hypothesis, reference;
  int64_t edits;
};

struct ResampledText {
  std::string corpus, metric;
  int64_t num_samples;
  uint64_t seed;
  std::string text;
};

/// Systems of "random lines with three references": the hypotheses, the first reference, the third with its first line
/// empty; against the second reference.
struct SystemsTable {
  int num_metrics;
  int64_t num_samples;
  bool json;
  int width;
  std::string text;
};

struct RandomNumbers {
  uint64_t seed;
  std::array<uint64_t, 4> state, words;
  std::vector<std::pair<uint32_t, std::array<uint32_t, 8>>> below;
};

inline const std::vector<BleuText> kBleuTexts = {
    {"two references"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:2|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 72.470861235899 95.8/81.0/66.7/53.3 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 58.475995250808 92.0/77.3/52.6/31.2 (BP = 1.000 ratio = 1.000 hyp_len = 25 ref_len = 25)"s},
    {"two references"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:2|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 68.897167106988 92.0/81.8/68.4/43.8 (BP = 1.000 ratio = 1.000 hyp_len = 25 ref_len = 25)"s},
    {"two references"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 55.084756734917 91.3/75.0/47.1/28.6 (BP = 1.000 ratio = 1.000 hyp_len = 23 ref_len = 23)"s},
    {"two references"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:2|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 67.086804520501 91.3/80.0/64.7/42.9 (BP = 1.000 ratio = 1.000 hyp_len = 23 ref_len = 23)"s},
    {"two references"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 88.592068976896 97.2/91.2/87.7/83.9 (BP = 0.986 ratio = 0.986 hyp_len = 71 ref_len = 72)"s},
    {"two references"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:2|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 89.725006318513 98.6/91.2/89.2/85.5 (BP = 0.986 ratio = 0.986 hyp_len = 71 ref_len = 72)"s},
    {"two references"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 35.673092464091 84.2/62.5/30.8/10.0 (BP = 1.000 ratio = 1.000 hyp_len = 19 ref_len = 19)"s},
    {"two references"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:2|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 48.080529796546 84.2/68.8/46.2/20.0 (BP = 1.000 ratio = 1.000 hyp_len = 19 ref_len = 19)"s},
    {"two references"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:2|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:2|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:2|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 61.817554368810 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 64.260162997685 95.8/77.3/52.6/43.8 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:2|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 64.260162997685 95.8/77.3/52.6/43.8 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 67.334296835231 95.8/78.7/56.1/48.6 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:2|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 67.334296835231 95.8/78.7/56.1/48.6 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"case matters"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 12.137294292683 83.3/10.0/6.2/4.2 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 12.137294292683 83.3/10.0/6.2/4.2 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 12.137294292683 83.3/10.0/6.2/4.2 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 65.322272516767 94.1/81.2/66.7/35.7 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)"s},
    {"case matters"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)"s},
    {"case matters"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 12.137294292683 83.3/10.0/6.2/4.2 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 83.3/0.0/0.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 83.3/0.0/0.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 6.104735835808 83.3/2.0/2.5/3.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 6.104735835808 83.3/2.0/2.5/3.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 16.286140193443 83.3/7.4/9.2/12.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 16.286140193443 83.3/7.4/9.2/12.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 28.867513459481 83.3/16.7/20.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 28.867513459481 83.3/16.7/20.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 46.943489313746 83.3/33.3/38.5/45.5 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"case matters"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 46.943489313746 83.3/33.3/38.5/45.5 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"an empty line among others"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 28.261529089215 83.3/63.6/40.0/22.2 (BP = 0.607 ratio = 0.667 hyp_len = 12 ref_len = 18)"s},
    {"an empty line among others"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 28.261529089215 83.3/63.6/40.0/22.2 (BP = 0.607 ratio = 0.667 hyp_len = 12 ref_len = 18)"s},
    {"an empty line among others"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 15.948846460507 80.0/55.6/25.0/14.3 (BP = 0.449 ratio = 0.556 hyp_len = 10 ref_len = 18)"s},
    {"an empty line among others"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 15.948846460507 80.0/55.6/25.0/14.3 (BP = 0.449 ratio = 0.556 hyp_len = 10 ref_len = 18)"s},
    {"an empty line among others"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 25.893948973453 92.0/75.0/65.2/54.5 (BP = 0.368 ratio = 0.500 hyp_len = 25 ref_len = 50)"s},
    {"an empty line among others"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 25.893948973453 92.0/75.0/65.2/54.5 (BP = 0.368 ratio = 0.500 hyp_len = 25 ref_len = 50)"s},
    {"an empty line among others"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 14.481023414005 75.0/42.9/16.7/10.0 (BP = 0.535 ratio = 0.615 hyp_len = 8 ref_len = 13)"s},
    {"an empty line among others"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 14.481023414005 75.0/42.9/16.7/10.0 (BP = 0.535 ratio = 0.615 hyp_len = 8 ref_len = 13)"s},
    {"an empty line among others"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 14.431113051977 80.0/55.6/25.0/14.3 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 18.182347935379 80.0/60.0/33.3/25.0 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 18.182347935379 80.0/60.0/33.3/25.0 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 21.781622764615 80.0/65.2/42.9/36.8 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"an empty line among others"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 21.781622764615 80.0/65.2/42.9/36.8 (BP = 0.407 ratio = 0.526 hyp_len = 10 ref_len = 19)"s},
    {"too short for four words"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 0.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"too short for four words"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 100.000000000000 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"s},
    {"smoothed twice"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 21.364350319812 40.0/25.0/16.7/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 40.0/25.0/0.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 0.000000000000 40.0/25.0/0.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 11.362193664675 40.0/25.0/3.3/5.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 11.362193664675 40.0/25.0/3.3/5.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 21.855615892311 40.0/25.0/12.3/18.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 21.855615892311 40.0/25.0/12.3/18.5 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 33.980884896942 40.0/40.0/25.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 33.980884896942 40.0/40.0/25.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 48.292520548612 40.0/53.8/45.5/55.6 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"smoothed twice"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 48.292520548612 40.0/53.8/45.5/55.6 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)"s},
    {"nasty lines"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 60.950026789716 78.1/66.5/56.2/47.3 (BP = 1.000 ratio = 1.020 hyp_len = 556 ref_len = 545)"s},
    {"nasty lines"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 56.992753149638 80.6/65.8/53.9/43.5 (BP = 0.960 ratio = 0.960 hyp_len = 583 ref_len = 607)"s},
    {"nasty lines"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 56.992753149638 80.6/65.8/53.9/43.5 (BP = 0.960 ratio = 0.960 hyp_len = 583 ref_len = 607)"s},
    {"nasty lines"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 60.077738605963 84.4/70.7/58.3/48.2 (BP = 0.939 ratio = 0.941 hyp_len = 634 ref_len = 674)"s},
    {"nasty lines"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 60.077738605963 84.4/70.7/58.3/48.2 (BP = 0.939 ratio = 0.941 hyp_len = 634 ref_len = 674)"s},
    {"nasty lines"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 74.130025607068 94.2/85.0/71.4/60.1 (BP = 0.968 ratio = 0.969 hyp_len = 1022 ref_len = 1055)"s},
    {"nasty lines"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 74.067536801601 94.1/84.8/71.4/60.1 (BP = 0.968 ratio = 0.969 hyp_len = 1023 ref_len = 1056)"s},
    {"nasty lines"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 27.226961160208 54.9/34.7/25.7/19.4 (BP = 0.873 ratio = 0.880 hyp_len = 206 ref_len = 234)"s},
    {"nasty lines"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 27.226961160208 54.9/34.7/25.7/19.4 (BP = 0.873 ratio = 0.880 hyp_len = 206 ref_len = 234)"s},
    {"nasty lines"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 61.098647369729 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 61.172797835853 78.6/66.8/56.3/47.4 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 61.172797835853 78.6/66.8/56.3/47.4 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 61.283376571300 78.6/66.9/56.4/47.5 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 61.283376571300 78.6/66.9/56.4/47.5 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"random lines"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 54.793918878502 80.6/64.0/50.0/37.0 (BP = 0.985 ratio = 0.986 hyp_len = 273 ref_len = 277)"s},
    {"random lines"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 54.793918878502 80.6/64.0/50.0/37.0 (BP = 0.985 ratio = 0.986 hyp_len = 273 ref_len = 277)"s},
    {"random lines"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 51.990929880335 80.7/62.7/49.0/37.1 (BP = 0.944 ratio = 0.945 hyp_len = 259 ref_len = 274)"s},
    {"random lines"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 51.990929880335 80.7/62.7/49.0/37.1 (BP = 0.944 ratio = 0.945 hyp_len = 259 ref_len = 274)"s},
    {"random lines"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 75.703928311421 91.3/83.7/72.0/60.8 (BP = 0.996 ratio = 0.996 hyp_len = 460 ref_len = 462)"s},
    {"random lines"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 75.703928311421 91.3/83.7/72.0/60.8 (BP = 0.996 ratio = 0.996 hyp_len = 460 ref_len = 462)"s},
    {"random lines"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 16.784432239950 52.4/24.2/15.9/6.1 (BP = 0.895 ratio = 0.900 hyp_len = 126 ref_len = 140)"s},
    {"random lines"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 16.784432239950 52.4/24.2/15.9/6.1 (BP = 0.895 ratio = 0.900 hyp_len = 126 ref_len = 140)"s},
    {"random lines"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 37.835009233765 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 38.252409041901 63.6/43.9/31.9/24.1 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 38.252409041901 63.6/43.9/31.9/24.1 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 38.863118155175 63.6/44.3/32.5/24.9 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 38.863118155175 63.6/44.3/32.5/24.9 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines with three references"s, "13a"s, false, "exp"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, true, "exp"s, -1.0, false, "BLEU|nrefs:3|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "intl"s, false, "exp"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0 = 56.881242668014 82.1/66.1/51.4/38.1 (BP = 0.996 ratio = 0.996 hyp_len = 273 ref_len = 274)"s},
    {"random lines with three references"s, "intl"s, true, "exp"s, -1.0, false, "BLEU|nrefs:3|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0 = 56.881242668014 82.1/66.1/51.4/38.1 (BP = 0.996 ratio = 0.996 hyp_len = 273 ref_len = 274)"s},
    {"random lines with three references"s, "zh"s, false, "exp"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0 = 54.475188726401 81.9/64.9/50.5/37.7 (BP = 0.966 ratio = 0.966 hyp_len = 259 ref_len = 268)"s},
    {"random lines with three references"s, "zh"s, true, "exp"s, -1.0, false, "BLEU|nrefs:3|case:lc|eff:no|tok:zh|smooth:exp|version:2.6.0 = 54.475188726401 81.9/64.9/50.5/37.7 (BP = 0.966 ratio = 0.966 hyp_len = 259 ref_len = 268)"s},
    {"random lines with three references"s, "char"s, false, "exp"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:char|smooth:exp|version:2.6.0 = 78.343981419561 92.6/85.8/74.8/63.4 (BP = 1.000 ratio = 1.009 hyp_len = 460 ref_len = 456)"s},
    {"random lines with three references"s, "char"s, true, "exp"s, -1.0, false, "BLEU|nrefs:3|case:lc|eff:no|tok:char|smooth:exp|version:2.6.0 = 78.343981419561 92.6/85.8/74.8/63.4 (BP = 1.000 ratio = 1.009 hyp_len = 460 ref_len = 456)"s},
    {"random lines with three references"s, "none"s, false, "exp"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0 = 18.841502843710 54.0/26.3/15.9/6.1 (BP = 0.976 ratio = 0.977 hyp_len = 126 ref_len = 129)"s},
    {"random lines with three references"s, "none"s, true, "exp"s, -1.0, false, "BLEU|nrefs:3|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0 = 18.841502843710 54.0/26.3/15.9/6.1 (BP = 0.976 ratio = 0.977 hyp_len = 126 ref_len = 129)"s},
    {"random lines with three references"s, "13a"s, false, "none"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:13a|smooth:none|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "none"s, -1.0, true, "BLEU|nrefs:3|case:mixed|eff:yes|tok:13a|smooth:none|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "floor"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "floor"s, -1.0, true, "BLEU|nrefs:3|case:mixed|eff:yes|tok:13a|smooth:floor[0.10]|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "floor"s, 0.37, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:13a|smooth:floor[0.37]|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "floor"s, 0.37, true, "BLEU|nrefs:3|case:mixed|eff:yes|tok:13a|smooth:floor[0.37]|version:2.6.0 = 42.720728671071 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "add-k"s, -1.0, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 43.111960821578 70.5/49.2/36.9/27.0 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "add-k"s, -1.0, true, "BLEU|nrefs:3|case:mixed|eff:yes|tok:13a|smooth:add-k[1.00]|version:2.6.0 = 43.111960821578 70.5/49.2/36.9/27.0 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "add-k"s, 2.5, false, "BLEU|nrefs:3|case:mixed|eff:no|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 43.684909400146 70.5/49.6/37.5/27.8 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "13a"s, false, "add-k"s, 2.5, true, "BLEU|nrefs:3|case:mixed|eff:yes|tok:13a|smooth:add-k[2.50]|version:2.6.0 = 43.684909400146 70.5/49.6/37.5/27.8 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
};

inline const std::vector<ChrfText> kChrfTexts = {
    {"two references"s, 6, 0, 2, false, false, false, "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 69.175913584502"s},
    {"two references"s, 6, 0, 2, true, false, false, "chrF2|nrefs:2|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 74.437410560806"s},
    {"two references"s, 6, 0, 2, false, true, false, "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 74.553792939963"s},
    {"two references"s, 6, 0, 2, false, false, true, "chrF2|nrefs:2|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 69.175776194211"s},
    {"two references"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 67.497975455740"s},
    {"two references"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:2|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 73.543631950245"s},
    {"two references"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 72.234467871123"s},
    {"two references"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:2|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 67.468998874347"s},
    {"two references"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:2|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 80.124029491444"s},
    {"two references"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:2|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 85.588051161568"s},
    {"two references"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:2|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 82.631606238374"s},
    {"two references"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:2|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 80.098319768713"s},
    {"two references"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:2|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 63.088006840993"s},
    {"two references"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:2|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 69.763605904148"s},
    {"two references"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:2|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 67.746166816848"s},
    {"two references"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:2|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 63.065854996334"s},
    {"case matters"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 48.855535804065"s},
    {"case matters"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 100.000000000000"s},
    {"case matters"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 63.624171093211"s},
    {"case matters"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 48.855535804065"s},
    {"case matters"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 47.058318519716"s},
    {"case matters"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 100.000000000000"s},
    {"case matters"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 58.134794986575"s},
    {"case matters"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 47.058318519716"s},
    {"case matters"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 81.341911764706"s},
    {"case matters"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 100.000000000000"s},
    {"case matters"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 84.875541125541"s},
    {"case matters"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 81.341911764706"s},
    {"case matters"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 37.646654815772"s},
    {"case matters"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 100.000000000000"s},
    {"case matters"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 47.132835989260"s},
    {"case matters"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 37.646654815772"s},
    {"nothing matches"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 6.289308176101"s},
    {"nothing matches"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 4.716981132075"s},
    {"nothing matches"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 10.000000000000"s},
    {"nothing matches"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 3.703703703704"s},
    {"nothing matches"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"an empty line among others"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 33.298147102495"s},
    {"an empty line among others"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 33.298147102495"s},
    {"an empty line among others"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 40.570777844806"s},
    {"an empty line among others"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 33.298147102495"s},
    {"an empty line among others"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 35.935754881839"s},
    {"an empty line among others"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 35.935754881839"s},
    {"an empty line among others"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 41.379436013523"s},
    {"an empty line among others"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 35.912852244374"s},
    {"an empty line among others"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 53.581567337090"s},
    {"an empty line among others"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 53.581567337090"s},
    {"an empty line among others"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 57.508442299924"s},
    {"an empty line among others"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 53.517713365539"s},
    {"an empty line among others"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 28.732443332413"s},
    {"an empty line among others"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 28.732443332413"s},
    {"an empty line among others"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 35.221485818327"s},
    {"an empty line among others"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 28.723385761412"s},
    {"too short for four words"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 50.000000000000"s},
    {"too short for four words"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 62.500000000000"s},
    {"too short for four words"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 100.000000000000"s},
    {"too short for four words"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 50.000000000000"s},
    {"smoothed twice"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 13.000000000000"s},
    {"smoothed twice"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 13.000000000000"s},
    {"smoothed twice"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 24.900793650794"s},
    {"smoothed twice"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 10.833333333333"s},
    {"smoothed twice"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 18.571428571429"s},
    {"smoothed twice"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 18.571428571429"s},
    {"smoothed twice"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 26.800595238095"s},
    {"smoothed twice"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 16.250000000000"s},
    {"smoothed twice"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 26.250000000000"s},
    {"smoothed twice"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 26.250000000000"s},
    {"smoothed twice"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 43.184523809524"s},
    {"smoothed twice"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 26.250000000000"s},
    {"smoothed twice"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 18.571428571429"s},
    {"smoothed twice"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 18.571428571429"s},
    {"smoothed twice"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 21.440476190476"s},
    {"smoothed twice"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 13.000000000000"s},
    {"nasty lines"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 65.617610339443"s},
    {"nasty lines"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 65.588409703889"s},
    {"nasty lines"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 62.944487363187"s},
    {"nasty lines"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 65.617581252878"s},
    {"nasty lines"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 62.719944054992"s},
    {"nasty lines"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 62.698051630860"s},
    {"nasty lines"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 60.716484886599"s},
    {"nasty lines"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 62.708380432808"s},
    {"nasty lines"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 78.244731188933"s},
    {"nasty lines"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 78.159065634083"s},
    {"nasty lines"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 77.143778015250"s},
    {"nasty lines"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 78.223985055570"s},
    {"nasty lines"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 56.286939044102"s},
    {"nasty lines"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 56.285351206589"s},
    {"nasty lines"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 53.869481511571"s},
    {"nasty lines"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 56.281748453886"s},
    {"random lines"s, 6, 0, 2, false, false, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482"s},
    {"random lines"s, 6, 0, 2, true, false, false, "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482"s},
    {"random lines"s, 6, 0, 2, false, true, false, "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 63.194084855077"s},
    {"random lines"s, 6, 0, 2, false, false, true, "chrF2|nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 66.170525594057"s},
    {"random lines"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.765739743050"s},
    {"random lines"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.765739743050"s},
    {"random lines"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 59.541582804626"s},
    {"random lines"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:1|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 61.747726903291"s},
    {"random lines"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 77.736430350108"s},
    {"random lines"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:1|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 77.736430350108"s},
    {"random lines"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:1|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 76.227406321373"s},
    {"random lines"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:1|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 77.703123489451"s},
    {"random lines"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 55.221274427545"s},
    {"random lines"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:1|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 55.221274427545"s},
    {"random lines"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:1|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 52.935021160203"s},
    {"random lines"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:1|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 55.213186019047"s},
    {"random lines with three references"s, 6, 0, 2, false, false, false, "chrF2|nrefs:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482"s},
    {"random lines with three references"s, 6, 0, 2, true, false, false, "chrF2|nrefs:3|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482"s},
    {"random lines with three references"s, 6, 0, 2, false, true, false, "chrF2|nrefs:3|case:mixed|eff:yes|nc:6|nw:0|space:yes|version:2.6.0 = 63.168925762705"s},
    {"random lines with three references"s, 6, 0, 2, false, false, true, "chrF2|nrefs:3|case:mixed|eff:no|nc:6|nw:0|space:no|version:2.6.0 = 66.170525594057"s},
    {"random lines with three references"s, 6, 2, 2, false, false, false, "chrF2++|nrefs:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.788836049055"s},
    {"random lines with three references"s, 6, 2, 2, true, false, false, "chrF2++|nrefs:3|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.788836049055"s},
    {"random lines with three references"s, 6, 2, 2, false, true, false, "chrF2++|nrefs:3|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:2.6.0 = 59.597381481366"s},
    {"random lines with three references"s, 6, 2, 2, false, false, true, "chrF2++|nrefs:3|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0 = 61.774698115891"s},
    {"random lines with three references"s, 3, 1, 1, false, false, false, "chrF1+|nrefs:3|case:mixed|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 77.732078956286"s},
    {"random lines with three references"s, 3, 1, 1, true, false, false, "chrF1+|nrefs:3|case:lc|eff:yes|nc:3|nw:1|space:no|version:2.6.0 = 77.732078956286"s},
    {"random lines with three references"s, 3, 1, 1, false, true, false, "chrF1+|nrefs:3|case:mixed|eff:yes|nc:3|nw:1|space:yes|version:2.6.0 = 76.227406321373"s},
    {"random lines with three references"s, 3, 1, 1, false, false, true, "chrF1+|nrefs:3|case:mixed|eff:no|nc:3|nw:1|space:no|version:2.6.0 = 77.706050913708"s},
    {"random lines with three references"s, 8, 2, 3, false, false, false, "chrF3++|nrefs:3|case:mixed|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 55.094172866798"s},
    {"random lines with three references"s, 8, 2, 3, true, false, false, "chrF3++|nrefs:3|case:lc|eff:yes|nc:8|nw:2|space:no|version:2.6.0 = 55.094172866798"s},
    {"random lines with three references"s, 8, 2, 3, false, true, false, "chrF3++|nrefs:3|case:mixed|eff:yes|nc:8|nw:2|space:yes|version:2.6.0 = 52.939811260537"s},
    {"random lines with three references"s, 8, 2, 3, false, false, true, "chrF3++|nrefs:3|case:mixed|eff:no|nc:8|nw:2|space:no|version:2.6.0 = 55.152706399888"s},
};

inline const std::vector<TerText> kTerTexts = {
    {"two references"s, false, false, false, false, "TER|nrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 27.027027027027"s},
    {"two references"s, true, false, false, false, "TER|nrefs:2|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 27.027027027027"s},
    {"two references"s, false, false, false, true, "TER|nrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 27.027027027027"s},
    {"two references"s, true, false, false, true, "TER|nrefs:2|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 27.027027027027"s},
    {"two references"s, false, false, true, false, "TER|nrefs:2|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 21.621621621622"s},
    {"two references"s, true, false, true, false, "TER|nrefs:2|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 27.027027027027"s},
    {"two references"s, false, false, true, true, "TER|nrefs:2|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 21.621621621622"s},
    {"two references"s, true, false, true, true, "TER|nrefs:2|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 27.027027027027"s},
    {"two references"s, false, true, false, false, "TER|nrefs:2|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 16.666666666667"s},
    {"two references"s, true, true, false, false, "TER|nrefs:2|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 25.000000000000"s},
    {"two references"s, false, true, false, true, "TER|nrefs:2|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 16.666666666667"s},
    {"two references"s, true, true, false, true, "TER|nrefs:2|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 25.000000000000"s},
    {"two references"s, false, true, true, false, "TER|nrefs:2|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 19.512195121951"s},
    {"two references"s, true, true, true, false, "TER|nrefs:2|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 29.268292682927"s},
    {"two references"s, false, true, true, true, "TER|nrefs:2|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 19.512195121951"s},
    {"two references"s, true, true, true, true, "TER|nrefs:2|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 29.268292682927"s},
    {"case matters"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 50.000000000000"s},
    {"case matters"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"case matters"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 50.000000000000"s},
    {"nothing matches"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"nothing matches"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 100.000000000000"s},
    {"an empty line among others"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 53.846153846154"s},
    {"an empty line among others"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 57.894736842105"s},
    {"an empty line among others"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 57.894736842105"s},
    {"an empty line among others"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 57.894736842105"s},
    {"an empty line among others"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 57.894736842105"s},
    {"an empty line among others"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 62.500000000000"s},
    {"an empty line among others"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 62.500000000000"s},
    {"an empty line among others"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 62.500000000000"s},
    {"an empty line among others"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 62.500000000000"s},
    {"too short for four words"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"too short for four words"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 0.000000000000"s},
    {"smoothed twice"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"smoothed twice"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 60.000000000000"s},
    {"nasty lines"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.136752136752"s},
    {"nasty lines"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.136752136752"s},
    {"nasty lines"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 52.136752136752"s},
    {"nasty lines"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 52.136752136752"s},
    {"nasty lines"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 51.741293532338"s},
    {"nasty lines"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 51.741293532338"s},
    {"nasty lines"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 51.741293532338"s},
    {"nasty lines"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 51.741293532338"s},
    {"nasty lines"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 26.003490401396"s},
    {"nasty lines"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 25.739130434783"s},
    {"nasty lines"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 25.525040387722"s},
    {"nasty lines"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 25.281803542673"s},
    {"nasty lines"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 27.990970654628"s},
    {"nasty lines"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 27.927927927928"s},
    {"nasty lines"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 27.234927234927"s},
    {"nasty lines"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 27.178423236515"s},
    {"random lines"s, false, false, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.857142857143"s},
    {"random lines"s, true, false, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.857142857143"s},
    {"random lines"s, false, false, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 52.857142857143"s},
    {"random lines"s, true, false, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 52.857142857143"s},
    {"random lines"s, false, false, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 50.000000000000"s},
    {"random lines"s, true, false, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 50.000000000000"s},
    {"random lines"s, false, false, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 50.000000000000"s},
    {"random lines"s, true, false, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 50.000000000000"s},
    {"random lines"s, false, true, false, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 38.738738738739"s},
    {"random lines"s, true, true, false, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 38.738738738739"s},
    {"random lines"s, false, true, false, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 36.363636363636"s},
    {"random lines"s, true, true, false, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 36.363636363636"s},
    {"random lines"s, false, true, true, false, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 43.037974683544"s},
    {"random lines"s, true, true, true, false, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 43.037974683544"s},
    {"random lines"s, false, true, true, true, "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 39.520958083832"s},
    {"random lines"s, true, true, true, true, "TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 39.520958083832"s},
    {"random lines with three references"s, false, false, false, false, "TER|nrefs:3|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 53.350515463918"s},
    {"random lines with three references"s, true, false, false, false, "TER|nrefs:3|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 53.350515463918"s},
    {"random lines with three references"s, false, false, false, true, "TER|nrefs:3|case:lc|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 53.350515463918"s},
    {"random lines with three references"s, true, false, false, true, "TER|nrefs:3|case:mixed|tok:tercom|norm:no|punct:yes|asian:yes|version:2.6.0 = 53.350515463918"s},
    {"random lines with three references"s, false, false, true, false, "TER|nrefs:3|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 51.754385964912"s},
    {"random lines with three references"s, true, false, true, false, "TER|nrefs:3|case:mixed|tok:tercom|norm:no|punct:no|asian:no|version:2.6.0 = 51.754385964912"s},
    {"random lines with three references"s, false, false, true, true, "TER|nrefs:3|case:lc|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 51.754385964912"s},
    {"random lines with three references"s, true, false, true, true, "TER|nrefs:3|case:mixed|tok:tercom|norm:no|punct:no|asian:yes|version:2.6.0 = 51.754385964912"s},
    {"random lines with three references"s, false, true, false, false, "TER|nrefs:3|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 37.068965517241"s},
    {"random lines with three references"s, true, true, false, false, "TER|nrefs:3|case:mixed|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0 = 37.068965517241"s},
    {"random lines with three references"s, false, true, false, true, "TER|nrefs:3|case:lc|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 34.854771784232"s},
    {"random lines with three references"s, true, true, false, true, "TER|nrefs:3|case:mixed|tok:tercom|norm:yes|punct:yes|asian:yes|version:2.6.0 = 34.854771784232"s},
    {"random lines with three references"s, false, true, true, false, "TER|nrefs:3|case:lc|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 41.295546558704"s},
    {"random lines with three references"s, true, true, true, false, "TER|nrefs:3|case:mixed|tok:tercom|norm:yes|punct:no|asian:no|version:2.6.0 = 41.295546558704"s},
    {"random lines with three references"s, false, true, true, true, "TER|nrefs:3|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 38.003838771593"s},
    {"random lines with three references"s, true, true, true, true, "TER|nrefs:3|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0 = 38.003838771593"s},
};

inline const std::vector<TerSegment> kTerSegments = {
    {"0 0"s, ""s, 2},
    {"0"s, "0"s, 0},
    {"0 0 0 0 0"s, "0 0 0 0"s, 1},
    {"0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, "0 0 0 0 0 0 0 0 0 0 0 0"s, 2},
    {"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, 0},
    {"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, 3},
    {"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"s, 1},
    {"0"s, ""s, 1},
    {"0"s, "0"s, 0},
    {"0 1 1"s, "0 0 1 1"s, 1},
    {"1 0 0 1 0 0 1 1 0 1 0 0 0"s, "0 0 0 0 1 0 1 0 0 1 0 0"s, 3},
    {"1 1 0 0 0 0 0 0 1 0 0 0 0 1 0 1 0 1 1 0 0 0 0 0 1 0 1 1 1 1"s, "1 1 0 0 1 1 1 0 0 0 1 0 0 0 0 1 0 1 1 1 1 0 0 1 0 0 1 0 0 0"s, 4},
    {"1 0 0 0 1 1 1 1 0 0 0 0 0 1 1 1 0 0 0 0 0 1 1 1 0 1 1 1 0 1 0 1 0 1 0 0 1 0 1 1 1 0 0 1 1 0 0 1 1 1 0 0 0 0 0 0 0 1 1 1 0 1 1 1 0 1 0 0 0"s, "0 1 0 0 0 0 0 0 0 0 1 1 1 0 1 1 1 1 1 1 1 0 0 0 0 0 1 1 1 0 1 0 1 0 1 0 0 1 0 1 1 1 0 0 1 1 0 0 1 1 1 0 0 0 0 0 0 0 1 1 1 0 1 1 1 0 1 0 0 0"s, 3},
    {"0 1 1 1 0 1 1 1 0 1 0 0 1 0 0 0 1 0 1 0 0 0 1 1 0 0 1 1 1 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 1 1 1 1 1 0 1 0 1 0 0 0 1 1 0 1 1 1 0 0 0 1 0 0 1 0 1 0 1 0 0 0 1 1 0 0 1 1 1 0 1 0 0 1 0 0 0 1 1 0 1 0 1 0 1 0 0 1 1 1 1 0 0 0 0 0 0 0 0 1 1 1 0 0 1 0 1 0 1 1 0 0 0 0 1 0 0"s, "0 0 1 0 0 0 1 0 1 0 0 0 1 1 0 0 1 1 1 1 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 1 1 1 1 1 0 0 1 1 0 0 0 1 1 0 1 1 1 0 0 0 1 0 0 1 0 1 0 1 0 0 0 1 1 0 0 1 1 1 0 1 0 0 1 0 0 0 1 1 0 1 0 1 0 1 0 0 1 1 1 1 0 0 0 0 0 0 0 1 1 1 0 0 1 0 1 0 1 1 0 0 0 0 1 0 0 1 1 1 0 1 1 1 0 1"s, 21},
    {"0 2"s, ""s, 2},
    {"0 2 0 0"s, "1"s, 4},
    {"2 2 2 1 2 2"s, "2 2 2 2"s, 2},
    {"1 0 1 2 2 1 2 1 2 0 2 1 2"s, "1 2 1 2 1 2 2 2 1 1 2 2"s, 3},
    {"2 1 1 1 1 1 0 2 2 2 0 1 2 0 0 0 1 2 2 1 1 0 2 2 0 2 2 0 1 1"s, "2 1 1 2 2 2 2 2 0 1 2 0 0 0 1 2 1 1 0 2 1 1 0 2 2 0 2 2 1 1"s, 4},
    {"1 2 2 2 2 0 0 0 2 0 2 2 2 2 2 1 1 1 0 2 2 0 1 1 1 0 2 1 1 0 1 2 0 2 2 2 0 0 1 0 2 0 1 0 1 2 1 0 2 2 1 0 0 0 1 0 0 1 2 0 0 0 1 0 1 2 0"s, "0 2 0 2 2 2 2 2 2 1 1 0 1 1 2 2 0 1 1 1 0 2 1 0 1 0 0 0 1 2 2 2 2 0 1 0 1 2 0 2 2 1 2 0 0 1 0 2 0 1 0 1 2 1 0 2 2 1 0 0 0 2 0 0 0 1 0 1 2 0"s, 9},
    {"0 2 1 0 2 1 0 0 0 1 1 2 0 1 1 0 1 1 2 2 2 2 0 1 1 1 0 2 1 0 0 1 0 1 2 2 0 0 1 0 2 1 1 0 2 2 0 1 1 0 0 1 1 0 0 0 0 1 0 0 1 2 1 1 2 0 0 0 0 1 0 1 2 0 1 2 2 2 0 1 1 1 2 1 2 0 0 0 1 2 1 2 2 2 2 2 2 0 0 0 1 2 1 1 1 0 0 1 0 1 0 1 0 1 0 1 1 0 0 1 1 0 2 2 0 0 1 0 0"s, "0 2 1 0 2 0 1 1 1 2 0 1 2 2 1 0 0 1 1 2 0 1 1 0 1 1 2 2 0 2 0 1 1 1 0 2 1 0 0 1 0 1 2 2 0 0 1 0 2 1 1 0 2 1 0 0 1 1 0 0 0 0 1 0 0 1 2 1 1 2 0 0 0 0 1 0 1 2 0 1 2 2 1 2 0 0 0 1 2 1 2 2 2 2 2 2 0 0 0 1 2 1 1 1 0 0 1 0 1 0 1 0 1 0 1 1 0 1 0 1 1 1 0 2 2 0 0 1 0 0"s, 11},
    {"1 1 3 4"s, ""s, 4},
    {"0 0"s, "7"s, 2},
    {"0 3 6 2 7 6 7"s, "0 3 6 3"s, 4},
    {"0 3 6 1 4 5 6 2 7 5 1 7"s, "0 3 6 1 4 5 6 2 7 5 1 7"s, 0},
    {"0 0 1 1 5 1 2 5 1 5 4 4 7 2 1 3 7 6 4 4 0 7 2 2 0 5 1 0 4 6 1 3 4"s, "3 7 0 0 1 1 5 2 5 5 4 4 7 2 1 4 4 0 4 6 2 3 4 7 2 2 0 5 1 0"s, 9},
    {"4 4 7 4 4 6 0 5 7 4 5 3 7 1 2 5 7 6 2 3 1 6 7 6 2 3 2 7 7 5 0 2 6 4 7 3 3 2 2 6 4 5 4 1 3 4 6 5 4 7 1 1 1 1 5 1 1 4 2 0 6 2 5 4 1 6 5 1 4 1 4 5 2"s, "4 4 7 4 4 0 5 7 7 6 2 3 4 5 3 7 1 2 5 1 6 7 6 2 3 2 7 2 7 5 0 2 6 4 7 3 3 2 6 4 5 4 1 3 4 6 5 4 7 1 1 1 5 1 1 4 2 0 6 2 5 4 1 6 5 1 4 1 4 5"s, 5},
    {"5 5 1 7 6 1 2 3 1 1 1 6 6 1 4 4 7 6 0 3 2 6 2 3 5 1 2 4 0 7 4 7 4 4 2 4 7 7 6 1 2 3 7 1 7 3 2 3 2 2 1 7 4 7 2 7 1 4 4 5 6 4 3 1 5 7 0 4 0 2 6 0 7 0 1 3 0 5 7 7 4 5 0 4 2 6 4 6 5 2 4 3 0 0 7 2 4 6 4 6 7 5 5 0 2 7 0 7 7 5 0 3 0 7 1 3 2 2 3 6 1 6 1 3 4 0 3 3 1 5 0"s, "5 5 1 7 6 1 2 3 1 1 1 6 6 1 4 4 7 6 0 3 2 6 2 3 5 1 2 4 0 7 4 7 4 4 2 4 7 7 6 1 2 3 7 1 7 3 2 3 2 1 7 4 7 2 7 1 4 4 5 0 1 3 0 5 7 7 4 5 0 4 2 6 4 6 5 2 4 3 0 0 7 2 4 6 4 6 7 5 5 0 2 7 0 7 7 5 0 3 0 7 1 3 2 2 3 6 1 6 6 3 4 0 3 3 1 5 6 4 3 1 5 7 0 4 0 2 6 0 7 0"s, 22},
    {""s, ""s, 0},
    {"39 19 2"s, "39"s, 2},
    {"12 24 25"s, "12 24 25 10"s, 1},
    {"13 8 25 28 9 26 1 17 29 33 12 17"s, "13 8 25 28 9 26 1 17 29 33 12 17"s, 0},
    {"35 28 12 12 20 37 16 2 12 34 10 3 23 6 38 27 23 9 18 11 0 34 9 20 5 27 6 0 35 29 31"s, "35 28 12 12 20 37 16 2 12 34 10 23 6 38 27 23 9 18 11 0 34 9 27 6 0 35 29 20 5 31"s, 2},
    {"36 28 21 38 34 26 10 27 35 28 1 14 30 18 6 32 4 34 30 14 5 38 20 6 5 20 26 11 20 22 2 19 7 33 5 5 16 31 32 30 28 31 13 28 19 9 27 17 39 28 36 4 33 15 18 5 37 19 32 24 18 26 6 10 32 22 27 5 21 13 22 6"s, "36 28 21 38 34 26 10 25 27 35 28 1 14 30 18 6 32 4 34 30 14 5 38 20 6 5 20 26 11 20 22 2 19 7 33 5 5 2 31 32 30 13 28 19 9 27 17 39 28 36 4 33 15 18 5 37 19 4 24 18 26 6 10 22 27 5 21 13 22 6"s, 6},
    {"39 25 27 7 8 4 28 20 2 19 23 26 38 37 6 11 19 2 36 6 37 3 4 5 18 18 18 27 14 2 27 29 18 10 21 33 32 36 25 29 19 29 2 11 23 30 20 39 5 7 28 17 23 21 7 24 25 28 16 8 9 0 28 9 34 29 22 17 11 11 26 0 25 20 16 12 39 9 27 39 33 29 7 18 24 2 26 12 25 15 31 37 32 1 7 35 19 6 21 21 39 22 10 0 2 12 31 2 17 30 33 13 2 14 21 20 14 23 29 1 7 12 6 19 19 7 15 4 7 37"s, "39 25 27 7 8 4 28 20 2 19 23 26 38 37 6 11 0 28 9 19 2 36 6 37 3 4 5 18 18 18 27 14 2 27 29 18 10 21 33 32 36 25 29 39 29 2 11 23 30 20 39 5 7 28 17 23 21 7 24 25 28 16 8 9 34 29 22 17 11 11 26 0 25 20 16 12 39 9 27 39 33 29 7 18 24 2 12 12 25 15 31 37 32 1 7 35 19 6 21 21 39 22 10 0 2 12 31 2 17 30 33 13 2 14 21 20 14 23 29 1 2 7 12 6 19 7 15 4 7 37"s, 5},
    {""s, ""s, 0},
    {"246 606 857"s, "746"s, 3},
    {"577 649 233 220"s, "274 649 220 875"s, 3},
    {"242 598 222 288 861 748 141 210 392 680 707 211"s, "242 210 392 680 662 598 222 288 861 748 141 211"s, 3},
    {"260 80 611 191 603 476 486 967 534 858 136 805 319 388 14 309 14 819 558 665 692 759 655 354 581 573 169 619 163"s, "260 80 611 191 603 476 819 558 665 97 692 759 655 354 581 486 967 534 858 14 309 14 573 169 619 163 671 805 319 388"s, 6},
    {"759 104 625 951 862 21 935 772 185 301 559 31 203 276 733 165 283 409 846 931 277 81 655 360 319 711 115 639 249 21 618 234 966 287 825 916 387 452 827 263 68 491 404 496 153 415 683 912 738 961 550 63 789 979 407 627 612 45 206 517 790 678 264 338 515 700 179 376 441"s, "759 104 625 951 862 21 935 510 185 301 559 31 203 276 733 165 283 409 846 931 277 81 655 360 319 711 115 639 249 21 618 234 966 287 825 916 387 452 827 263 68 491 404 496 153 415 683 912 738 488 961 550 63 789 979 407 627 612 45 206 517 790 678 264 338 515 700 179 376 441"s, 2},
    {"232 427 503 491 536 870 739 180 783 830 479 492 962 502 453 646 580 244 242 331 727 731 225 979 150 86 449 125 795 456 667 479 552 666 808 11 880 691 150 14 498 714 630 695 715 143 981 114 822 47 848 779 66 862 436 451 935 188 968 122 774 21 341 807 106 446 544 683 532 147 652 773 886 347 731 229 167 505 524 505 868 673 915 575 330 50 788 982 601 326 9 511 43 208 194 561 951 259 284 995 305 235 831 685 247 454 683 68 582 508 917 942 488 238 336 424 265 221 372 446 0 322 122 120 152 243 322 293 786 240 964"s, "232 427 503 491 536 870 739 180 783 830 479 492 962 502 453 646 580 244 242 331 727 731 225 979 150 86 125 795 456 667 479 552 666 808 11 880 691 150 14 498 714 630 695 715 143 981 114 822 47 848 779 66 862 436 451 935 188 968 122 774 21 341 807 788 446 544 683 532 652 773 886 347 731 229 993 167 505 524 505 868 673 915 575 330 50 788 982 601 326 9 511 43 208 194 561 951 259 284 995 305 235 831 685 247 454 683 68 582 508 917 942 488 238 336 424 265 221 372 446 0 322 122 810 152 243 322 293 786 240 964"s, 5},
    {"b"s, "c c b a d d d a a c d a a a c c d b b c c c a d d a d d c d a c a b d a a b d b d c b b a a a d d a d c b c d c b b d d"s, 59},
    {"c"s, "a c a c d a d a b a b d b b c b a d b b d d b d b c d a d c a d c c b a c c c a c c c b b d d c c d d b b a c a a b d d a d b c b d a a d c b c b d c c c d c b b a d c b a d c c a c b c d b d b d d c a b a d b a c c a a c d a b b c c b d b b d c d d c c c c a c d d b c a a a a d"s, 139},
    {"a c b"s, "d d a d c c c a b a d b a c c b b a d a b d a b d a c a a b b d d c a b b d c d a b d c b a d a d b c d d d d b c c d d a a a b d b c c d a c c d a a a a a b a b d d c d b c b b a c c a d d b c b b a b d b a a c c d d d a d a c b a a a c a a d a b d a b d c a a a b d c c b c d b b b b b a d d a c d b a b a d b b d c b c a c c b c c b d b d b c a b c c b a d a a b c c c a d b d b d b b c c b d a a"s, 197},
    {"c c d b c a a d c a c d d d a c d b d c a a c c d c c b a c b c b a b a b c a b c c d a d c d d d b a b b c b b c d b d c d d b c c a c b d a d a c b a d b a d d a c c b b d a c b d a d c c b c b b b b b c d d d b b d a b b c b a c b d a b d c b a d c b a b d b c d d a b c a b a a a c d d b b d d d a d d c c b d a b a c c a d d b d a d b c d d b b c c b b d a c d c b c c c c c b a d b d c b a c c"s, "b b c"s, 197},
    {"d b c d b b c d b b d a b c d a a c c b d b a d c b c d a b c c d a a b a a a a c d d c c d d a c a b b d c a b b a b c b c d c a d b b c b c b b d b b d d b b b b c b c d b a b c d d a c c d c a a a b b b d c b b b b c b d d a c b a b c d b d b a d c b d a a b b b d b d d d b b"s, "d"s, 139},
    {"c a c c c d a a c c c a a b c d c b a a d b b b c a a a a a c c d c a a d c a a a c c b d c c c a b c b d b b d c c d d"s, "d c c c c b c b d b d a c c d c d d c d c c b d d c a a b c d d a c b a b b d b c c b d d b b c a a d d c a d a b d a c c b a d b b d a d b c a a b a b d a d d a c b b c b b b d d b d d b a d a d d a b d c d c c c d a b a c a b a a a d a c"s, 66},
    {"a c c a c c d c d a b c c d c a b d a c b c c c d a d b d a d b a d d a c c a a a c c c d a b b c c b a d b a c c a a c a a a c b a b b c d b b a a d c a d b a b b a b c c b d b b d d c b d d c b b a b b c a a c b b a d a c a b a d a d c a"s, "a d a c b b b c b d c d c c b d b d b b c a b c a a c d c b c b c c b a c a d b a c d d d d b d b b b b b d c a c a d b"s, 68},
    {"x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 a50 a51 a52 a53 a54 a55 a56 a57 a58 a59"s, "a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 a50 a51 a52 a53 a54 a55 a56 a57 a58 a59 y0 y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 y11 y12 y13 y14 y15 y16 y17 y18 y19 y20 y21 y22 y23 y24 y25 y26 y27 y28 y29"s, 90},
    {"w a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 a50 a51 a52 a53 a54 a55 a56 a57 a58 a59"s, "a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 w a50 a51 a52 a53 a54 a55 a56 a57 a58 a59"s, 1},
    {"w a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 a50 a51 a52 a53 a54 a55 a56 a57 a58 a59"s, "a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 a50 w a51 a52 a53 a54 a55 a56 a57 a58 a59"s, 2},
    {""s, ""s, 0},
};

inline const std::vector<ResampledText> kResampledTexts = {
    {"two references"s, "BLEU"s, 1000, 12345, "BLEU|nrefs:2|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 61.817554368810 (μ = 60.941525545862 ± 20.322126596786) 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "chrF2"s, 1000, 12345, "chrF2|nrefs:2|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 69.175913584502 (μ = 69.089904785156 ± 12.434387207031)"s},
    {"two references"s, "chrF2++"s, 1000, 12345, "chrF2++|nrefs:2|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 67.497975455740 (μ = 67.290679931641 ± 9.807445526123)"s},
    {"two references"s, "TER"s, 1000, 12345, "TER|nrefs:2|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 27.027027027027 (μ = 27.344923019409 ± 8.181818008423)"s},
    {"two references"s, "BLEU"s, 77, 3, "BLEU|nrefs:2|bs:77|seed:3|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 61.817554368810 (μ = 60.785586164006 ± 9.197862513607) 95.8/76.2/50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)"s},
    {"two references"s, "chrF2"s, 77, 3, "chrF2|nrefs:2|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 69.175913584502 (μ = 69.012573242188 ± 11.117008209229)"s},
    {"two references"s, "chrF2++"s, 77, 3, "chrF2++|nrefs:2|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 67.497975455740 (μ = 67.344734191895 ± 7.732440948486)"s},
    {"two references"s, "TER"s, 77, 3, "TER|nrefs:2|bs:77|seed:3|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 27.027027027027 (μ = 27.088140487671 ± 4.678360939026)"s},
    {"nothing matches"s, "BLEU"s, 1000, 12345, "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "chrF2"s, 1000, 12345, "chrF2|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, "chrF2++"s, 1000, 12345, "chrF2++|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, "TER"s, 1000, 12345, "TER|nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 100.000000000000 (μ = 100.000000000000 ± 0.000000000000)"s},
    {"nothing matches"s, "BLEU"s, 77, 3, "BLEU|nrefs:1|bs:77|seed:3|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 0.000000000000 0.0/0.0/0.0/0.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)"s},
    {"nothing matches"s, "chrF2"s, 77, 3, "chrF2|nrefs:1|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, "chrF2++"s, 77, 3, "chrF2++|nrefs:1|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 0.000000000000"s},
    {"nothing matches"s, "TER"s, 77, 3, "TER|nrefs:1|bs:77|seed:3|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 100.000000000000 (μ = 100.000000000000 ± 0.000000000000)"s},
    {"nasty lines"s, "BLEU"s, 1000, 12345, "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 61.098647369729 (μ = 59.729124761653 ± 11.734786095775) 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "chrF2"s, 1000, 12345, "chrF2|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 65.617610339443 (μ = 65.586433410645 ± 5.098407745361)"s},
    {"nasty lines"s, "chrF2++"s, 1000, 12345, "chrF2++|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 62.719944054992 (μ = 62.534553527832 ± 6.360790252686)"s},
    {"nasty lines"s, "TER"s, 1000, 12345, "TER|nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.136752136752 (μ = 52.885894775391 ± 10.897438049316)"s},
    {"nasty lines"s, "BLEU"s, 77, 3, "BLEU|nrefs:1|bs:77|seed:3|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 61.098647369729 (μ = 59.381775501529 ± 11.377455717874) 78.6/66.7/56.2/47.3 (BP = 1.000 ratio = 1.011 hyp_len = 556 ref_len = 550)"s},
    {"nasty lines"s, "chrF2"s, 77, 3, "chrF2|nrefs:1|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 65.617610339443 (μ = 65.603294372559 ± 5.124502182007)"s},
    {"nasty lines"s, "chrF2++"s, 77, 3, "chrF2++|nrefs:1|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 62.719944054992 (μ = 62.415149688721 ± 6.743110656738)"s},
    {"nasty lines"s, "TER"s, 77, 3, "TER|nrefs:1|bs:77|seed:3|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.136752136752 (μ = 52.838092803955 ± 8.933933258057)"s},
    {"random lines"s, "BLEU"s, 1000, 12345, "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 37.835009233765 (μ = 37.657627300147 ± 9.822603549145) 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "chrF2"s, 1000, 12345, "chrF2|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482 (μ = 66.194305419922 ± 4.873220443726)"s},
    {"random lines"s, "chrF2++"s, 1000, 12345, "chrF2++|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.765739743050 (μ = 61.747722625732 ± 4.413009643555)"s},
    {"random lines"s, "TER"s, 1000, 12345, "TER|nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.857142857143 (μ = 53.101432800293 ± 8.849205017090)"s},
    {"random lines"s, "BLEU"s, 77, 3, "BLEU|nrefs:1|bs:77|seed:3|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 37.835009233765 (μ = 38.397349525615 ± 10.140322892629) 63.6/43.5/31.4/23.5 (BP = 1.000 ratio = 1.130 hyp_len = 217 ref_len = 192)"s},
    {"random lines"s, "chrF2"s, 77, 3, "chrF2|nrefs:1|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482 (μ = 66.502403259277 ± 5.000558853149)"s},
    {"random lines"s, "chrF2++"s, 77, 3, "chrF2++|nrefs:1|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.765739743050 (μ = 62.131431579590 ± 4.139127731323)"s},
    {"random lines"s, "TER"s, 77, 3, "TER|nrefs:1|bs:77|seed:3|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 52.857142857143 (μ = 52.372615814209 ± 8.455883026123)"s},
    {"random lines with three references"s, "BLEU"s, 1000, 12345, "BLEU|nrefs:3|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 42.720728671071 (μ = 42.365376133059 ± 9.110771375325) 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "chrF2"s, 1000, 12345, "chrF2|nrefs:3|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482 (μ = 66.194305419922 ± 4.873220443726)"s},
    {"random lines with three references"s, "chrF2++"s, 1000, 12345, "chrF2++|nrefs:3|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.788836049055 (μ = 61.775234222412 ± 4.427892684937)"s},
    {"random lines with three references"s, "TER"s, 1000, 12345, "TER|nrefs:3|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 53.350515463918 (μ = 53.476375579834 ± 10.208120346069)"s},
    {"random lines with three references"s, "BLEU"s, 77, 3, "BLEU|nrefs:3|bs:77|seed:3|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 42.720728671071 (μ = 43.033827803503 ± 8.882149791312) 70.5/48.9/36.5/26.5 (BP = 1.000 ratio = 1.048 hyp_len = 217 ref_len = 207)"s},
    {"random lines with three references"s, "chrF2"s, 77, 3, "chrF2|nrefs:3|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 66.170542299482 (μ = 66.502403259277 ± 5.000558853149)"s},
    {"random lines with three references"s, "chrF2++"s, 77, 3, "chrF2++|nrefs:3|bs:77|seed:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 61.788836049055 (μ = 62.158737182617 ± 4.185918807983)"s},
    {"random lines with three references"s, "TER"s, 77, 3, "TER|nrefs:3|bs:77|seed:3|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 53.350515463918 (μ = 53.033679962158 ± 8.693016052246)"s},
};

inline const std::vector<SystemsTable> kSystemsTables = {
    {2, 0, false, 1, R"(╒═══════════════╤════════╤═════════╕
│        System │  BLEU  │  chrF2  │
╞═══════════════╪════════╪═════════╡
│           one │  37.8  │  66.2   │
├───────────────┼────────┼─────────┤
│ a/longer/name │  38.0  │  65.2   │
├───────────────┼────────┼─────────┤
│          drei │  1.5   │   6.2   │
╘═══════════════╧════════╧═════════╛

-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
 - chrF2      nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
)"},
    {2, 0, true, 4, R"([
    {
        "system": "one",
        "BLEU": "37.8350",
        "chrF2": "66.1705"
    },
    {
        "system": "a/longer/name",
        "BLEU": "38.0189",
        "chrF2": "65.1838"
    },
    {
        "system": "drei",
        "BLEU": "1.4997",
        "chrF2": "6.1946"
    }
]
)"},
    {2, 1000, false, 1, R"(╒═══════════════╤═════════════════════╤══════════════════════╕
│        System │  BLEU (μ ± 95% CI)  │  chrF2 (μ ± 95% CI)  │
╞═══════════════╪═════════════════════╪══════════════════════╡
│ Baseline: one │  37.8 (37.7 ± 9.8)  │  66.2 (66.2 ± 4.9)   │
├───────────────┼─────────────────────┼──────────────────────┤
│ a/longer/name │  38.0 (38.2 ± 7.9)  │  65.2 (65.3 ± 5.5)   │
│               │    (p = 0.4026)     │     (p = 0.3037)     │
├───────────────┼─────────────────────┼──────────────────────┤
│          drei │   1.5 (1.4 ± 1.1)   │   6.2 (6.0 ± 4.4)    │
│               │    (p = 0.0010)*    │    (p = 0.0010)*     │
╘═══════════════╧═════════════════════╧══════════════════════╛

------------------------------------------------------------
Paired bootstrap resampling test with 1000 resampling trials
------------------------------------------------------------
 - Each system is pairwise compared to Baseline: one.
   Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric.

 - Null hypothesis: the system and the baseline translations are essentially
   generated by the same underlying process. For a given system and the baseline,
   the p-value is roughly the probability of the absolute score difference (delta)
   or higher occurring due to chance, under the assumption that the null hypothesis is correct.

 - Assuming a significance threshold of 0.05, the null hypothesis can be rejected
   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed
   to chance, hence the system is significantly "different" than the baseline.
   Otherwise, the p-values are highlighted in red.

 - NOTE: Significance does not tell whether a system is "better" than the baseline but rather
   emphasizes the "difference" of the systems in terms of the replicability of the delta.

-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
 - chrF2      nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
)"},
    {2, 50, false, 9, R"(╒═══════════════╤═══════════════════════════════════════════╤═══════════════════════════════════════════╕
│        System │             BLEU (μ ± 95% CI)             │            chrF2 (μ ± 95% CI)             │
╞═══════════════╪═══════════════════════════════════════════╪═══════════════════════════════════════════╡
│ Baseline: one │ 37.835009234 (39.592614620 ± 9.504719690) │ 66.170542299 (66.554710388 ± 3.617355347) │
├───────────────┼───────────────────────────────────────────┼───────────────────────────────────────────┤
│ a/longer/name │ 38.018933383 (39.434481722 ± 6.940622564) │ 65.183822411 (65.760070801 ± 5.397636414) │
│               │               (p = 0.4118)                │               (p = 0.2745)                │
├───────────────┼───────────────────────────────────────────┼───────────────────────────────────────────┤
│          drei │  1.499742235 (1.383481098 ± 1.088925803)  │  6.194618244 (5.989542961 ± 4.145562172)  │
│               │               (p = 0.0196)*               │               (p = 0.0196)*               │
╘═══════════════╧═══════════════════════════════════════════╧═══════════════════════════════════════════╛

----------------------------------------------------------
Paired bootstrap resampling test with 50 resampling trials
----------------------------------------------------------
 - Each system is pairwise compared to Baseline: one.
   Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric.

 - Null hypothesis: the system and the baseline translations are essentially
   generated by the same underlying process. For a given system and the baseline,
   the p-value is roughly the probability of the absolute score difference (delta)
   or higher occurring due to chance, under the assumption that the null hypothesis is correct.

 - Assuming a significance threshold of 0.05, the null hypothesis can be rejected
   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed
   to chance, hence the system is significantly "different" than the baseline.
   Otherwise, the p-values are highlighted in red.

 - NOTE: Significance does not tell whether a system is "better" than the baseline but rather
   emphasizes the "difference" of the systems in terms of the replicability of the delta.

-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|bs:50|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
 - chrF2      nrefs:1|bs:50|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
)"},
    {1, 1000, true, 1, R"([
    {
        "system": "Baseline: one",
        "BLEU": {
            "score": 37.835009233765284,
            "p_value": null,
            "mean": 37.65762730014663,
            "ci": 9.822603549145136
        }
    },
    {
        "system": "a/longer/name",
        "BLEU": {
            "score": 38.018933383346656,
            "p_value": 0.4025974025974026,
            "mean": 38.17290008044353,
            "ci": 7.8793154810098045
        }
    },
    {
        "system": "drei",
        "BLEU": {
            "score": 1.499742234994817,
            "p_value": 0.000999000999000999,
            "mean": 1.376201846414639,
            "ci": 1.102635853532572
        }
    }
]
)"},
    {2, 1000, false, 12, R"(╒═══════════════╤════════════════════════════════════════════════════╤════════════════════════════════════════════════════╕
│        System │                 BLEU (μ ± 95% CI)                  │                 chrF2 (μ ± 95% CI)                 │
╞═══════════════╪════════════════════════════════════════════════════╪════════════════════════════════════════════════════╡
│ Baseline: one │ 37.835009233765 (37.657627300147 ± 9.822603549145) │ 66.170542299482 (66.194297790527 ± 4.873220443726) │
├───────────────┼────────────────────────────────────────────────────┼────────────────────────────────────────────────────┤
│ a/longer/name │ 38.018933383347 (38.172900080444 ± 7.879315481010) │ 65.183822410505 (65.328117370605 ± 5.479576110840) │
│               │                    (p = 0.4026)                    │                    (p = 0.3037)                    │
├───────────────┼────────────────────────────────────────────────────┼────────────────────────────────────────────────────┤
│          drei │  1.499742234995 (1.376201846415 ± 1.102635853533)  │  6.194618244075 (6.017477035522 ± 4.377324104309)  │
│               │                   (p = 0.0010)*                    │                   (p = 0.0010)*                    │
╘═══════════════╧════════════════════════════════════════════════════╧════════════════════════════════════════════════════╛

------------------------------------------------------------
Paired bootstrap resampling test with 1000 resampling trials
------------------------------------------------------------
 - Each system is pairwise compared to Baseline: one.
   Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric.

 - Null hypothesis: the system and the baseline translations are essentially
   generated by the same underlying process. For a given system and the baseline,
   the p-value is roughly the probability of the absolute score difference (delta)
   or higher occurring due to chance, under the assumption that the null hypothesis is correct.

 - Assuming a significance threshold of 0.05, the null hypothesis can be rejected
   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed
   to chance, hence the system is significantly "different" than the baseline.
   Otherwise, the p-values are highlighted in red.

 - NOTE: Significance does not tell whether a system is "better" than the baseline but rather
   emphasizes the "difference" of the systems in terms of the replicability of the delta.

-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
 - chrF2      nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
)"},
    {3, 0, true, 4, R"([
    {
        "system": "one",
        "BLEU": "37.8350",
        "chrF2": "66.1705",
        "TER": "52.8571"
    },
    {
        "system": "a/longer/name",
        "BLEU": "38.0189",
        "chrF2": "65.1838",
        "TER": "50.0000"
    },
    {
        "system": "drei",
        "BLEU": "1.4997",
        "chrF2": "6.1946",
        "TER": "141.4286"
    }
]
)"},
    {3, 1000, false, 12, R"(╒═══════════════╤════════════════════════════════════════════════════╤════════════════════════════════════════════════════╤═══════════════════════════════════════════════════════╕
│        System │                 BLEU (μ ± 95% CI)                  │                 chrF2 (μ ± 95% CI)                 │                   TER (μ ± 95% CI)                    │
╞═══════════════╪════════════════════════════════════════════════════╪════════════════════════════════════════════════════╪═══════════════════════════════════════════════════════╡
│ Baseline: one │ 37.835009233765 (37.657627300147 ± 9.822603549145) │ 66.170542299482 (66.194297790527 ± 4.873220443726) │  52.857142857143 (53.101436614990 ± 8.849205017090)   │
├───────────────┼────────────────────────────────────────────────────┼────────────────────────────────────────────────────┼───────────────────────────────────────────────────────┤
│ a/longer/name │ 38.018933383347 (38.172900080444 ± 7.879315481010) │ 65.183822410505 (65.328117370605 ± 5.479576110840) │  50.000000000000 (49.915630340576 ± 7.997776031494)   │
│               │                    (p = 0.4026)                    │                    (p = 0.3037)                    │                     (p = 0.2138)                      │
├───────────────┼────────────────────────────────────────────────────┼────────────────────────────────────────────────────┼───────────────────────────────────────────────────────┤
│          drei │  1.499742234995 (1.376201846415 ± 1.102635853533)  │  6.194618244075 (6.017477035522 ± 4.377324104309)  │ 141.428571428571 (143.335845947266 ± 31.071399688721) │
│               │                   (p = 0.0010)*                    │                   (p = 0.0010)*                    │                     (p = 0.0010)*                     │
╘═══════════════╧════════════════════════════════════════════════════╧════════════════════════════════════════════════════╧═══════════════════════════════════════════════════════╛

------------------------------------------------------------
Paired bootstrap resampling test with 1000 resampling trials
------------------------------------------------------------
 - Each system is pairwise compared to Baseline: one.
   Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric.

 - Null hypothesis: the system and the baseline translations are essentially
   generated by the same underlying process. For a given system and the baseline,
   the p-value is roughly the probability of the absolute score difference (delta)
   or higher occurring due to chance, under the assumption that the null hypothesis is correct.

 - Assuming a significance threshold of 0.05, the null hypothesis can be rejected
   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed
   to chance, hence the system is significantly "different" than the baseline.
   Otherwise, the p-values are highlighted in red.

 - NOTE: Significance does not tell whether a system is "better" than the baseline but rather
   emphasizes the "difference" of the systems in terms of the replicability of the delta.

-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
 - chrF2      nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
 - TER        nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0
)"},
};

inline const std::vector<RandomNumbers> kRandomNumbers = {
    {0u, {15793235383387715774u, 12390638538380655177u, 2361836109651742017u, 3188717715514472916u}, {11749869230777074271u, 4976686463289251617u, 755828109848996024u, 304881062738325533u},
     {{1u, {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u}}, {2u, {1u, 1u, 1u, 0u, 0u, 0u, 0u, 0u}}, {10u, {8u, 6u, 5u, 2u, 3u, 0u, 0u, 0u}}, {3004u, {2555u, 1913u, 1535u, 810u, 924u, 123u, 226u, 49u}}, {2147483649u, {87989972u, 161576974u, 376383645u, 1746484540u, 1394609703u, 1440696408u, 72124473u, 1818006483u}}}},
    {1u, {7434755675892716031u, 10007452063617845036u, 5266248848659119178u, 15045448681910192573u}, {9441442522235856127u, 17532960557476522086u, 2659275481604167885u, 17499493567006797778u},
     {{1u, {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u}}, {2u, {0u, 1u, 1u, 1u, 0u, 0u, 1u, 1u}}, {10u, {4u, 5u, 7u, 9u, 0u, 1u, 8u, 9u}}, {3004u, {1421u, 1537u, 2268u, 2855u, 104u, 433u, 2472u, 2849u}}, {2147483649u, {1016164991u, 1621709875u, 74845286u, 1767258089u, 2037209175u, 535214420u, 1866217508u, 909086626u}}}},
    {12345u, {13091511679009522556u, 13538552136045918767u, 7269824232120749972u, 4520223790601600371u}, {4193609425186963869u, 5843160025838961886u, 14708796524633321433u, 12474696839993944336u},
     {{1u, {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u}}, {2u, {1u, 0u, 1u, 0u, 0u, 1u, 1u, 1u}}, {10u, {6u, 2u, 7u, 3u, 2u, 7u, 6u, 6u}}, {3004u, {2100u, 682u, 2369u, 951u, 613u, 2395u, 1930u, 2031u}}, {2147483649u, {488200390u, 1693606511u, 680233354u, 438466540u, 1712329281u, 1380152456u, 1452245847u, 714712467u}}}},
    {4294967296u, {5836529245451711556u, 8811601478698894690u, 4323349454413245209u, 13668837544996263139u}, {16412783775159424549u, 10277383025879800780u, 14774146505460541886u, 17644565593934502278u},
     {{1u, {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u}}, {2u, {1u, 1u, 1u, 1u, 0u, 1u, 0u, 1u}}, {10u, {5u, 8u, 9u, 5u, 3u, 8u, 2u, 9u}}, {3004u, {1568u, 2672u, 2982u, 1673u, 910u, 2405u, 686u, 2873u}}, {2147483649u, {1910699505u, 2132340198u, 1196444852u, 1719937020u, 2054097782u, 1914009001u, 125875097u, 507666627u}}}},
    {18446744073709551615u, {12591116029944179981u, 1268942265879420026u, 1998214320288580263u, 12063755697402456310u}, {12544278110101001871u, 15593249672699323225u, 136562751618339402u, 16501869284920798641u},
     {{1u, {0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u}}, {2u, {1u, 1u, 1u, 1u, 0u, 0u, 0u, 1u}}, {10u, {5u, 6u, 9u, 8u, 3u, 0u, 1u, 8u}}, {3004u, {1646u, 2042u, 2854u, 2539u, 1076u, 22u, 300u, 2687u}}, {2147483649u, {1460346173u, 15897996u, 215029464u, 1298660238u, 220757761u, 163157634u, 1486763660u, 478127753u}}}},
};

}  // namespace transformer::golden
