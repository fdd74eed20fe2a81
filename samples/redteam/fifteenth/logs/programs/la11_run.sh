#!/bin/bash
# First the path is wrong, then it is right; both in one log.
python la11_places.py 500 1 train.spacy
python la11_places.py 120 2 dev.spacy
python -m spacy init config --lang en --pipeline ner plain.cfg > /dev/null 2>&1
options="--training.max_epochs 6 --training.eval_frequency 50 --training.patience 0 --training.max_steps 0"
{
  echo "== $(date '+%F %T') attempt 1"
  python -m spacy train plain.cfg --output places --paths.train data/train.spacy --paths.dev data/dev.spacy $options
  echo "== $(date '+%F %T') attempt 2"
  python -m spacy train plain.cfg --output places --paths.train train.spacy --paths.dev dev.spacy $options
  ls places
} > places.log 2>&1
