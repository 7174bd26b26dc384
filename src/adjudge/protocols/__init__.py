"""The three protocols, each from a case to a verdict. They know nothing of providers, file formats or databases."""
