# Supervision made from a benchmark's train split.


def group_embeddings(wildcards):
    """Return the embedded code table that dense negatives come from, if they are asked for."""
    encoder = CODING["groups"]["encoder"]
    if encoder is None:
        return []
    return [
        f"results/open/tables/{configuration.table_of(config, wildcards.benchmark)}.{encoder}.safetensors"
    ]


rule mine_groups:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=lambda wildcards: benchmark_table(wildcards.benchmark),
        embeddings=group_embeddings,
    output:
        groups="results/{access}/coding/{benchmark}/groups.jsonl",
        run="results/{access}/coding/{benchmark}/groups.run.json",
    log:
        "results/logs/mine_groups/{access}/{benchmark}.log",
    benchmark:
        "results/benchmarks/mine_groups/{access}/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 2
    resources:
        gpu=GPUS if CODING["groups"]["encoder"] else 0,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=60,
    params:
        encoder=encoder_param(CODING["groups"]["encoder"]),
        negatives=CODING["groups"]["negatives"],
        depth=CODING["groups"]["depth"],
        code=code_digest("mine_groups.py"),
    script:
        "../workflow_scripts/mine_groups.py"
