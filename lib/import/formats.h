#pragma once

#include "import/foreign_model.h"
#include "import/package.h"

namespace transformer {

// The formats of other programs: whether a package is a model in it, and the function that reads one. These throw Error
// if a file is missing or damaged, or if this program has no network that computes the model; where an option says so,
// the message names it.

/// Whether the package has a `model.bin` of CTranslate2.
bool is_ctranslate2(Package& package);
/// Reads a model of CTranslate2: `model.bin` with `config.json` if there is one, `shared_vocabulary` or
/// `source_vocabulary` and `target_vocabulary` (.json or .txt), and SentencePiece models, as packages of
/// argos-translate have them, or the BPE codes `source.bpe` and `target.bpe`. Weights in 8 or 16 bits become fp32.
ForeignModel import_ctranslate2(Package& package);

/// Whether the package has the `config.json` and `vocab.json` of a model of eole, of whatever kind.
bool is_eole(Package& package);
/// Reads a Transformer of eole: `config.json`, `vocab.json`, `model.00.safetensors` with those that follow it, and the
/// SentencePiece model or BPE codes beside them.
ForeignModel import_eole(Package& package);

/// Whether the package has a checkpoint of fairseq: the file that was given, or the only one of PyTorch in it.
bool is_fairseq(Package& package);
/// Reads a checkpoint of fairseq's `transformer` architectures with `dict.SOURCE.txt` and `dict.TARGET.txt`, and with a
/// SentencePiece model if there is one; without it, text must be divided into pieces already.
ForeignModel import_fairseq(Package& package);

/// Whether the package has a `config.json` of Hugging Face's transformers, of whatever kind of model.
bool is_hugging_face(Package& package);
/// Reads a MarianMT model, and no other kind: `config.json`, `generation_config.json` if there is one,
/// `model.safetensors` or `pytorch_model.bin`, `source.spm`, `target.spm`, `vocab.json` and, if the target has a
/// vocabulary of its own, `target_vocab.json`.
ForeignModel import_hugging_face(Package& package);

/// Whether the package has a model of Marian, which is an `.npz` file.
bool is_marian(Package& package);
/// Reads a model of Marian's type `transformer`: the `.npz` file that was given, or the one that `decoder.yml` names,
/// or the only one, and the vocabularies (`.spm`, or `.yml` with SentencePiece models or none beside them). The
/// settings of `decoder.yml` become those of the search.
ForeignModel import_marian(Package& package);

/// Whether the package has a checkpoint of OpenNMT-py: the file that was given, or the only one of PyTorch in it.
bool is_opennmt(Package& package);
/// Reads a checkpoint of OpenNMT-py's Transformer, which contains its vocabularies, with a SentencePiece model if there
/// is one; without it, text must be divided into pieces already.
ForeignModel import_opennmt(Package& package);
/// What `onmt_translate` and `eole predict` do unless they are told otherwise.
DecodingConfig opennmt_decoding(LengthPenaltyForm length_penalty);

}  // namespace transformer
