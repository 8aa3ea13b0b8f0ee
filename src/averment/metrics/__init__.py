"""How good uncertainty and confidence are, held against labels: ranking, rejection, calibration."""
