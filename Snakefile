# Two tracks in one DAG: risk prediction from ICU series, and coding of clinical mentions.
# What is made where: results/README.md. The one file to edit: config.yaml.
import os
import sys

from snakemake.utils import min_version

min_version("9.22")

# The same hashes and CUDA workspace in every job, here and on a cluster; and threads that wait give their core
# away, so that jobs side by side do not slow each other down.
os.environ |= {
    "PYTHONHASHSEED": "0",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "OMP_WAIT_POLICY": "PASSIVE",
}
sys.path.append(os.path.join(workflow.basedir, "workflow_scripts"))


# A limit on gpu counts this machine's cards, never a cluster's.
resource_scopes:
    gpu="local",


configfile: os.path.join(workflow.basedir, "config.yaml")


report: "rules/captions/workflow.rst"


include: "rules/common.smk"
include: "rules/downloads.smk"
include: "rules/cohorts.smk"
include: "rules/risk.smk"
include: "rules/codes.smk"
include: "rules/supervision.smk"
include: "rules/retrieval.smk"
include: "rules/evidence.smk"
include: "rules/reports.smk"
include: "rules/studies.smk"
include: "rules/calibration.smk"
include: "rules/claims.smk"
include: "rules/estimate.smk"
include: "rules/export.smk"
include: "rules/page.smk"


rule all:
    default_target: True
    input:
        reports.targets(),
        pages.targets(),
