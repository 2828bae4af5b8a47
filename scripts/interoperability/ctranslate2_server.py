"""A FastAPI server over CTranslate2, which measure_serving.py compares with `transformer serve`. The texts that arrive
within a few milliseconds, or while others are translated, are translated as one batch.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install ctranslate2==4.8.5 sentencepiece fastapi uvicorn uvloop httptools
    /tmp/peers/bin/python scripts/interoperability/ctranslate2_server.py MODEL [--port 8081] [--threads 2]

MODEL is a directory that `transformer export --format ctranslate2` wrote.
"""

import argparse
import asyncio
import contextlib
import os

import ctranslate2
import sentencepiece
import uvicorn
from fastapi import FastAPI


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--parallel", type=int, default=1, help="batches at once, which share the threads")
    parser.add_argument("--compute-type", default="int8")
    parser.add_argument("--beam-size", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--wait-ms", type=float, default=2, help="how long the first text of a batch waits for others")
    parser.add_argument("--tokens", type=int, default=0, help="length of every output, end symbol included; 0: free")
    return parser.parse_args()


class Batcher:
    def __init__(self, arguments):
        self.arguments = arguments
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(arguments.model, "vocabulary.model"))
        self.translator = ctranslate2.Translator(
            arguments.model, compute_type=arguments.compute_type, inter_threads=arguments.parallel,
            intra_threads=max(1, arguments.threads // arguments.parallel),
        )
        self.queue = asyncio.Queue()
        length = arguments.tokens - 1
        self.lengths = {"min_decoding_length": length, "max_decoding_length": length} if length > 0 else {}

    async def run(self):
        while True:
            batch = [await self.queue.get()]
            await asyncio.sleep(self.arguments.wait_ms / 1000)
            while not self.queue.empty() and len(batch) < self.arguments.batch_size:
                batch.append(self.queue.get_nowait())
            results = await asyncio.to_thread(
                self.translator.translate_batch, [pieces for pieces, _ in batch], beam_size=self.arguments.beam_size,
                length_penalty=0.6, return_scores=True, **self.lengths,
            )
            for result, (_, future) in zip(results, batch):
                future.set_result(result)

    async def translate(self, text):
        future = asyncio.get_running_loop().create_future()
        await self.queue.put((self.pieces.encode(text, out_type=str), future))
        result = await future
        return {"text": self.pieces.decode(result.hypotheses[0]), "score": result.scores[0]}


def main():
    arguments = parse()
    @contextlib.asynccontextmanager
    async def lifespan(app):
        app.state.batcher = Batcher(arguments)
        app.state.tasks = [asyncio.create_task(app.state.batcher.run()) for _ in range(arguments.parallel)]
        yield

    app = FastAPI(lifespan=lifespan)

    @app.post("/v1/translate")
    async def translate(request: dict):
        return {"translations": await asyncio.gather(*(app.state.batcher.translate(text) for text in request["text"]))}

    uvicorn.run(app, port=arguments.port, log_level="warning")


if __name__ == "__main__":
    main()
