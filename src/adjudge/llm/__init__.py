"""How language models are reached: HTTP, retries and rate limits, the providers' formats, prices, batch APIs."""
