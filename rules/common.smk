# Checks before any job, the plans the rules ask, and what wildcards may be. Row-level files lie under
# results/open or results/private, by access.
from clinbench import config as configuration
from clinbench import plugins
from clinbench.digest import canonical, code_digest
from clinbench.runtime import gpus_per_job

from planning.checks import require_writable, told
from planning.coding import CodingPlan
from planning.places import access_constraint, one_of, options_of
from planning.reports import ReportPlan
from planning.retrieval import RetrievalInputs
from planning.risk import RiskPlan
from planning.supervision import SupervisionPlan

told(configuration.check, config)
told(require_writable, "results")

GPUS = told(gpus_per_job, config["device"])
risk = told(RiskPlan, config)
coding = told(CodingPlan, config)
retrieval = RetrievalInputs(coding, GPUS)
reports = ReportPlan(risk, coding)
supervision = told(SupervisionPlan, config)


wildcard_constraints:
    access=access_constraint(config),
    cohort=one_of(plugins.names("cohorts")),
    task="mortality",
    place="(private/)?",  # pictures of credentialed stays are derived from their rows
    model=one_of(config["risk"]["models"]),
    row=one_of(config["risk"]["losses"]),
    batch=one_of(map(str, config["risk"]["batch_sizes"])),
    seed=r"\d+",
    benchmark=one_of(plugins.names("coding.benchmarks")),
    system=one_of(config["coding"]["retrievers"]),
    table=one_of(config["coding"]["tables"]),
    encoder=one_of(config["coding"]["encoders"]),
