"""The coding track: code tables, benchmarks, retrieval systems."""

import sys

from clinbench import plugins
from clinbench.coding.codes import EDITIONS
from clinbench.coding.encoders import Found, find_encoder
from clinbench.coding.lexicon.tsvfile import files_digest
from clinbench.config_coding import BENCHMARK, external_file, parts_of, runs_below, table_of
from clinbench.digest import canonical, code_digest
from clinbench.errors import UserError
from planning.places import data_keys, data_paths, data_state, options_of, store, users_path

POOLS = {"gold_union": "codes that are gold somewhere only", "train_gold": "codes of train mentions only"}
# Keys of a retriever's entry that the suite itself reads.
OWN = (
    "kind",
    "encoder",
    "first_stage",
    "candidates",
    "model_of",
    "optional",
    "systems",
    "mentions",
    "sources",
)


class CodingPlan:
    """Answers the rules of the coding track from the configuration.

    Attributes:
        absent: optional systems whose encoder is not at hand, with the reason.

    Raises:
        UserError: the encoder of a system that is not optional is not at hand.
    """

    def __init__(self, config: dict):
        self.config, self.coding, self.seeds = config, config["coding"], config["seeds"]
        self.absent = self._absent() if "coding" in config["tracks"] else {}

    def store(self, benchmark: str) -> str:
        return store(self.config, "coding", benchmark)

    def table_kind(self, wildcards) -> str:
        return self.coding["tables"][wildcards.table]["kind"]

    def table(self, wildcards) -> str:
        """Return the file of the code table a benchmark is answered from."""
        return f"results/open/tables/{table_of(self.config, wildcards.benchmark)}.tsv"

    def table_data(self, wildcards) -> list[str]:
        """Return the publishers' files behind a table, and those its entry names."""
        kind, entry = self.table_kind(wildcards), self.coding["tables"][wildcards.table]
        named = [entry[key] for key in self._table_files(kind) if entry.get(key)]
        return data_paths(self.config, "coding.tables", kind) + named

    def table_keys(self, wildcards) -> list[str]:
        """Return what the plug-in calls each path of ``table_data``, then each of ``table_parts``."""
        kind, entry = self.table_kind(wildcards), self.coding["tables"][wildcards.table]
        named = [key for key in self._table_files(kind) if entry.get(key)]
        return data_keys(self.config, "coding.tables", kind) + named + parts_of(entry)

    def table_parts(self, wildcards) -> list[str]:
        """Return the built tables a table is made of."""
        parts = parts_of(self.coding["tables"][wildcards.table])
        return [f"results/open/tables/{part}.tsv" for part in parts]

    def table_options(self, wildcards) -> str:
        """Return a table's options without paths, which are this machine's."""
        own = self._table_files(self.table_kind(wildcards))
        return options_of(self.coding["tables"][wildcards.table], "kind", *own)

    def _table_files(self, kind: str) -> tuple[str, ...]:
        return plugins.declared("coding.tables", kind, "FILES", ())

    def table_state(self, wildcards) -> str:
        return data_state(self.table_data(wildcards))

    def benchmark_state(self, wildcards) -> str:
        return data_state(self.benchmark_data(wildcards))

    def table_code(self, wildcards) -> str:
        kind = self.table_kind(wildcards)
        composed = plugins.declared("coding.tables", kind, "LEXICON", False)
        return code_digest("build_code_table.py", plugins.module("coding.tables", kind)) + (
            files_digest() if composed else ""
        )

    def benchmark_data(self, wildcards) -> list[str]:
        return data_paths(self.config, "coding.benchmarks", wildcards.benchmark)

    def benchmark_keys(self, wildcards) -> list[str]:
        return data_keys(self.config, "coding.benchmarks", wildcards.benchmark)

    def benchmark_options(self, wildcards) -> str:
        """Return a benchmark's options, less those of its table, with what it reads of the supervision's."""
        name = wildcards.benchmark
        shown = plugins.declared("coding.benchmarks", name, "LAYOUTS", {})
        own = {"access", *BENCHMARK, *shown}
        options = {key: value for key, value in self.coding.get(name, {}).items() if key not in own}
        if keys := plugins.declared("coding.benchmarks", name, "SUPERVISION", ()):
            options["supervision"] = {key: self.coding["supervision"][key] for key in keys}
        return canonical(options)

    def benchmark_code(self, wildcards) -> str:
        module = plugins.module("coding.benchmarks", wildcards.benchmark)
        composed = plugins.declared("coding.benchmarks", wildcards.benchmark, "SUPERVISION", ())
        return code_digest("build_benchmark.py", module) + (files_digest() if composed else "")

    def title(self, wildcards) -> str:
        """Say which mentions are answered from which codes, for captions."""
        title = plugins.declared("coding.benchmarks", wildcards.benchmark, "TITLE")
        entry = self.coding.get(wildcards.benchmark, {})
        parts = entry.get("test")
        table = self.coding["tables"][table_of(self.config, wildcards.benchmark)]
        pool = self._table_title(table)
        limits = [f"in {table['language']}"] if "language" in table else []
        if table.get("chapters"):
            limits.append(f"chapters {', '.join(map(str, table['chapters']))} only")
        if entry.get("pool", "full") != "full":
            limits.append(POOLS[entry["pool"]])
        if entry.get("disjoint"):
            limits.append(f"without the documents that {entry['train_on']} trains on")
        tested = f" ({' + '.join(parts)} part)" if parts else ""
        return f"{title}{tested}, answered from {pool}" + (f" ({'; '.join(limits)})" if limits else "")

    def _table_title(self, entry: dict) -> str:
        parts = [self._table_title(self.coding["tables"][name]) for name in parts_of(entry)]
        own = plugins.declared("coding.tables", entry["kind"], "TITLE")
        return entry.get("title") or " + ".join(parts) or own

    def edition(self, wildcards) -> str:
        """Name the edition of the codes a benchmark is answered from, for messages."""
        return self._edition(self.coding["tables"][table_of(self.config, wildcards.benchmark)])

    def _edition(self, entry: dict) -> str:
        if parts := [entry["pool"]] if entry.get("pool") else parts_of(entry):
            return " + ".join(dict.fromkeys(self._edition(self.coding["tables"][name]) for name in parts))
        options = plugins.declared("coding.tables", entry["kind"], "OPTIONS")
        named = plugins.declared("coding.tables", entry["kind"], "EDITION")
        if "edition" in options:
            named = entry.get("edition") or EDITIONS[entry.get("level", options["level"]["default"])]
        chapters = entry.get("chapters")
        return f"{named}, chapters {', '.join(map(str, chapters))}" if chapters else named

    def found(self, encoder: str) -> Found:
        """Find an encoder's folder, or raise a UserError that says how to get it."""
        return find_encoder(self.coding["encoders"][encoder], self.config["allow_download"], encoder)

    def trained_on(self, benchmark: str) -> str:
        """Return the benchmark whose train and val mentions a benchmark's systems learn from."""
        return self.coding.get(benchmark, {}).get("train_on") or benchmark

    def disjoint_from(self, wildcards) -> list[str]:
        """Return the queries whose train documents a benchmark leaves out, if it does."""
        if not self.coding.get(wildcards.benchmark, {}).get("disjoint"):
            return []
        return [f"{self.store(self.trained_on(wildcards.benchmark))}/queries.tsv"]

    def pool(self, wildcards) -> str:
        return self.coding.get(wildcards.benchmark, {}).get("pool", "full")

    def parts(self, system: str) -> list[str]:
        """Return the systems whose runs a system is made of."""
        return self.entry(system).get("systems", [])

    def sources(self, system: str) -> list[str] | None:
        """Return the sources of the texts a system searches in; None for all."""
        return self.coding["retrievers"][system].get("sources")

    def mentions(self, system: str) -> list[str]:
        """Return the splits whose annotated mentions a system reads."""
        default = ["train", "val"] if self.needs(system, "mentions") else []
        return self.coding["retrievers"][system].get("mentions", default)

    def rows(self, benchmark: str) -> list[str]:
        """Return the systems whose numbers a benchmark's table shows: those at hand, then runs made elsewhere."""
        there = [system for system in self.coding["systems"] if system not in self.absent]
        return there + [
            name for name in self.coding["external"] if external_file(self.coding, name, benchmark)
        ]

    def external_file(self, wildcards) -> str:
        """Return the file with a run made elsewhere; one that is not there for a benchmark it has no file of."""
        file = external_file(self.coding, wildcards.external, wildcards.benchmark)
        return file or f"coding.external.{wildcards.external} has no file for {wildcards.benchmark}"

    def entry(self, system: str) -> dict:
        """Return the configuration of a system; a run made elsewhere has none."""
        return self.coding["retrievers"].get(system, {})

    def encoder_of(self, system: str) -> str | None:
        """Return the encoder a system starts from, through its first stage if it has one."""
        entry = self.entry(system)
        if "first_stage" in entry:
            return self.encoder_of(entry["first_stage"])
        return entry.get("encoder")

    def encoders(self, system: str) -> list[str]:
        """Return the encoders that have to be at hand for a system, those of its parts included."""
        own = [name for name in [self.encoder_of(system)] if name is not None]
        return own + [name for part in runs_below(self.entry(system)) for name in self.encoders(part)]

    def _absent(self) -> dict[str, str]:
        absent = {}
        for system in self.coding["systems"]:
            try:
                for encoder in self.encoders(system):
                    self.found(encoder)
            except UserError as error:
                if not self.coding["retrievers"][system].get("optional"):
                    raise
                absent[system] = str(error).splitlines()[0]  # the places tried are this machine's
                print(f"Row '{system}' is not available. {error}", file=sys.stderr)
        return absent

    def kind(self, system: str) -> str:
        return self.coding["retrievers"][system]["kind"]

    def needs(self, system: str, what: str) -> bool:
        """Tell whether a system's plug-in declares that it needs ``what``."""
        return what in plugins.declared("coding.systems", self.kind(system), "NEEDS", ())

    def trained(self, system: str) -> bool:
        return bool(plugins.declared("coding.systems", self.kind(system), "TRAINED", False))

    def seeds_of(self, system: str) -> list[int]:
        """Return all seeds for a system with a trained part, the first one for a deterministic system."""
        return self.seeds if self.varies(system) else self.seeds[:1]

    def varies(self, system: str) -> bool:
        """Tell whether a system or one of its parts is trained."""
        return bool(self.entry(system)) and self.trained(system) or any(map(self.varies, self.parts(system)))

    def first_stage(self, system: str) -> str | None:
        return self.coding["retrievers"][system].get("first_stage")

    def ranked(self, system: str) -> str | None:
        """Return the system whose shortlist a system re-ranks: its first stage, or another one named."""
        entry = self.entry(system)
        return entry.get("candidates") or entry.get("first_stage")

    def shortlist(self, system: str) -> int:
        """Return how many codes a system re-ranks."""
        default = plugins.declared("coding.systems", self.kind(system), "OPTIONS")["shortlist"]["default"]
        return self._with_lender(self.entry(system)).get("shortlist", default)

    def reranked_runs(self, benchmark: str, system: str) -> list[tuple[str, str]]:
        """Return, for every seed, the run that a system re-ranks and its own."""
        first, folder = self.ranked(system), self.store(benchmark)
        return [
            (
                f"{folder}/{first}/seed={seed if self.varies(first) else self.seeds[0]}/run.trec",
                f"{folder}/{system}/seed={seed}/run.trec",
            )
            for seed in self.seeds_of(system)
        ]

    def tested(self, wildcards) -> bool:
        """Tell whether a benchmark is selected, and not only learned from."""
        return wildcards.benchmark in self.coding["benchmarks"]

    def mentions_file(self) -> str:
        """Return the user's file of mentions to code.

        Raises:
            UserError: none is configured, or it does not exist.
        """
        remedy = "name a TSV or CSV with a column 'query'."
        return users_path("coding.mentions_file", self.coding["mentions_file"], "file", remedy)

    def options(self, wildcards) -> str:
        """Return a system's options; a model that is trained for another system is read as that one's options say."""
        return options_of(self._with_lender(self.coding["retrievers"][wildcards.system]), *OWN)

    def _with_lender(self, entry: dict) -> dict:
        return {**self.entry(entry.get("model_of", "")), **entry}

    def training_options(self, wildcards) -> str:
        """Return the options without those the plug-in reads only when it searches."""
        entry = self.coding["retrievers"][wildcards.system]
        own = plugins.declared("coding.systems", entry["kind"], "SEARCH_OPTIONS", ())
        return options_of(entry, *OWN, *own)

    def system_code(self, script: str):
        """Return a function giving the digest of a script with the system's plug-in."""
        return lambda wildcards: code_digest(
            script, plugins.module("coding.systems", self.kind(wildcards.system))
        )
