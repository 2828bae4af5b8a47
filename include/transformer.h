/* Translates with models of the program `transformer`, from any language that calls C. Link with -ltransformer.
 *
 *   transformer_model* model = transformer_load("averaged.safetensors", NULL);
 *   const char* texts[] = {"the third of May"};
 *   transformer_translation* translation = model ? transformer_translate(model, texts, 1, "{\"beam_size\": 4}") : NULL;
 *   if (translation == NULL) fprintf(stderr, "%s\n", transformer_last_error());
 *   else puts(transformer_text(translation, 0, 0));
 *   transformer_free_translation(translation);
 *   transformer_free_model(model);
 *
 * Texts are UTF-8 and end with a NUL; a text is one line. Any number of threads may use one model at once, and their
 * texts are searched together; a translation belongs to one thread at a time. Functions that return a pointer return
 * NULL on failure, and transformer_last_error() then says why in one sentence. They fail, too, if a model, a path, an
 * array or a text is NULL; functions that only read a translation find nothing in NULL, and leave the last error as it
 * is. A model cannot be used in a process that was forked after it was loaded. Functions and their parameters stay as
 * they are within a major version of the library, TRANSFORMER_API_VERSION, which is also the version of its symbols. */
#ifndef TRANSFORMER_H
#define TRANSFORMER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRANSFORMER_API_VERSION 1

typedef struct transformer_model transformer_model;
typedef struct transformer_translation transformer_translation;

/* The version of the library, such as "0.2.0". */
const char* transformer_version(void);

/* Why the last function that failed in this thread did so; "" if none has. Valid until the next failure. */
const char* transformer_last_error(void);

/* 1 if the last function that failed in this thread did so because translations with too many other combinations of
 * options are running, and may succeed when one of them has ended; else 0. */
int transformer_last_error_is_busy(void);

/* Loads a model file, checkpoint or run directory. `options` is NULL or a JSON object with some of these keys:
 *   device     "auto" (the default), "cpu", "cuda" or "cuda:N"
 *   precision  "fp32" (the default), "fp16", "bf16" or "int8"
 *   threads    CPU threads of all searches together; 0 (the default): one for each core
 *   workers    searches that run at once; null (the default): on a CPU one for each thread, on a GPU one
 *   batch_size sentences that a worker searches together, 64 by default
 *   ensemble   further models of an ensemble, a list of paths */
transformer_model* transformer_load(const char* path, const char* options);

/* Frees a model. Its translations stay usable, and what they need is freed with the last of them. NULL is allowed. */
void transformer_free_model(transformer_model* model);

/* Begins to translate the texts. `options` is NULL or a JSON object with options of `transformer serve`
 * (docs/serving.md), such as {"beam_size": 4, "nbest": 2}; besides, "prefix" may be the prefix of the only text, or a
 * list with a prefix, or null, for each text. `texts` may be NULL if there are none. */
transformer_translation* transformer_begin(transformer_model* model, const char* const* texts, size_t num_texts,
                                           const char* options);

/* What transformer_next returns. */
enum { TRANSFORMER_FAILED = -1, TRANSFORMER_END = 0, TRANSFORMER_TEXT = 1, TRANSFORMER_WAITING = 2 };

/* Waits for a text that is translated, in the order in which they are done, and sets `index` to its number in the
 * request. Returns TRANSFORMER_END if all texts were returned, TRANSFORMER_WAITING if none is done after so many
 * milliseconds (below 0: waits for ever), and TRANSFORMER_FAILED if the text `index` cannot be translated, or if an
 * argument is NULL. */
int transformer_next(transformer_translation* translation, int64_t milliseconds, size_t* index);

/* Begins to translate the texts and waits for all of them. */
transformer_translation* transformer_translate(transformer_model* model, const char* const* texts, size_t num_texts,
                                               const char* options);

/* How many translations the text has, best first; 0 if it is not done, or if `translation` is NULL. */
size_t transformer_num_translations(const transformer_translation* translation, size_t index);

/* Translation `n` of a text that is done, counted from 0; NULL if there is none. Valid as long as `translation`. */
const char* transformer_text(const transformer_translation* translation, size_t index, size_t n);

/* Its score: the log-probability in nats, divided by the length penalty; NaN if there is no such translation, or if it
 * joins those of parts ("split", "protect"). */
double transformer_score(const transformer_translation* translation, size_t index, size_t n);

/* All about a text that is done as a JSON object, as `transformer serve` answers; NULL if it is not done. Valid until
 * the next call with this translation. */
const char* transformer_json(transformer_translation* translation, size_t index);

/* Cancels what is not done, and frees the translation. NULL is allowed. */
void transformer_free_translation(transformer_translation* translation);

/* Sets log_probs[i] to the log-probability in nats of targets[i] as the translation of sources[i], and num_tokens[i] to
 * the number of its tokens, end symbol included; `num_tokens` may be NULL. The first call loads the model again, in
 * fp32. Returns 0, or -1 on failure. */
int transformer_score_pairs(transformer_model* model, const char* const* sources, const char* const* targets,
                            size_t num_pairs, double* log_probs, int64_t* num_tokens);

/* The same with options: NULL or a JSON object that may have "tag", a tag of the model, such as "<2de>", to put before
 * each source that begins with none. */
int transformer_score_pairs_with_options(transformer_model* model, const char* const* sources,
                                         const char* const* targets, size_t num_pairs, const char* options,
                                         double* log_probs, int64_t* num_tokens);

#ifdef __cplusplus
}
#endif

#endif
