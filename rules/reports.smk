# Tables, figures and the summary printed at the end.
PUBLISHED = os.path.join(
    workflow.basedir, "workflow_scripts/clinbench/reporting/published.yaml"
)
PUBLISHED_STUDIES = os.path.join(
    workflow.basedir, "workflow_scripts/clinbench/reporting/published_studies.yaml"
)


localrules:
    risk_table,
    coding_table,
    subsets_table,
    chapters_figure,
    shortlist_figure,
    tsne_figure,
    imbalance,
    phenotypes,
    study_table,
    scr_weights_figure,
    selection_leak_figure,
    learning_curves_figure,
    triplets_figure,


rule risk_table:
    input:
        metrics=reports.risk_metrics,
        paired=paired.of_table,
        paired_runs=paired.runs(paired.of_table),
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/{model}.tex",
            caption="captions/table_risk.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "{model}", "format": "LaTeX"},
        ),
        md="results/tables/{model}.md",
        csv=report(
            "results/tables/{model}.csv",
            caption="captions/table_risk.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "{model}", "format": "CSV"},
        ),
        run="results/tables/{model}.run.json",
    log:
        "results/logs/risk_table/{model}.log",
    benchmark:
        "results/benchmarks/risk_table/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        layout=risk.task,
        absent="[]",
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule coding_table:
    input:
        metrics=reports.coding_metrics,
        paired=paired.of_benchmarks,
        paired_runs=paired.runs(paired.of_benchmarks),
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/coding_{benchmark}.tex",
            caption="captions/table_coding.rst",
            category="Tables",
            subcategory="Coding",
            labels={"table": "{benchmark}", "format": "LaTeX"},
        ),
        md="results/tables/coding_{benchmark}.md",
        csv=report(
            "results/tables/coding_{benchmark}.csv",
            caption="captions/table_coding.rst",
            category="Tables",
            subcategory="Coding",
            labels={"table": "{benchmark}", "format": "CSV"},
        ),
        run="results/tables/coding_{benchmark}.run.json",
    log:
        "results/logs/coding_table/{benchmark}.log",
    benchmark:
        "results/benchmarks/coding_table/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        layout=reports.coding_layout,
        absent=reports.absent_rows,
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule subsets_table:
    input:
        metrics=reports.coding_metrics,
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/coding_subsets.tex",
            caption="captions/table_subsets.rst",
            category="Tables",
            subcategory="Coding",
            labels={"table": "subsets", "format": "LaTeX"},
        ),
        md="results/tables/coding_subsets.md",
        csv=report(
            "results/tables/coding_subsets.csv",
            caption="captions/table_subsets.rst",
            category="Tables",
            subcategory="Coding",
            labels={"table": "subsets", "format": "CSV"},
        ),
        run="results/tables/coding_subsets.run.json",
    log:
        "results/logs/subsets_table.log",
    benchmark:
        "results/benchmarks/subsets_table.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        layout="retrieval_subsets",
        absent=reports.absent_rows,
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule chapters_figure:
    input:
        metrics=reports.coding_metrics,
    output:
        pdf="results/figures/coding_chapters_{benchmark}.pdf",
        png=report(
            "results/figures/coding_chapters_{benchmark}.png",
            caption="captions/coding_chapters.rst",
            category="Figures",
            subcategory="Coding",
            labels={"figure": "chapters", "of": "{benchmark}"},
        ),
        run="results/figures/coding_chapters_{benchmark}.run.json",
    log:
        "results/logs/chapters_figure/{benchmark}.log",
    benchmark:
        "results/benchmarks/chapters_figure/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        code=code_digest("make_chapters_figure.py"),
    script:
        "../workflow_scripts/make_chapters_figure.py"


rule shortlist_figure:
    input:
        queries=retrieval.queries,
        training=retrieval.training,
        table=coding.table,
        runs=reports.shortlist_runs,
    output:
        pdf="results/figures/coding_shortlist_{benchmark}.pdf",
        png=report(
            "results/figures/coding_shortlist_{benchmark}.png",
            caption="captions/coding_shortlist.rst",
            category="Figures",
            subcategory="Coding",
            labels={"figure": "shortlist", "of": "{benchmark}"},
        ),
        run="results/figures/coding_shortlist_{benchmark}.run.json",
    log:
        "results/logs/shortlist_figure/{benchmark}.log",
    benchmark:
        "results/benchmarks/shortlist_figure/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        title=coding.title,
        pool=coding.pool,
        depth=config["coding"]["depth"],
        systems=reports.shortlist_systems,
        code=code_digest("make_shortlist_figure.py"),
    script:
        "../workflow_scripts/make_shortlist_figure.py"


rule tsne_figure:
    input:
        embeddings=reports.tsne_files("embeddings.npz"),
        runs=reports.tsne_files("run.json"),
    output:
        pdf="results/{place}figures/tsne_{task}.pdf",
        png=report(
            "results/{place}figures/tsne_{task}.png",
            caption="captions/tsne.rst",
            category="Figures",
            subcategory="Risk",
            labels={"figure": "t-SNE", "of": "{task}"},
        ),
        run="results/{place}figures/tsne_{task}.run.json",
    log:
        "results/{place}logs/tsne_figure/{task}.log",
    benchmark:
        "results/benchmarks/tsne_figure/{place}{task}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        perplexity=config["risk"]["tsne"]["perplexity"],
        iterations=config["risk"]["tsne"]["iterations"],
        seed=config["seeds"][0],
        code=code_digest("make_tsne.py"),
    script:
        "../workflow_scripts/make_tsne.py"


onsuccess:
    if not workflow.dryrun:
        from clinbench.reporting.summary import summary

        print(summary(*reports.made()))
