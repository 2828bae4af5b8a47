/* Translates the lines of stdin with a model file through the library's C interface, writes "score<tab>text" for each,
 * and then what the interface says of calls that fail: translate_in_c MODEL OPTIONS < INPUT > OUTPUT */
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
  const int status = check_failures(model);

  /* A translation may outlive its model. */
  translation = transformer_begin(model, texts, num_texts, NULL);
  if (translation == NULL) return fail("begin");
  transformer_free_model(model);
  if (transformer_next(translation, -1, &index) != TRANSFORMER_TEXT) return fail("next");
  transformer_free_translation(translation);
  for (size_t i = 0; i < num_texts; ++i) free((void*)texts[i]);
  return status;
}
