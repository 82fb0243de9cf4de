# Names, paths and checks shared by the rules. Row-level files: results/open or results/private, by access.
import re

from snakemake.exceptions import WorkflowError

from clinbench import config as configuration
from clinbench import plugins
from clinbench.coding.encoders import find_encoder
from clinbench.digest import canonical, code_digest
from clinbench.errors import UserError
from clinbench.risk.search import describe, plan
from clinbench.runtime import gpus_per_job


def told(check, *arguments):
    """Run a check and hand a user's mistake to Snakemake, which prints it without a traceback."""
    try:
        return check(*arguments)
    except UserError as error:
        raise WorkflowError(str(error)) from None


def require_writable(folder):
    """Say at once, not after hours, that results cannot be written."""
    existing = folder
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing) or "."
    if not os.path.isdir(existing) or not os.access(existing, os.W_OK):
        raise UserError(
            f"Cannot write to {os.path.abspath(folder)}: {existing} is not a writable folder. "
            "Free that name, change its permissions, or run with --directory FOLDER."
        )


told(configuration.check, config)
told(require_writable, "results")

RISK, CODING = config["risk"], config["coding"]
SEEDS = config["seeds"]
GPUS = told(gpus_per_job, config["device"])
COHORTS = plugins.names("cohorts")
BENCHMARKS = plugins.names("coding.benchmarks")
SETTINGS = {
    row: told(plan, loss.get("scr_weights", [0.0]), RISK["batch_sizes"], RISK["budget"])
    for row, loss in RISK["losses"].items()
    if row in RISK["rows"]
}


def one_of(names):
    """Return a wildcard constraint that admits just these names, longest first."""
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"


def store(track, name):
    """Return where row-level files of a cohort or benchmark live, by its access."""
    package = {"risk": "cohorts", "coding": "coding.benchmarks"}[track]
    access = config[track].get(name, {}).get("access") or plugins.declared(
        package, name, "ACCESS"
    )
    return f"results/{'private' if access == 'credentialed' else 'open'}/{track}/{name}"


def access_constraint():
    """Admit open or private only in front of what is declared so: no path can leave its store."""
    stores = [store("risk", name) for name in COHORTS] + [
        store("coding", name) for name in BENCHMARKS
    ]
    parts = [path.removeprefix("results/").split("/", 1) for path in stores]
    return (
        "|".join(f"{access}(?=/{re.escape(rest)}/)" for access, rest in parts)
        + "|open(?=/tables/)"
    )


wildcard_constraints:
    access=access_constraint(),
    cohort=one_of(COHORTS),
    task="mortality",
    model=one_of(RISK["models"]),
    row=one_of(RISK["losses"]),
    batch=one_of(map(str, RISK["batch_sizes"])),
    seed=r"\d+",
    benchmark=one_of(BENCHMARKS),
    system=one_of(CODING["retrievers"]),
    table=one_of(CODING["tables"]),
    encoder=one_of(CODING["encoders"]),


def data_paths(package, name):
    """Return the configured data paths a plug-in asks for, in a fixed order."""
    keys = sorted(plugins.declared(package, name, "DATA", {}))
    return [config["data"][key] for key in keys if config["data"].get(key)]


def data_keys(package, name):
    """Return the keys that go with ``data_paths``."""
    keys = sorted(plugins.declared(package, name, "DATA", {}))
    return [key for key in keys if config["data"].get(key)]


def options_of(entry, *own):
    """Return an entry's options without the keys the suite itself reads, as canonical JSON."""
    return canonical({key: value for key, value in entry.items() if key not in own})


def encoder_source(name):
    """Find an encoder's folder, or raise a UserError that says how to get it."""
    return find_encoder(CODING["encoders"][name], config["allow_download"], name)


def encoder_param(name):
    """Return an encoder as a rule's parameter, ``source:path``; empty if there is none."""
    return "" if name is None else str(told(encoder_source, name))


def encoder_of(system):
    """Return the name of the encoder a system starts from, through its first stage if it has one."""
    entry = CODING["retrievers"][system]
    if "first_stage" in entry:
        return encoder_of(entry["first_stage"])
    return entry.get("encoder")


def absent_systems():
    """Return optional systems whose encoder is not at hand, with the reason."""
    absent = {}
    for system in CODING["systems"] if "coding" in config["tracks"] else []:
        encoder = encoder_of(system)
        if encoder is None:
            continue
        try:
            encoder_source(encoder)
        except UserError as error:
            if not CODING["retrievers"][system].get("optional"):
                raise
            absent[system] = str(error)
    return absent


ABSENT = told(absent_systems)


def kind_of(system):
    return CODING["retrievers"][system]["kind"]


def needs(system, what):
    """Tell whether a system's plug-in declares that it needs ``what``."""
    return what in plugins.declared("coding.systems", kind_of(system), "NEEDS", ())


def trained(system):
    return bool(plugins.declared("coding.systems", kind_of(system), "TRAINED", False))


def seeds_of(system):
    """Return all seeds for a system that is trained, the first one for a deterministic system."""
    return SEEDS if trained(system) else SEEDS[:1]


def targets():
    """Return what ``all`` makes: every table and figure of the selected tracks."""
    wanted = []
    if "risk" in config["tracks"]:
        wanted += [f"results/tables/{table}.tex" for table in RISK["tables"]]
        wanted += [f"results/figures/tsne_{task}.pdf" for task in tsne_tasks()]
    if "coding" in config["tracks"]:
        wanted += [f"results/tables/coding_{name}.tex" for name in CODING["benchmarks"]]
    return wanted


def tsne_tasks():
    """Return the tasks with a t-SNE figure: those with one binary label."""
    return sorted(
        {RISK["models"][table]["task"] for table in RISK["tables"]} & {"mortality"}
    )
