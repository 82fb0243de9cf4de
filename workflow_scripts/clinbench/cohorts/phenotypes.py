"""The 25 phenotypes of the MIMIC-III benchmark, in the column order of its list files.

Source: specification risk.md §1.8 (Harutyunyan et al. 2019). The order is that of the sorted names.
"""

from typing import NamedTuple


class Phenotype(NamedTuple):
    """One label of the phenotyping task.

    Attributes:
        name: column name in list files.
        kind: acute, mixed or chronic.
        prevalence: share of the benchmark's training stays that have it.
        ccs: its group in HCUP's single-level Clinical Classifications Software.
    """

    name: str
    kind: str
    prevalence: float
    ccs: int


PHENOTYPES = (
    Phenotype("Acute and unspecified renal failure", "acute", 0.214, 157),
    Phenotype("Acute cerebrovascular disease", "acute", 0.075, 109),
    Phenotype("Acute myocardial infarction", "acute", 0.103, 100),
    Phenotype("Cardiac dysrhythmias", "mixed", 0.321, 106),
    Phenotype("Chronic kidney disease", "chronic", 0.134, 158),
    Phenotype("Chronic obstructive pulmonary disease and bronchiectasis", "chronic", 0.131, 127),
    Phenotype("Complications of surgical procedures or medical care", "acute", 0.207, 238),
    Phenotype("Conduction disorders", "mixed", 0.072, 105),
    Phenotype("Congestive heart failure; nonhypertensive", "mixed", 0.268, 108),
    Phenotype("Coronary atherosclerosis and other heart disease", "chronic", 0.322, 101),
    Phenotype("Diabetes mellitus with complications", "mixed", 0.095, 50),
    Phenotype("Diabetes mellitus without complication", "chronic", 0.193, 49),
    Phenotype("Disorders of lipid metabolism", "chronic", 0.291, 53),
    Phenotype("Essential hypertension", "chronic", 0.419, 98),
    Phenotype("Fluid and electrolyte disorders", "acute", 0.269, 55),
    Phenotype("Gastrointestinal hemorrhage", "acute", 0.072, 153),
    Phenotype("Hypertension with complications and secondary hypertension", "chronic", 0.133, 99),
    Phenotype("Other liver diseases", "mixed", 0.089, 151),
    Phenotype("Other lower respiratory disease", "acute", 0.051, 133),
    Phenotype("Other upper respiratory disease", "acute", 0.040, 134),
    Phenotype("Pleurisy; pneumothorax; pulmonary collapse", "acute", 0.087, 130),
    Phenotype(
        "Pneumonia (except that caused by tuberculosis or sexually transmitted disease)", "acute", 0.139, 122
    ),
    Phenotype("Respiratory failure; insufficiency; arrest (adult)", "acute", 0.181, 131),
    Phenotype("Septicemia (except in labor)", "acute", 0.143, 2),
    Phenotype("Shock", "acute", 0.078, 249),
)
NAMES = tuple(phenotype.name for phenotype in PHENOTYPES)
