"""Rules embed_table and embed_trained: a code table under an untrained encoder, or under a trained system."""

from safetensors.numpy import save_file

from clinbench.coding.encoders import fetch
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import read_frame
from clinbench.coding.load import encode, load_encoder
from clinbench.files import atomic_path
from clinbench.runtime import autocast
from snakejob import job

with job(snakemake) as run:
    table = read_frame(snakemake.input.table)
    found = run.encoder()
    encoder = load_encoder(snakemake.input.model or fetch(found), run.use_torch())
    with autocast(run.device, run.precision):
        embeddings = encode(encoder, table["text"].to_list())
    with atomic_path(snakemake.output.embeddings) as temporary:
        save_file({"embeddings": embeddings}, temporary)
    run.write_record(
        data_fingerprint=fingerprint(table),
        n=len(table),
        encoder={"name": snakemake.params.name, "is": snakemake.params.encoder, "source": found.source},
    )
