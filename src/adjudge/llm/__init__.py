"""Access to language models: HTTP, retries and rate limits, the providers' formats, prices, batch APIs."""
