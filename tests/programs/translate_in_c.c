/* Translates the lines of stdin with a model file through the library's C interface, writes "score<tab>text" for each,
 * and then what the interface says of calls that fail: translate_in_c MODEL OPTIONS < INPUT > OUTPUT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transformer.h"

enum { kMaxTexts = 10000 };

static char* read_line(void) {
  char* line = NULL;
  size_t size = 0;
  if (getline(&line, &size, stdin) < 0) {
    free(line);
    return NULL;
  }
  line[strcspn(line, "\n")] = '\0';
  return line;
}

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, transformer_last_error());
  return 1;
}

/* Whether the last call failed with this in its message. */
static int is_refused(int has_failed, const char* part) {
  if (has_failed && strstr(transformer_last_error(), part) != NULL) return 1;
  fprintf(stderr, "no error with \"%s\", but: %s\n", part, transformer_last_error());
  return 0;
}

/* NULL is refused by name, or allowed. */
static int check_null(transformer_model* model) {
  const char* texts[] = {"ba", NULL};
  double log_probs[2];
  size_t index = 0;
  transformer_translation* none = transformer_translate(model, NULL, 0, NULL);
  const int is_right =
      none != NULL && transformer_num_translations(none, 0) == 0 &&
      is_refused(transformer_next(none, 0, NULL) == TRANSFORMER_FAILED, "'index' is NULL; give ") &&
      is_refused(transformer_load(NULL, NULL) == NULL, "'path' is NULL; give the path of a model") &&
      is_refused(transformer_begin(NULL, texts, 1, NULL) == NULL, "'model' is NULL; check what transformer_load") &&
      is_refused(transformer_begin(model, NULL, 1, NULL) == NULL, "'texts' is NULL; give ") &&
      is_refused(transformer_translate(model, texts, 2, NULL) == NULL, "text 2: is NULL; give \"\"") &&
      is_refused(transformer_translate(NULL, texts, 1, NULL) == NULL, "'model' is NULL; check ") &&
      is_refused(transformer_next(NULL, -1, &index) == TRANSFORMER_FAILED, "'translation' is NULL; check ") &&
      is_refused(transformer_score_pairs(NULL, texts, texts, 1, log_probs, NULL) == -1, "'model' is NULL; check ") &&
      is_refused(transformer_score_pairs(model, NULL, texts, 1, log_probs, NULL) == -1, "'sources' is NULL; give ") &&
      is_refused(transformer_score_pairs(model, texts, NULL, 1, log_probs, NULL) == -1, "'targets' is NULL; give ") &&
      is_refused(transformer_score_pairs(model, texts, texts, 1, NULL, NULL) == -1, "'log_probs' is NULL; give ") &&
      is_refused(transformer_score_pairs(model, texts, texts, 2, log_probs, NULL) == -1, "sources:2: is NULL; give ") &&
      transformer_score_pairs(model, NULL, NULL, 0, NULL, NULL) == 0 && transformer_num_translations(NULL, 0) == 0 &&
      transformer_text(NULL, 0, 0) == NULL && isnan(transformer_score(NULL, 0, 0)) && transformer_json(NULL, 0) == NULL;
  transformer_free_translation(none);
  return is_right ? 0 : 1;
}

/* What must fail does so, with a message, and what was replaced in a text is told. */
static int check_failures(transformer_model* model) {
  const char* text = "ba be";
  const char* two_lines = "ba\nbe";
  if (transformer_load("missing.pt", NULL) != NULL) return 1;
  fprintf(stderr, "%s\n", transformer_last_error());
  if (transformer_load("missing.pt", "{\"thread\": 2}") != NULL) return 1;
  fprintf(stderr, "%s\n", transformer_last_error());
  if (transformer_translate(model, &text, 1, "{\"beam\": 4}") != NULL) return 1;
  fprintf(stderr, "%s\n", transformer_last_error());
  if (transformer_translate(model, &two_lines, 1, NULL) != NULL) return 1;
  fprintf(stderr, "%s\n", transformer_last_error());
  if (transformer_last_error_is_busy() != 0) return 1;
  const char* invalid = "ba \xff";
  transformer_translation* translation = transformer_translate(model, &invalid, 1, NULL);
  if (translation == NULL || strstr(transformer_json(translation, 0), "is not valid UTF-8") == NULL) return 1;
  transformer_free_translation(translation);
  transformer_free_model(NULL);
  transformer_free_translation(NULL);
  return 0;
}

/* A tag that is an option stands before each source that begins with none. */
static int check_tag(transformer_model* model) {
  const char* sources[] = {"bi", "ba bi"};
  const char* target = "ba";
  const char* targets[] = {target, target};
  const char* tag = "{\"tag\": \"ba\"}";
  double written, log_probs[2];
  int64_t num_tokens[2];
  if (transformer_score_pairs(model, sources + 1, &target, 1, &written, NULL) != 0) return 1;
  if (transformer_score_pairs_with_options(model, sources, targets, 2, tag, log_probs, num_tokens) != 0) return 1;
  const int is_right =
      fabs(log_probs[0] - written) < 1e-4 && fabs(log_probs[1] - written) < 1e-4 && num_tokens[0] == num_tokens[1] &&
      is_refused(transformer_score_pairs_with_options(model, sources, targets, 2, "{\"tags\": 1}", log_probs, NULL) < 0,
                 "'tags': unknown option, the only one is 'tag'") &&
      is_refused(transformer_score_pairs_with_options(model, sources, targets, 2, "{\"tag\": 1}", log_probs, NULL) < 0,
                 "'tag': must be a string, got 1") &&
      is_refused(transformer_score_pairs_with_options(NULL, sources, targets, 2, tag, log_probs, NULL) < 0,
                 "'model' is NULL; check ");
  return is_right ? 0 : 1;
}

int main(int argc, char** argv) {
  const char* texts[kMaxTexts];
  size_t num_texts = 0;
  if (argc != 3) return 2;
  while (num_texts < kMaxTexts && (texts[num_texts] = read_line()) != NULL) ++num_texts;

  transformer_model* model = transformer_load(argv[1], "{\"device\": \"cpu\", \"threads\": 2}");
  if (model == NULL) return fail(argv[1]);
  transformer_translation* translation = transformer_translate(model, texts, num_texts, argv[2]);
  if (translation == NULL) return fail("translate");
  for (size_t i = 0; i < num_texts; ++i) {
    for (size_t n = 0; n < transformer_num_translations(translation, i); ++n) {
      printf("%.4f\t%s\n", transformer_score(translation, i, n), transformer_text(translation, i, n));
    }
  }
  if (transformer_text(translation, num_texts, 0) != NULL || transformer_text(translation, 0, 1000) != NULL) return 1;
  transformer_free_translation(translation);

  /* A translation that nobody waits for is cancelled. */
  translation = transformer_begin(model, texts, num_texts, NULL);
  if (translation == NULL) return fail("begin");
  size_t index = 0;
  if (transformer_next(translation, -1, &index) != TRANSFORMER_TEXT || transformer_json(translation, index) == NULL) {
    return fail("next");
  }
  transformer_free_translation(translation);
  const int status = check_failures(model) != 0 || check_null(model) != 0 || check_tag(model) != 0;

  /* A translation may outlive its model. */
  translation = transformer_begin(model, texts, num_texts, NULL);
  if (translation == NULL) return fail("begin");
  transformer_free_model(model);
  if (transformer_next(translation, -1, &index) != TRANSFORMER_TEXT) return fail("next");
  transformer_free_translation(translation);
  for (size_t i = 0; i < num_texts; ++i) free((void*)texts[i]);
  return status;
}
