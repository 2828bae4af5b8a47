#!/usr/bin/env bash
# English-Japanese, small_parallel_enja (github.com/odashi/small_parallel_enja): small_enja.sh. No score is published
# for a Transformer. Japanese is the target because 60 of the 500 English test lines are also training lines, but no
# Japanese ones.
# The checksums are of the files in this commit of that repository.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

origin=https://raw.githubusercontent.com/odashi/small_parallel_enja/312408a11c5fbcbc09443bebb18121f7efdcd61e
folder=data/small_enja
run=runs/small_enja
while read -r name sum; do download "$origin/$name" "$sum" "$folder"; done <<'END'
train.en.000 4dd6b09e59cc03bd78d5e541bf306ab6e5139e2ce2e12d02d093e0cc47cfcf8e
train.en.001 99db039cb12e4758268f48640902d29ee1c58d883cba69939cc3e2c63d633164
train.en.002 3aee4a770ea651d4cb30df12c85704d7743118d79c40f7cd341a185bb1017d36
train.en.003 6dd6ff06bde9daf2201de14a9511881be76f4f09278d39fbdd02513dd0f1fa7f
train.en.004 34b035922267b7e29b6919261c9583dfa24354a4cbae6890c8e3e5026c162488
train.ja.000 6090d2bc45563d9d6b2244bf69edeb5cc004dd8aa5ab39469c83574d291ffe15
train.ja.001 578e6d076882830aae1c09a8134c8126fcc28ec1ab1d078c9e9a609bac9c7870
train.ja.002 f6cbe72342daf076d218dd1de2804fe4c969e495e0ec6ae9af85b55347e96406
train.ja.003 d0eba6255389f36864eab89435e6b6d5acb47c05fee92ea64dac28d78689ef7e
train.ja.004 8e510b88524ed92fa49d8620dbaed5defc1197ff03acb5c724cceadf7a576d61
dev.en 04a2673449770657fd5e3b963cb856be3130923212b6db8ac7eaeef18f06c041
dev.ja cd534f56b8639dc130f86a365e5ec0aa70042000bdd740a622fbbf8b6be4acca
test.en 45edb380749ec2b49cca7618fc5a7595fc9f791180672ba466b90c873a4aa8bf
test.ja d37dc460a81b064e4106c8913eb11fa300da05cf3f58a7a5bbfec7e20947ddef
END
for language in en ja; do make_file "$folder/train.$language" cat "$folder/train.$language".00[0-4]; done

train small_enja.yaml "$run"
average "$run" 10
translate "$run/averaged.safetensors" "$folder/test.en" "$run/test.translation"
report_score "BLEU, test, the corpus' own tokens" - "$run/test.translation" "$folder/test.ja" --tokenize none
report_score "BLEU, test, characters" - "$run/test.translation" "$folder/test.ja" --tokenize char
report_score "chrF++, test" - "$run/test.translation" "$folder/test.ja" --metrics chrf++
