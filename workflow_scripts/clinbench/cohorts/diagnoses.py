"""Which of the 25 phenotypes the patients of a made-up ward have, and how well they can be known.

Prevalences are the benchmark's (specification risk.md §1.8); what a phenotype shows in is chosen for
plausibility, not estimated from any patient.
"""

import numpy as np
from scipy.stats import zscore
from sklearn.metrics import roc_auc_score

from clinbench.cohorts.phenotypes import NAMES, PHENOTYPES
from clinbench.cohorts.simulation import Ward, calibrated

SLOPE = 1.7  # log-odds per standard deviation of a phenotype's score; sets the Bayes AUROCs
DIASTOLIC, SYSTOLIC = "Diastolic blood pressure", "Systolic blood pressure"
OXYGEN, SATURATION, BREATHS = "Fraction inspired oxygen", "Oxygen saturation", "Respiratory rate"
# Weights, in the order of PHENOTYPES, of severity (its mean), length (its logarithm), age, female, traits.
SIGNS = (
    {"severity": 1, "pH": -0.8, "age": 0.4},
    {"coma": 1, SYSTOLIC: 0.6, "age": 0.3},
    {"Heart Rate": 0.7, SYSTOLIC: -0.6, "age": 0.5, "female": -0.3},
    {"Heart Rate": 1, "age": 0.7},
    {DIASTOLIC: -0.8, "pH": -0.7, "age": 0.5},
    {BREATHS: 0.8, SATURATION: -0.8, "age": 0.4},
    {"length": 0.8, "Temperature": 0.8, "severity": 0.3},
    {"Heart Rate": -1, "age": 0.7},
    {BREATHS: 0.7, "age": 0.7, "Weight": 0.5, "Heart Rate": 0.4},
    {"age": 0.7, "female": -0.6, SYSTOLIC: 0.6, "Heart Rate": -0.5},
    {"Glucose": 1, "pH": -0.6, "Weight": 0.4},
    {"Glucose": 1, "Weight": 0.6, "age": 0.3},
    {"Weight": 0.7, "age": 0.6, SYSTOLIC: 0.5},
    {SYSTOLIC: 1, DIASTOLIC: 0.6, "age": 0.4},
    {"severity": 0.8, "length": 0.5, "Heart Rate": 0.6},
    {DIASTOLIC: -0.8, "Heart Rate": 0.8, "Temperature": -0.4},
    {SYSTOLIC: 0.9, "pH": -0.6, "Glucose": 0.4},
    {DIASTOLIC: -0.8, "coma": 0.6, "age": -0.5},
    {SATURATION: -0.9, "Temperature": 0.6},
    {"length": 0.7, BREATHS: 0.7, "age": -0.4},
    {SATURATION: -0.8, "length": 0.6, OXYGEN: 0.4},
    {"Temperature": 0.9, BREATHS: 0.7, "length": 0.5},
    {"severity": 0.9, SATURATION: -0.7, "length": 0.5, OXYGEN: 0.3},
    {"severity": 0.9, "Temperature": 0.9, "Heart Rate": 0.4},
    {"severity": 1, SYSTOLIC: -0.9, "Heart Rate": 0.4},
)


def draw_phenotypes(ward: Ward, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return true probabilities (N, 25) float64 and the phenotypes drawn from them (N, 25) bool.

    The log-odds of each phenotype are linear in what it shows in; their intercept gives it the benchmark's
    prevalence over all stays.
    """
    hours = np.diff(ward.offsets)
    known = {name: zscore(values) for name, values in ward.traits.items()}
    known |= {"severity": zscore(ward.mean_severity(np.zeros_like(hours), hours)), "age": zscore(ward.age)}
    known |= {"length": zscore(np.log(ward.hours)), "female": zscore(ward.female.astype(float))}
    risks = [
        calibrated(sum(weight * known[name] for name, weight in signs.items()), phenotype.prevalence, SLOPE)
        for phenotype, signs in zip(PHENOTYPES, SIGNS, strict=True)
    ]
    risk = np.stack(risks, axis=1)
    return risk, rng.random(risk.shape) < risk


def auroc(labels: np.ndarray, risk: np.ndarray) -> float | None:
    """Return the AUROC of true probabilities (N,), the best there can be; None where one class is absent."""
    return float(roc_auc_score(labels, risk)) if 0 < labels.sum() < len(labels) else None


def bayes_aurocs(phenotypes: np.ndarray, risk: np.ndarray) -> dict:
    """Return the best micro and macro AUROC and that of each phenotype, from (N, 25) arrays.

    The macro average is over the phenotypes that have one.
    """
    each = {name: auroc(phenotypes[:, i], risk[:, i]) for i, name in enumerate(NAMES)}
    defined = [value for value in each.values() if value is not None]
    return {
        "bayes_micro_auroc": auroc(phenotypes.ravel(), risk.ravel()),
        "bayes_macro_auroc": float(np.mean(defined)) if defined else None,
        "bayes_auroc": each,
    }
