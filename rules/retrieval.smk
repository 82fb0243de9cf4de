# Encode code tables, train systems, rank the test mentions, measure.
SYSTEM = "results/{access}/coding/{benchmark}/{system}"
LOGGED_SYSTEM = "{benchmark}/{system}"


localrules:
    import_run,


rule embed_table:
    input:
        table="results/open/tables/{table}.tsv",
        model=[],
    output:
        embeddings="results/open/tables/{table}.{encoder}.safetensors",
        run="results/open/tables/{table}.{encoder}.run.json",
    log:
        "results/logs/embed_table/{table}.{encoder}.log",
    benchmark:
        "results/benchmarks/embed_table/{table}.{encoder}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        **machines.on_gpu(),
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        name=lambda wildcards: wildcards.encoder,
        encoder=lambda wildcards: retrieval.encoder(wildcards.encoder),
        precision=config["precision"],
        code=code_digest("embed_table.py"),
    script:
        "../workflow_scripts/embed_table.py"


use rule embed_table as embed_trained with:
    input:
        table="results/open/tables/{table}.tsv",
        model=f"{SYSTEM}/seed={{seed}}/model",
    output:
        embeddings=f"{SYSTEM}/seed={{seed}}/{{table}}.safetensors",
        run=f"{SYSTEM}/seed={{seed}}/{{table}}.run.json",
    log:
        f"results/{{access}}/logs/embed_trained/{LOGGED_SYSTEM}/seed={{seed}}.{{table}}.log",
    benchmark:
        f"results/benchmarks/embed_trained/{{access}}/{LOGGED_SYSTEM}/seed={{seed}}.{{table}}.tsv"
    params:
        name=lambda wildcards: coding.encoder_of(wildcards.system),
        encoder=retrieval.encoder_of_system,
        precision=config["precision"],
        code=code_digest("embed_table.py"),


rule train_system:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=coding.table,
        supervision=retrieval.supervision,
        embeddings=retrieval.embeddings,
    output:
        model=directory(f"{SYSTEM}/seed={{seed}}/model"),
        run=f"{SYSTEM}/seed={{seed}}/training.run.json",
    log:
        f"results/{{access}}/logs/train_system/{LOGGED_SYSTEM}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/train_system/{{access}}/{LOGGED_SYSTEM}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        **machines.on_gpu(retrieval.gpus_of_system),
        mem_mb=growing(12000),
        runtime=growing(480),
    params:
        kind=lambda wildcards: coding.kind(wildcards.system),
        name=lambda wildcards: coding.encoder_of(wildcards.system),
        encoder=retrieval.encoder_of_system,
        precision=retrieval.precision_of_system,
        options=coding.training_options,
        sources=lambda wildcards: coding.sources(wildcards.system),
        state=lambda wildcards: f"results/{wildcards.access}/.state",
        code=coding.system_code("train_system.py"),
    script:
        "../workflow_scripts/train_system.py"


rule run_system:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        training=retrieval.training,
        table=coding.table,
        model=retrieval.model,
        first_stage=retrieval.first_stage_run,
        systems=retrieval.part_runs,
        embeddings=retrieval.search_embeddings,
    output:
        trec=f"{SYSTEM}/seed={{seed}}/run.trec",
        run=f"{SYSTEM}/seed={{seed}}/run.json",
    log:
        f"results/{{access}}/logs/run_system/{LOGGED_SYSTEM}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/run_system/{{access}}/{LOGGED_SYSTEM}/seed={{seed}}.tsv"
    wildcard_constraints:
        system=one_of(config["coding"]["retrievers"]),
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        **machines.on_gpu(retrieval.gpus_of_system),
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        kind=lambda wildcards: coding.kind(wildcards.system),
        name=lambda wildcards: coding.encoder_of(wildcards.system),
        encoder=retrieval.encoder_of_system,
        precision=retrieval.precision_of_system,
        options=coding.options,
        pool=coding.pool,
        mentions=lambda wildcards: coding.mentions(wildcards.system),
        join=retrieval.joins,
        sources=lambda wildcards: coding.sources(wildcards.system),
        systems=lambda wildcards: coding.parts(wildcards.system),
        depth=config["coding"]["depth"],
        code=coding.system_code("run_system.py"),
    script:
        "../workflow_scripts/run_system.py"


rule import_run:
    input:
        file=coding.external_file,
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        training=retrieval.training,
        table=coding.table,
    output:
        trec="results/{access}/coding/{benchmark}/{external}/seed={seed}/run.trec",
        run="results/{access}/coding/{benchmark}/{external}/seed={seed}/run.json",
    log:
        "results/{access}/logs/import_run/{benchmark}/{external}/seed={seed}.log",
    benchmark:
        "results/benchmarks/import_run/{access}/{benchmark}/{external}/seed={seed}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        pool=coding.pool,
        depth=config["coding"]["depth"],
        code=code_digest("import_run.py"),
    script:
        "../workflow_scripts/import_run.py"


rule evaluate_coding:
    input:
        queries=retrieval.queries,
        training=retrieval.training,
        table=coding.table,
        trec=retrieval.of_every_seed("run.trec"),
        runs=retrieval.of_every_seed("run.json"),
    output:
        metrics="results/metrics/coding/{benchmark}/{system}.json",
        run="results/metrics/coding/{benchmark}/{system}.run.json",
    log:
        "results/logs/evaluate_coding/{benchmark}/{system}.log",
    benchmark:
        "results/benchmarks/evaluate_coding/{benchmark}/{system}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        title=coding.title,
        pool=coding.pool,
        depth=config["coding"]["depth"],
        model=lambda wildcards: coding.encoder_of(wildcards.system) or "",
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_coding.py"),
    script:
        "../workflow_scripts/evaluate_coding.py"


rule code_mentions:
    input:
        file=ancient(lambda wildcards: told(coding.mentions_file)),
        queries=retrieval.queries,
        training=retrieval.training,
        table=coding.table,
        model=retrieval.model,
        first_stage=retrieval.coded_first_stage,
        systems=retrieval.coded_parts,
        embeddings=retrieval.search_embeddings,
    output:
        coded="results/private/coded/{benchmark}/{system}.tsv",
        trec="results/private/coded/{benchmark}/{system}.trec",
        run="results/private/coded/{benchmark}/{system}.run.json",
    log:
        "results/private/logs/code_mentions/{benchmark}/{system}.log",
    benchmark:
        "results/benchmarks/code_mentions/{benchmark}/{system}.tsv"
    wildcard_constraints:
        system=one_of(config["coding"]["retrievers"]),
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        **machines.on_gpu(retrieval.gpus_of_system),
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        kind=lambda wildcards: coding.kind(wildcards.system),
        name=lambda wildcards: coding.encoder_of(wildcards.system),
        encoder=retrieval.encoder_of_system,
        precision=retrieval.precision_of_system,
        options=coding.options,
        pool=coding.pool,
        mentions=lambda wildcards: coding.mentions(wildcards.system),
        join=retrieval.joins,
        sources=lambda wildcards: coding.sources(wildcards.system),
        systems=lambda wildcards: coding.parts(wildcards.system),
        seed=config["seeds"][0],
        depth=config["coding"]["depth"],
        ranks=config["coding"]["mentions_ranks"],
        state=lambda wildcards: data_state([config["coding"]["mentions_file"]]),
        code=coding.system_code("code_mentions.py"),
    script:
        "../workflow_scripts/code_mentions.py"
