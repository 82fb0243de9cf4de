# Tables, figures and the summary printed at the end.
PUBLISHED = os.path.join(
    workflow.basedir, "workflow_scripts/clinbench/reporting/published.yaml"
)


def risk_metrics(wildcards):
    """Return the metrics of every cohort and row of a table."""
    return [
        f"results/metrics/risk/{cohort}/{wildcards.model}/{row}.json"
        for cohort in RISK["cohorts"]
        for row in RISK["rows"]
    ]


def coding_metrics(wildcards):
    """Return the metrics of every system of a table that is at hand."""
    return [
        f"results/metrics/coding/{wildcards.benchmark}/{system}.json"
        for system in CODING["systems"]
        if system not in ABSENT
    ]


def absent_rows(benchmark):
    """Return the rows a table marks as not available, with the reason."""
    return [
        {
            "dataset": benchmark,
            "model": encoder_of(system),
            "system": system,
            "reason": reason,
        }
        for system, reason in ABSENT.items()
    ]


def tsne_embeddings(wildcards):
    """Return the test embeddings of every cohort and row, first seed."""
    table = next(
        name
        for name in RISK["tables"]
        if RISK["models"][name]["task"] == wildcards.task
    )
    return [
        f"{store('risk', cohort)}/{table}/{row}/seed={SEEDS[0]}/embeddings.npz"
        for cohort in RISK["cohorts"]
        for row in RISK["rows"]
    ]


def shown_results():
    """Return the tables and figures of `all` that are there, for the summary."""
    made = [path for path in targets() if os.path.exists(path)]
    tables = [path for path in made if path.startswith("results/tables/")]
    return tables, [path for path in made if path not in tables]


localrules:
    risk_table,
    coding_table,
    tsne_figure,


rule risk_table:
    input:
        metrics=risk_metrics,
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/{model}.tex",
            category="Tables",
            labels={"table": "{model}"},
        ),
        md="results/tables/{model}.md",
        csv=report(
            "results/tables/{model}.csv",
            category="Tables",
            labels={"table": "{model}"},
        ),
        run="results/tables/{model}.run.json",
    log:
        "results/logs/risk_table/{model}.log",
    conda:
        "../envs/suite.yaml"
    params:
        layout=lambda wildcards: RISK["models"][wildcards.model]["task"],
        absent="[]",
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule coding_table:
    input:
        metrics=coding_metrics,
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/coding_{benchmark}.tex",
            category="Tables",
            labels={"table": "{benchmark}"},
        ),
        md="results/tables/coding_{benchmark}.md",
        csv=report(
            "results/tables/coding_{benchmark}.csv",
            category="Tables",
            labels={"table": "{benchmark}"},
        ),
        run="results/tables/coding_{benchmark}.run.json",
    log:
        "results/logs/coding_table/{benchmark}.log",
    conda:
        "../envs/suite.yaml"
    params:
        layout="retrieval",
        absent=lambda wildcards: canonical(absent_rows(wildcards.benchmark)),
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule tsne_figure:
    input:
        embeddings=tsne_embeddings,
    output:
        pdf="results/figures/tsne_{task}.pdf",
        png=report(
            "results/figures/tsne_{task}.png",
            category="Figures",
            labels={"figure": "t-SNE {task}"},
        ),
        run="results/figures/tsne_{task}.run.json",
    log:
        "results/logs/tsne_figure/{task}.log",
    conda:
        "../envs/suite.yaml"
    params:
        perplexity=RISK["tsne"]["perplexity"],
        iterations=RISK["tsne"]["iterations"],
        seed=SEEDS[0],
        code=code_digest("make_tsne.py"),
    script:
        "../workflow_scripts/make_tsne.py"


onsuccess:
    if not workflow.dryrun:
        from clinbench.reporting.summary import summary

        print(summary(*shown_results()))
