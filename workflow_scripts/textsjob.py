"""What the rules that learn from a codes table share: its texts of the sources they read, with embeddings."""

from safetensors.numpy import load_file

from clinbench.coding.frames import read_frame
from clinbench.coding.pool import Candidates, candidates


def read_texts(snakemake) -> Candidates:
    """Read the rule's table, cut to its sources, and the embeddings of its texts where the rule has them."""
    table = read_frame(snakemake.input.table)
    vectors = [load_file(file)["embeddings"] for file in snakemake.input.embeddings]
    own = vectors[0] if vectors else None
    return candidates(table, own, set(table["code"]), sources=snakemake.params.sources)
