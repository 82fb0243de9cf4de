# Train every setting of a row, let validation pick one, predict the test stays, measure.
CELL = "results/{access}/risk/{cohort}/{model}/{row}"
LOGGED = "{cohort}/{model}/{row}"


rule train_risk:
    input:
        cohort=risk.cohort_file,
    output:
        history=f"{CELL}/batch={{batch}}/seed={{seed}}/history.json",
        weights=f"{CELL}/batch={{batch}}/seed={{seed}}/weights.safetensors",
        run=f"{CELL}/batch={{batch}}/seed={{seed}}/run.json",
    log:
        f"results/{{access}}/logs/train_risk/{LOGGED}/batch={{batch}}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/train_risk/{{access}}/{LOGGED}/batch={{batch}}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        gpu=GPUS,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=240,
    params:
        recipe=risk.recipe,
        state="results/.state",
        code=risk.row_code("train_risk.py"),
    script:
        "../workflow_scripts/train_risk.py"


rule predict_risk:
    input:
        cohort=risk.cohort_file,
        histories=risk.searched("history.json"),
        weights=risk.searched("weights.safetensors"),
        runs=risk.searched("run.json"),
    output:
        predictions=f"{CELL}/seed={{seed}}/predictions.csv",
        embeddings=f"{CELL}/seed={{seed}}/embeddings.npz",
        selected=f"{CELL}/seed={{seed}}/selected.json",
        model=f"{CELL}/seed={{seed}}/model.safetensors",
        run=f"{CELL}/seed={{seed}}/run.json",
    log:
        f"results/{{access}}/logs/predict_risk/{LOGGED}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/predict_risk/{{access}}/{LOGGED}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=30,
    params:
        model=lambda wildcards: canonical(config["risk"]["models"][wildcards.model]),
        loss=lambda wildcards: canonical(config["risk"]["losses"][wildcards.row]),
        preset=config["risk"]["preset"],
        metric=config["risk"]["selection_metric"],
        tsne_batch=config["risk"]["tsne"]["batch_size"],
        code=risk.row_code("predict_risk.py"),
    script:
        "../workflow_scripts/predict_risk.py"


rule evaluate_risk:
    input:
        cohort=risk.cohort_file,
        predictions=risk.of_every_seed("predictions.csv"),
        runs=risk.of_every_seed("run.json"),
    output:
        metrics="results/metrics/risk/{cohort}/{model}/{row}.json",
        run="results/metrics/risk/{cohort}/{model}/{row}.run.json",
    log:
        "results/logs/evaluate_risk/{cohort}/{model}/{row}.log",
    benchmark:
        "results/benchmarks/evaluate_risk/{cohort}/{model}/{row}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=30,
    params:
        task=risk.task,
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_risk.py"),
    script:
        "../workflow_scripts/evaluate_risk.py"
