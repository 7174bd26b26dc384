"""The service's pages: server-rendered HTML over the same functions as the API, and a JSON twin for each."""
