#pragma once

#include <string>
#include <vector>

#include "base/words.h"
#include "trees/bracket_token.h"
#include "trees/tree_reader.h"

namespace transformer {

/// Parses a tree.
inline Tree tree_of(const std::string& text) { return trees_of_line(text, "test", 1).at(0); }

inline std::vector<BracketToken> tokens_in(const std::string& text) {
  std::vector<BracketToken> tokens;
  for (const auto& token : split_words(text)) tokens.push_back(read_bracket_token(token));
  return tokens;
}

inline std::string text_of(const std::vector<BracketToken>& tokens) {
  std::string text;
  for (const auto& token : tokens) {
    if (!text.empty()) text += ' ';
    text += to_string(token);
  }
  return text;
}

/// Clean trees of every relevant shape.
inline const std::vector<std::string> kCleanTrees = {
    "(TOP (S (NP (NN rain)) (VP (VBZ falls)) (. .)))",
    "(TOP (S (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (DT the) (NN garden)))) (VP (VBZ barks))))",
    "(TOP (NP (NP (NP (NN rain)))))",
    "(TOP (NN rain))",
    "(TOP (NN rain) (NN falls))",
    "(TOP (S (NN rain)) (S (NN snow)))",
    "(TOP (S (NN rain)) (. .))",
    "(TOP (FRAG (-LRB- -LRB-) (NP (CD 3\\/4)) (-RRB- -RRB-)))",
    "(TOP (S (`` ``) (S (VP (VB go))) ('' '') (, ,) (NP (PRP she)) (VP (VBD said)) (. .)))",
};

}  // namespace transformer
