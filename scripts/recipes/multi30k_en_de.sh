#!/usr/bin/env bash
# Multi30k English-German: multi30k_en_de.sh [SEED...], by default seed 1. Published: 41.02 (Wu et al. 2021,
# arXiv 2105.14462, "Transformer-Tiny"), tokenized lower-cased BLEU on test 2016.
# shellcheck source-path=SCRIPTDIR source=multi30k.sh
source "$(dirname "${BASH_SOURCE[0]}")/multi30k.sh"

multi30k_recipe multi30k.yaml runs/multi30k_en_de de 41.02 "$@"
