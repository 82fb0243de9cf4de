# The report to read and the manifest to check: all results of the configuration that may be shared.
PAGE = os.path.join(workflow.basedir, "workflow_scripts/clinbench/reporting/page")


localrules:
    manifest,
    report,


rule manifest:
    input:
        pages.inputs(),
    output:
        manifest="results/manifest.json",
    log:
        "results/logs/manifest.log",
    benchmark:
        "results/benchmarks/manifest.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        results=sharing.results(),
        selected=pages.selected,
        command=pages.command,
        code=code_digest("make_manifest.py"),
    script:
        "../workflow_scripts/make_manifest.py"


rule report:
    input:
        results=pages.inputs(),
        manifest="results/manifest.json",
        captions=pages.captions(),
        parts=[
            os.path.join(PAGE, name)
            for name in ("page.html.j2", "page.css", "page.js", "not_comparable.md")
        ],
    output:
        html="results/report/index.html",
    log:
        "results/logs/report.log",
    benchmark:
        "results/benchmarks/report.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        results=sharing.results(),
        credentialed=sharing.credentialed(),
        allowed=sharing.allowed_figures(),
        tables=pages.tables,
        figures=pages.figures,
        data=pages.data,
        command=pages.command,
        code=code_digest("make_report.py"),
    script:
        "../workflow_scripts/make_report.py"
