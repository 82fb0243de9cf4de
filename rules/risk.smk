# Train every setting of a row, let validation pick one, predict the test stays, measure.
CELL = "results/{access}/risk/{cohort}/{model}/{row}"
LOGGED = "{access}/{cohort}/{model}/{row}"


def cohort_file(wildcards):
    """Return the tensors a model trains on."""
    return f"{store('risk', wildcards.cohort)}/{RISK['models'][wildcards.model]['task']}.npz"


def searched(wildcards, file):
    """Return a file of every search job of a row and seed, in the order of risk.batch_sizes."""
    sizes = [size for size, settings in SETTINGS[wildcards.row].items() if settings]
    return [
        f"{store('risk', wildcards.cohort)}/{wildcards.model}/{wildcards.row}"
        f"/batch={size}/seed={wildcards.seed}/{file}"
        for size in sizes
    ]


def of_every_seed(wildcards, file):
    """Return a file of a row for each seed."""
    folder = f"{store('risk', wildcards.cohort)}/{wildcards.model}/{wildcards.row}"
    return [f"{folder}/seed={seed}/{file}" for seed in SEEDS]


def recipe(wildcards):
    """Return all that shapes a search job beside its code and data, as canonical JSON."""
    return canonical(
        {
            "model": RISK["models"][wildcards.model],
            "loss": RISK["losses"][wildcards.row],
            "settings": [
                describe(setting)
                for setting in SETTINGS[wildcards.row][int(wildcards.batch)]
            ],
            "preset": RISK["preset"],
            "epochs": RISK["epochs"],
            "learning_rate": RISK["learning_rate"],
            "gradient_clip": RISK["gradient_clip"],
            "metric": RISK["selection_metric"],
        }
    )


def row_code(script):
    """Return a function giving the digest of a script with the row's loss and model."""

    def digest(wildcards):
        loss = plugins.module("risk.losses", RISK["losses"][wildcards.row]["kind"])
        model = plugins.module("risk.models", RISK["models"][wildcards.model]["kind"])
        return code_digest(script, loss, model)

    return digest


rule train_risk:
    input:
        cohort=cohort_file,
    output:
        history=f"{CELL}/batch={{batch}}/seed={{seed}}/history.json",
        weights=f"{CELL}/batch={{batch}}/seed={{seed}}/weights.safetensors",
        run=f"{CELL}/batch={{batch}}/seed={{seed}}/run.json",
    log:
        f"results/logs/train_risk/{LOGGED}/batch={{batch}}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/train_risk/{LOGGED}/batch={{batch}}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        gpu=GPUS,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=240,
    params:
        recipe=recipe,
        state="results/.state",
        code=row_code("train_risk.py"),
    script:
        "../workflow_scripts/train_risk.py"


rule predict_risk:
    input:
        cohort=cohort_file,
        histories=lambda wildcards: searched(wildcards, "history.json"),
        weights=lambda wildcards: searched(wildcards, "weights.safetensors"),
    output:
        predictions=f"{CELL}/seed={{seed}}/predictions.csv",
        embeddings=f"{CELL}/seed={{seed}}/embeddings.npz",
        selected=f"{CELL}/seed={{seed}}/selected.json",
        model=f"{CELL}/seed={{seed}}/model.safetensors",
        run=f"{CELL}/seed={{seed}}/run.json",
    log:
        f"results/logs/predict_risk/{LOGGED}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/predict_risk/{LOGGED}/seed={{seed}}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=30,
    params:
        model=lambda wildcards: canonical(RISK["models"][wildcards.model]),
        loss=lambda wildcards: canonical(RISK["losses"][wildcards.row]),
        preset=RISK["preset"],
        metric=RISK["selection_metric"],
        tsne_batch=RISK["tsne"]["batch_size"],
        code=row_code("predict_risk.py"),
    script:
        "../workflow_scripts/predict_risk.py"


rule evaluate_risk:
    input:
        cohort=cohort_file,
        predictions=lambda wildcards: of_every_seed(wildcards, "predictions.csv"),
        runs=lambda wildcards: of_every_seed(wildcards, "run.json"),
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
        task=lambda wildcards: RISK["models"][wildcards.model]["task"],
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_risk.py"),
    script:
        "../workflow_scripts/evaluate_risk.py"
