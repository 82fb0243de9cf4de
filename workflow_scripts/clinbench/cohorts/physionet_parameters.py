"""The parameters of the PhysioNet 2012 challenge, and what a living patient can have."""

# parameter: lowest and highest possible value; far wider than any reference range
SERIES_LIMITS = {
    "Albumin": (0.5, 10),  # g/dL
    "ALP": (1, 10000),  # IU/L
    "ALT": (1, 30000),  # IU/L
    "AST": (1, 30000),  # IU/L
    "Bilirubin": (0, 100),  # mg/dL
    "BUN": (0, 300),  # mg/dL
    "Cholesterol": (10, 1000),  # mg/dL
    "Creatinine": (0.05, 50),  # mg/dL
    "DiasABP": (5, 250),  # mmHg, invasive
    "FiO2": (0.2, 1),  # fraction
    "GCS": (3, 15),  # points
    "Glucose": (5, 3000),  # mg/dL
    "HCO3": (1, 80),  # mmol/L
    "HCT": (2, 80),  # %
    "HR": (0, 350),  # per minute
    "K": (0.5, 25),  # mEq/L
    "Lactate": (0, 50),  # mmol/L
    "Mg": (0.1, 30),  # mmol/L
    "MAP": (5, 330),  # mmHg, invasive
    "MechVent": (0, 1),  # 1 = ventilated
    "Na": (80, 220),  # mEq/L
    "NIDiasABP": (5, 250),  # mmHg, cuff
    "NIMAP": (5, 330),  # mmHg, cuff
    "NISysABP": (10, 330),  # mmHg, cuff
    "PaCO2": (1, 250),  # mmHg
    "PaO2": (5, 800),  # mmHg
    "pH": (6.3, 8.4),
    "Platelets": (0, 3000),  # cells/nL
    "RespRate": (0, 150),  # per minute
    "SaO2": (10, 100),  # %
    "SysABP": (10, 330),  # mmHg, invasive
    "Temp": (20, 45),  # °C
    "TroponinI": (0, 1000),  # µg/L
    "TroponinT": (0, 100),  # µg/L
    "Urine": (0, 10000),  # mL
    "WBC": (0, 1000),  # cells/nL
    "Weight": (20, 400),  # kg
}
STATIC_LIMITS = {
    "ICUType": (1, 4),  # coronary, cardiac surgery recovery, medical, surgical
    "Age": (0, 130),  # years
    "Gender": (0, 1),  # female, male
    "Height": (100, 250),  # cm
}
CODED = {"Gender": (0, 1), "ICUType": (1, 2, 3, 4)}  # any other number is an error, −1 excepted

SERIES = tuple(SERIES_LIMITS)
STATICS = tuple(STATIC_LIMITS)
PARAMETERS = SERIES + STATICS
UNKNOWN = -1.0
