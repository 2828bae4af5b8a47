"""The vocabularies of a directory that `transformer export` wrote, numbered as the program numbers them."""
import os
from typing import NamedTuple

import sentencepiece

PAD, UNKNOWN, BEGIN, END = range(4)


class Vocabulary:
    """A SentencePiece model whose tokens are pad 0, unknown 1, begin 2, end 3, then the other pieces in their order."""
    def __init__(self, path):
        self.model = sentencepiece.SentencePieceProcessor(model_file=path)
        symbols = [self.model.pad_id(), self.model.unk_id(), self.model.bos_id(), self.model.eos_id()]
        self.piece_ids = symbols + [piece for piece in range(self.model.get_piece_size()) if piece not in symbols]
        self.tokens = {piece_id: token for token, piece_id in enumerate(self.piece_ids)}

    def encode(self, text):
        return [self.tokens[piece_id] for piece_id in self.model.encode(text)]

    def pieces(self, tokens):
        return [self.model.id_to_piece(self.piece_ids[token]) for token in tokens]

    def decode(self, tokens):
        return self.model.decode([self.piece_ids[token] for token in tokens])


class Vocabularies(NamedTuple):
    source: Vocabulary
    target: Vocabulary


def read_vocabularies(directory):
    target = Vocabulary(f"{directory}/vocabulary.model")
    own = f"{directory}/source_vocabulary.model"
    return Vocabularies(Vocabulary(own) if os.path.exists(own) else target, target)
