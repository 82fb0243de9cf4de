# Supervision made from a benchmark's train split.


rule mine_groups:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=coding.table,
        embeddings=retrieval.group_embeddings,
    output:
        groups="results/{access}/coding/{benchmark}/groups.jsonl",
        run="results/{access}/coding/{benchmark}/groups.run.json",
    log:
        "results/{access}/logs/mine_groups/{benchmark}.log",
    benchmark:
        "results/benchmarks/mine_groups/{access}/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        gpu=GPUS if config["coding"]["groups"]["encoder"] else 0,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=60,
    params:
        name=config["coding"]["groups"]["encoder"],
        encoder=retrieval.group_encoder,
        negatives=config["coding"]["groups"]["negatives"],
        depth=config["coding"]["groups"]["depth"],
        unique=config["coding"]["groups"]["unique"],
        code=code_digest("mine_groups.py"),
    script:
        "../workflow_scripts/mine_groups.py"
