"""The multilingual clinical lexicon: terms, modifiers and sites in six languages, and the grammar over ICD-10-CM.

``terms/<chapter>.tsv`` name three-character categories; ``heads.tsv`` names what stands below a
category; ``modifiers.tsv`` and ``sites.tsv`` say what may be added, with agreement; ``titles.tsv``
says which words of an official English title mean which of them. All of it was written for this
project from clinical knowledge; nothing is copied from a classification's titles or a corpus.
"""
