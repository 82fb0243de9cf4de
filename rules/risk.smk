# Train every setting of a row, let validation pick one, predict the test stays, measure.
CELL = "results/{access}/risk/{cohort}/{model}/{sample}/{row}"
LOGGED = "{cohort}/{model}/{sample}/{row}"
WHOLE = CELL.replace("{sample}", "all")
WHOLE_LOGGED = "{cohort}/{model}/{row}"


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
        **machines.on_gpu(),
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        recipe=risk.recipe,
        state=lambda wildcards: f"results/{wildcards.access}/.state",
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
        predictions=f"{WHOLE}/seed={{seed}}/predictions.csv",
        embeddings=f"{WHOLE}/seed={{seed}}/embeddings.npz",
        selected=f"{WHOLE}/seed={{seed}}/selected.json",
        model=f"{WHOLE}/seed={{seed}}/model.safetensors",
        run=f"{WHOLE}/seed={{seed}}/run.json",
    log:
        f"results/{{access}}/logs/predict_risk/{WHOLE_LOGGED}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/predict_risk/{{access}}/{WHOLE_LOGGED}/seed={{seed}}.tsv"
    wildcard_constraints:
        row=one_of(config["risk"]["losses"]),
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        applied=risk.applied,
        tsne_batch=config["risk"]["tsne"]["batch_size"],
        code=risk.row_code("predict_risk.py"),
    script:
        "../workflow_scripts/predict_risk.py"


rule fit_baseline:
    input:
        cohort=risk.cohort_file,
    output:
        predictions=f"{WHOLE}/seed={{seed}}/predictions.csv",
        selected=f"{WHOLE}/seed={{seed}}/selected.json",
        run=f"{WHOLE}/seed={{seed}}/run.json",
    log:
        f"results/{{access}}/logs/fit_baseline/{WHOLE_LOGGED}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/fit_baseline/{{access}}/{WHOLE_LOGGED}/seed={{seed}}.tsv"
    wildcard_constraints:
        row=one_of(config["risk"]["baselines"]),
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        baseline=risk.baseline,
        code=risk.row_code("fit_baseline.py"),
    script:
        "../workflow_scripts/fit_baseline.py"


rule import_predictions:
    input:
        file=risk.external_file,
        cohort=risk.cohort_file,
    output:
        predictions=f"{WHOLE}/seed={{seed}}/predictions.csv",
        run=f"{WHOLE}/seed={{seed}}/run.json",
    log:
        f"results/{{access}}/logs/import_predictions/{WHOLE_LOGGED}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/import_predictions/{{access}}/{WHOLE_LOGGED}/seed={{seed}}.tsv"
    wildcard_constraints:
        row=one_of(config["risk"]["external"]),
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        task=risk.task,
        code=code_digest("import_predictions.py"),
    script:
        "../workflow_scripts/import_predictions.py"


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
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        task=risk.task,
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_risk.py"),
    script:
        "../workflow_scripts/evaluate_risk.py"


rule score_stays:
    input:
        folder=ancient(lambda wildcards: told(risk.scored_folder, wildcards)),
        cohort=risk.cohort_file,
        model=risk.scored_model,
    output:
        predictions="results/private/scores/{cohort}/{model}/{row}.csv",
        run="results/private/scores/{cohort}/{model}/{row}.run.json",
    log:
        "results/private/logs/score_stays/{cohort}/{model}/{row}.log",
    benchmark:
        "results/benchmarks/score_stays/{cohort}/{model}/{row}.tsv"
    wildcard_constraints:
        row=one_of(config["risk"]["losses"]),
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        applied=risk.applied,
        options=risk.options,
        state=lambda wildcards: data_state([config["risk"]["score_folder"]]),
        code=risk.row_code("score_stays.py"),
        reader=risk.cohort_code("score_stays.py"),
    script:
        "../workflow_scripts/score_stays.py"
