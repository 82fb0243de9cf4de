# Encode code tables, train systems, rank the test mentions, measure.
SYSTEM = "results/{access}/coding/{benchmark}/{system}"
LOGGED_SYSTEM = "{access}/{benchmark}/{system}"


def training_inputs(wildcards):
    """Return what a system trains on beside queries and table: groups, and its first stage's model."""
    folder = f"{store('coding', wildcards.benchmark)}"
    inputs = [f"{folder}/groups.jsonl"] if needs(wildcards.system, "groups") else []
    first = CODING["retrievers"][wildcards.system].get("first_stage")
    if first and trained(first):
        inputs.append(f"{folder}/{first}/seed={wildcards.seed}/model")
    return inputs


def own_model(wildcards):
    if not trained(wildcards.system):
        return []
    return [
        f"{store('coding', wildcards.benchmark)}/{wildcards.system}/seed={wildcards.seed}/model"
    ]


def first_stage_run(wildcards):
    first = CODING["retrievers"][wildcards.system].get("first_stage")
    if not first:
        return []
    seed = wildcards.seed if trained(first) else SEEDS[0]
    return [f"{store('coding', wildcards.benchmark)}/{first}/seed={seed}/run.trec"]


def of_system_seeds(wildcards, file):
    """Return a file of a system for each seed it runs with."""
    folder = f"{store('coding', wildcards.benchmark)}/{wildcards.system}"
    return [f"{folder}/seed={seed}/{file}" for seed in seeds_of(wildcards.system)]


def embeddings(wildcards):
    """Return the code table under the untrained encoder, a declared artefact, where a system needs it."""
    if not needs(wildcards.system, "embeddings"):
        return []
    table = configuration.table_of(config, wildcards.benchmark)
    return [f"results/open/tables/{table}.{encoder_of(wildcards.system)}.safetensors"]


def encoder_path(wildcards):
    """Return where the encoder a system starts from is."""
    return encoder_param(encoder_of(wildcards.system))


def system_code(script):
    """Return a function giving the digest of a script with the system's plug-in."""
    return lambda wildcards: code_digest(
        script, plugins.module("coding.systems", kind_of(wildcards.system))
    )


def system_options(wildcards):
    own = ("kind", "encoder", "first_stage", "optional")
    return options_of(CODING["retrievers"][wildcards.system], *own)


def gpus_of_system(wildcards):
    """Ask for a GPU only where a network runs."""
    return 0 if encoder_of(wildcards.system) is None else GPUS


rule embed_table:
    input:
        table="results/open/tables/{table}.tsv",
    output:
        embeddings="results/open/tables/{table}.{encoder}.safetensors",
        run="results/open/tables/{table}.{encoder}.run.json",
    log:
        "results/logs/embed_table/{table}.{encoder}.log",
    benchmark:
        "results/benchmarks/embed_table/{table}.{encoder}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 2
    resources:
        gpu=GPUS,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=240,
    params:
        encoder=lambda wildcards: encoder_param(wildcards.encoder),
        code=code_digest("embed_table.py"),
    script:
        "../workflow_scripts/embed_table.py"


rule train_system:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=lambda wildcards: benchmark_table(wildcards.benchmark),
        supervision=training_inputs,
        embeddings=embeddings,
    output:
        model=directory(f"{SYSTEM}/seed={{seed}}/model"),
        run=f"{SYSTEM}/seed={{seed}}/training.run.json",
    log:
        f"results/logs/train_system/{LOGGED_SYSTEM}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/train_system/{LOGGED_SYSTEM}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 2
    resources:
        gpu=gpus_of_system,
        mem_mb=lambda wildcards, attempt: 12000 * attempt,
        runtime=480,
    params:
        kind=lambda wildcards: kind_of(wildcards.system),
        encoder=encoder_path,
        options=system_options,
        code=system_code("train_system.py"),
    script:
        "../workflow_scripts/train_system.py"


rule run_system:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=lambda wildcards: benchmark_table(wildcards.benchmark),
        model=own_model,
        first_stage=first_stage_run,
        embeddings=lambda wildcards: [] if trained(wildcards.system) else embeddings(wildcards),
    output:
        trec=f"{SYSTEM}/seed={{seed}}/run.trec",
        run=f"{SYSTEM}/seed={{seed}}/run.json",
    log:
        f"results/logs/run_system/{LOGGED_SYSTEM}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/run_system/{LOGGED_SYSTEM}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 2
    resources:
        gpu=gpus_of_system,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=240,
    params:
        kind=lambda wildcards: kind_of(wildcards.system),
        encoder=encoder_path,
        options=system_options,
        depth=CODING["depth"],
        code=system_code("run_system.py"),
    script:
        "../workflow_scripts/run_system.py"


rule evaluate_coding:
    input:
        queries=lambda wildcards: f"{store('coding', wildcards.benchmark)}/queries.tsv",
        table=lambda wildcards: benchmark_table(wildcards.benchmark),
        trec=lambda wildcards: of_system_seeds(wildcards, "run.trec"),
        runs=lambda wildcards: of_system_seeds(wildcards, "run.json"),
    output:
        metrics="results/metrics/coding/{benchmark}/{system}.json",
        run="results/metrics/coding/{benchmark}/{system}.run.json",
    log:
        "results/logs/evaluate_coding/{benchmark}/{system}.log",
    benchmark:
        "results/benchmarks/evaluate_coding/{benchmark}/{system}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        model=lambda wildcards: encoder_of(wildcards.system) or "",
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_coding.py"),
    script:
        "../workflow_scripts/evaluate_coding.py"
