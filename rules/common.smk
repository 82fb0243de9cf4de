# Checks before any job, the plans the rules ask, and what wildcards may be. Row-level files lie under
# results/open or results/private, by access.
from clinbench import config as configuration
from clinbench import plugins
from clinbench.digest import canonical, code_digest
from clinbench.downloads import SOURCES
from clinbench.risk.tasks import TASKS

from planning.checks import require_apart, require_writable, told
from planning.claims import ClaimsPlan
from planning.coding import CodingPlan
from planning.downloads import require_permission
from planning.machines import Machines, growing
from planning.page import PagePlan
from planning.paired import PairedPlan
from planning.places import access_constraint, data_state, one_of
from planning.reports import ReportPlan
from planning.retrieval import RetrievalInputs
from planning.risk import RiskPlan
from planning.sharing import SharingPlan
from planning.studies import STUDY_TABLES, StudyPlan
from planning.supervision import SupervisionPlan

told(configuration.check, config)
told(require_writable, "results")
told(require_apart, config)

machines = Machines(config["device"], workflow)
risk = told(RiskPlan, config)
studies = told(StudyPlan, risk)
coding = told(CodingPlan, config)
retrieval = RetrievalInputs(coding, machines.gpus)
reports = ReportPlan(risk, coding)
paired = PairedPlan(reports, studies)
ledger = told(ClaimsPlan, reports, studies)
sharing = SharingPlan(reports, studies, paired)
pages = PagePlan(
    sharing,
    studies,
    workflow.basedir,
    workflow.config_settings.configfiles,
    workflow.config_settings.config,
)
supervision = told(SupervisionPlan, config)


wildcard_constraints:
    access=access_constraint(config),
    cohort=one_of(plugins.names("cohorts")),
    task=one_of(TASKS),
    sample=r"all|positives=(all|[\d.]+),draw=\d+",
    level=one_of(studies.levels),
    place="(private/)?",  # pictures of credentialed stays are derived from their rows
    model=one_of(config["risk"]["models"]),
    row=one_of(
        [
            row
            for part in ("losses", "baselines", "external")
            for row in config["risk"][part]
        ]
    ),
    batch=r"\d+",
    seed=r"\d+",
    benchmark=one_of(plugins.names("coding.benchmarks")),
    system=one_of([*config["coding"]["retrievers"], *config["coding"]["external"]]),
    external=one_of(config["coding"]["external"]),
    table=one_of(config["coding"]["tables"]),
    encoder=one_of(config["coding"]["encoders"]),
