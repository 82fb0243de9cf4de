"""Inputs of the retrieval rules."""

from clinbench import plugins
from clinbench.config_coding import table_of
from planning.checks import told
from planning.coding import CodingPlan


class RetrievalInputs:
    """Files and parameters of training and running a system."""

    def __init__(self, plan: CodingPlan, gpus: int):
        self.plan, self.gpus = plan, gpus

    def encoder(self, name: str | None) -> str:
        """Return what an encoder is, as a rule's parameter: the same wherever it lies; empty for none."""
        return (
            "" if name is None else told(self.plan.found, name).identity(self.plan.coding["encoders"][name])
        )

    def encoder_of_system(self, wildcards) -> str:
        return self.encoder(self.plan.encoder_of(wildcards.system))

    def gpus_of_system(self, wildcards) -> int:
        """Ask for a GPU only where a network runs."""
        return 0 if self.plan.encoder_of(wildcards.system) is None else self.gpus

    def precision_of_system(self, wildcards) -> str:
        """Return the precision as a parameter: it changes numbers, but only where a network runs."""
        return "fp32" if self.plan.encoder_of(wildcards.system) is None else self.plan.config["precision"]

    def gpus_of_groups(self, wildcards) -> int:
        """Ask for a GPU only where dense negatives are mined."""
        return self.gpus if self.plan.coding["groups"]["encoder"] else 0

    def precision_of_groups(self, wildcards) -> str:
        return self.plan.config["precision"] if self.plan.coding["groups"]["encoder"] else "fp32"

    def group_encoder(self, wildcards) -> str:
        """Return the untrained encoder whose neighbours are hard negatives."""
        return self.encoder(self.plan.coding["groups"]["encoder"])

    def group_embeddings(self, wildcards) -> list[str]:
        """Return the embedded code table that dense negatives come from, if they are asked for."""
        encoder = self.plan.coding["groups"]["encoder"]
        return [self._embedded(wildcards.benchmark, encoder)] if encoder else []

    def own_group_embeddings(self, wildcards) -> list[str]:
        """Return the code table under a trained system, whose neighbours are another's hard negatives."""
        return [f"{self._own(wildcards)}/{table_of(self.plan.config, wildcards.benchmark)}.safetensors"]

    def embeddings(self, wildcards) -> list[str]:
        """Return the code table under the untrained encoder, where a system needs it."""
        if not self.plan.needs(wildcards.system, "embeddings"):
            return []
        return [self._embedded(wildcards.benchmark, self.plan.encoder_of(wildcards.system))]

    def search_embeddings(self, wildcards) -> list[str]:
        """Return the code table under the encoder a system searches with, its own where it is trained."""
        if not self.plan.trained(wildcards.system):
            return self.embeddings(wildcards)
        if not self.plan.needs(wildcards.system, "encoder"):
            return []
        return [f"{self._own(wildcards)}/{table_of(self.plan.config, wildcards.benchmark)}.safetensors"]

    def supervision(self, wildcards) -> list[str]:
        """Return what a system trains on beside queries and table: groups, its first stage's model, data set A."""
        folder, first = self.plan.store(wildcards.benchmark), self.plan.first_stage(wildcards.system)
        entry = self.plan.entry(wildcards.system)
        option = plugins.declared("coding.systems", entry["kind"], "OPTIONS").get("supervision", {})
        chosen = entry.get("supervision", option.get("default", ["mentions"]))
        inputs = ["results/supervision/A.jsonl"] if "A" in chosen else []
        if self.plan.needs(wildcards.system, "groups") and "mentions" in chosen and not entry.get("partners"):
            own = first and self.plan.trained(first) and self.plan.needs(first, "encoder")
            mined = f"{folder}/{first}/seed={wildcards.seed}" if own else folder
            inputs.append(f"{mined}/groups.jsonl")
        if first and self.plan.trained(first):
            inputs.append(f"{folder}/{first}/seed={wildcards.seed}/model")
        return inputs

    def model(self, wildcards) -> list[str]:
        """Return a trained system's own model."""
        if not self.plan.trained(wildcards.system):
            return []
        return [f"{self._own(wildcards)}/model"]

    def first_stage_run(self, wildcards) -> list[str]:
        """Return the run whose shortlist is re-ranked: that of the first stage, or of another system named."""
        ranked = self.plan.ranked(wildcards.system)
        return [self._run(wildcards, ranked)] if ranked else []

    def part_runs(self, wildcards) -> list[str]:
        """Return the runs a system is made of, in the order its entry names them."""
        return [self._run(wildcards, part) for part in self.plan.parts(wildcards.system)]

    def coded_first_stage(self, wildcards) -> list[str]:
        """Return the run over a user's mentions whose shortlist is re-ranked."""
        ranked = self.plan.ranked(wildcards.system)
        return [self._coded(wildcards, ranked)] if ranked else []

    def coded_parts(self, wildcards) -> list[str]:
        """Return the runs over a user's mentions that a system is made of."""
        return [self._coded(wildcards, part) for part in self.plan.parts(wildcards.system)]

    def joins(self, wildcards) -> bool:
        """Tell whether annotated mentions are further texts: where the plug-in does not read them itself."""
        return not self.plan.needs(wildcards.system, "mentions")

    def of_every_seed(self, file: str):
        """Return a function giving a file of a system for each seed it runs with."""

        def files(wildcards) -> list[str]:
            folder = f"{self.plan.store(wildcards.benchmark)}/{wildcards.system}"
            return [f"{folder}/seed={seed}/{file}" for seed in self.plan.seeds_of(wildcards.system)]

        return files

    def queries(self, wildcards) -> str:
        return f"{self.plan.store(wildcards.benchmark)}/queries.tsv"

    def training(self, wildcards) -> str:
        """Return the queries whose train and val rows a system learns from."""
        return f"{self.plan.store(self.plan.trained_on(wildcards.benchmark))}/queries.tsv"

    def _own(self, wildcards) -> str:
        """Return where a trained system's model lies; a user's mentions are coded by that of the first seed."""
        seed = getattr(wildcards, "seed", self.plan.seeds[0])
        owner = self.plan.entry(wildcards.system).get("model_of", wildcards.system)
        return f"{self.plan.store(self.plan.trained_on(wildcards.benchmark))}/{owner}/seed={seed}"

    def _run(self, wildcards, system: str) -> str:
        seed = wildcards.seed if self.plan.varies(system) else self.plan.seeds[0]
        return f"{self.plan.store(wildcards.benchmark)}/{system}/seed={seed}/run.trec"

    def _coded(self, wildcards, system: str) -> str:
        return f"results/private/coded/{wildcards.benchmark}/{system}.trec"

    def _embedded(self, benchmark: str, encoder: str) -> str:
        return f"results/open/tables/{table_of(self.plan.config, benchmark)}.{encoder}.safetensors"
