"""The service: the HTTP API and its documentation, offline like everything else."""
