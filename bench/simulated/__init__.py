"""Simulations that know the truth, one module for each kind of figure; `bench/agreement_coverage.py` runs them."""
