"""What a reader sees: tables with their captions, figures and the summary of a run.

``table`` builds every table from metrics records, by the ``layouts``;
``published`` sets the papers' numbers beside them; ``tsne`` and ``figures``
draw embeddings; ``summary`` is the text at the end of a run.
"""
