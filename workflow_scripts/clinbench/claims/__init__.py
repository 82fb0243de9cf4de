"""The papers' claims as data, and what a run has to say to each of them.

``claims.yaml`` states them, ``stated`` checks it, ``ledger`` reads it, ``conditions`` says whether
a run can test one, ``measured`` takes the comparisons from paired statistics
and timings, ``verdicts`` judges them.
"""
