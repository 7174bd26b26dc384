"""The service: the HTTP API, its pages and its documentation. It works without an internet connection."""
