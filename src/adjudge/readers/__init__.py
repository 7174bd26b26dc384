"""Outside shapes → cases. Every refusal names the place, what was found and what is allowed."""
