"""Rule estimate_supervision: the llm tutor's prompts and what they would cost; nothing is sent."""

import json

from clinbench.coding.supervision.build import dry_run
from clinbench.files import write_json, write_text
from snakejob import job

with job(snakemake) as run:
    prompts, estimate = dry_run(json.loads(snakemake.params.supervision))
    write_text(snakemake.output.prompts, "".join(json.dumps(p, ensure_ascii=False) + "\n" for p in prompts))
    write_json(snakemake.output.estimate, estimate)
    for message in prompts[0] if prompts else ():
        run.tell(f"{message['role']}: {message['content']}\n")
    run.tell(json.dumps(estimate, indent=2))
