# What the configured plan takes, before it is run: results/estimate.md and .csv. It always runs, so it has no output.
localrules:
    estimate,


rule estimate:
    log:
        "results/logs/estimate.log",
    conda:
        "../envs/suite.yaml"
    params:
        snakefile=os.path.join(workflow.basedir, "Snakefile"),
        code=code_digest("estimate_plan.py"),
    script:
        "../workflow_scripts/estimate_plan.py"
