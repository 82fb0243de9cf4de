"""Where the papers' claims are tested, by the configuration, and from which files."""

from dataclasses import asdict
from types import SimpleNamespace

from clinbench import plugins
from clinbench.claims.ledger import Family, Place, families
from clinbench.digest import canonical
from planning.reports import ReportPlan
from planning.studies import StudyPlan


class ClaimsPlan:
    """Answers the rule of claims; it asks for no training that the tables do not make.

    Raises:
        UserError: see ``families``.
    """

    def __init__(self, reports: ReportPlan, studies: StudyPlan):
        self.risk, self.coding, self.studies = reports.risk, reports.coding, studies
        self.config = reports.config
        risk, coding = self.config["risk"], self.config["coding"]
        parts = [risk[key] for key in ("losses", "baselines", "external")]
        parts += [coding[key] for key in ("retrievers", "external")]
        self.rows = frozenset(row for part in parts for row in part)
        self.families = families(self.rows)

    def places(self) -> list[Place]:
        """Return where each family of claims is tested, or why it is nowhere."""
        found = {"risk": self._of_risk, "coding": self._of_coding}
        return [place for family in self.families for place in found[family.track](family)]

    def told(self) -> str:
        """Return the places, the rows that claims may name, and the seeds a test needs, as canonical JSON."""
        places = [asdict(place) for place in self.places()]
        return canonical({"places": places, "rows": sorted(self.rows), **self.config["claims"]})

    def records(self, wildcards) -> list[str]:
        """Return the files that claims are tested on, each once."""
        files = [file for place in self.places() for file in (place.files or {}).values()]
        return list(dict.fromkeys(files))

    def runs(self, wildcards) -> list[str]:
        """Return the run record of each of ``records``; a timing is one itself."""
        records = [path.removesuffix(".json").removesuffix(".run") for path in self.records(wildcards)]
        return [f"{path}.run.json" for path in records]

    def _of_risk(self, family: Family) -> list[Place]:
        models = self.risk.risk["models"]
        tables = [
            table
            for table in self.risk.tables
            if (models[table]["kind"], models[table]["task"]) == (family.place["model"], family.place["task"])
        ]
        places = [
            self._place(family, cohort, table)
            for table in tables
            for cohort in self.risk.cohorts(table)
            if family.place["study"] != "imbalance" or table == self.studies.imbalance["table"]
        ]
        if places:
            return places
        why = f"no table of {family.place['model']} for {family.place['task']} is among risk.tables"
        if not self.risk.tables:
            why = "the track risk is not among tracks"
        elif tables:
            why = f"the imbalance study is of the table {self.studies.imbalance['table']}"
        dataset = family.own["datasets"][0]
        title = plugins.declared("cohorts", dataset, "TITLE")
        return [Place(family.name, dataset, "", f"{title}, not run here", False, refused=why)]

    def _place(self, family: Family, cohort: str, table: str) -> Place:
        """Return one cohort and table, with its files if what the family needs of it is made."""
        study, folder = family.place["study"], f"results/metrics/risk/{cohort}/{table}"
        files = {"": f"{folder}/paired.json"}
        if study == "imbalance":
            files = {level: f"{folder}/imbalance/{level}/paired.json" for level in self.studies.levels}
        elif study == "running_time":
            files = {"": f"{self.risk.store(cohort)}/{table}/running_time.run.json"}
        lacking = bool(study) and study not in self.risk.risk["studies"]
        return Place(
            family.name,
            cohort,
            table,
            plugins.declared("cohorts", cohort, "TITLE"),
            plugins.declared("cohorts", cohort, "SYNTHETIC"),
            trained=tuple(self.risk.risk["rows"]),
            files=None if lacking else files,
            refused=f"the study {study} is not among risk.studies" if lacking else "",
        )

    def _of_coding(self, family: Family) -> list[Place]:
        name = family.place["benchmark"]
        synthetic = plugins.declared("coding.benchmarks", name, "SYNTHETIC")
        entry, why = self.coding.coding.get(name, {}), ""
        if "coding" not in self.config["tracks"]:
            why = "the track coding is not among tracks"
        elif name not in self.coding.coding["benchmarks"]:
            why = f"{name} is not among coding.benchmarks"
        elif "disjoint" in family.needs and not entry.get("disjoint"):
            why = f"coding.{name}.disjoint is false: its documents may be those that systems were trained on"
        if why:
            title = plugins.declared("coding.benchmarks", name, "TITLE")
            return [Place(family.name, name, "", f"{title}, not run here", synthetic, refused=why)]
        there = [system for system in self.coding.coding["systems"] if system not in self.coding.absent]
        encoders = {system: self.coding.encoder_of(system) for system in there}
        return [
            Place(
                family.name,
                name,
                "",
                self.coding.title(SimpleNamespace(benchmark=name)),
                synthetic,
                trained=tuple(filter(self.coding.varies, there)),
                encoders={system: encoder for system, encoder in encoders.items() if encoder},
                files={"": f"results/metrics/coding/{name}/paired.json"},
            )
        ]
