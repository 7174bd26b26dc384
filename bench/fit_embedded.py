"""Fits the embedded judge's shipped model again from labelled pairs; the same files give the same bytes.

    python bench/fit_embedded.py --data DIR

DIR (or the variable ADJUDGE_DATA) holds the pairs of bench/embedded_agreement.py. Adversarial sets are never used:
a model fitted to them together with the others learns to recognise the set instead of the better answer.
"""

from __future__ import annotations

from pathlib import Path

from labelled import labelled_pairs

from adjudge.judges.embedded import model
from adjudge.judges.embedded.fitting import fit_samples, measure_rows, read_rows

TRAINING = ("pandalm", "autoj", "llmbar-mt-bench", "llmbar-llmeval2", "llmbar-natural")
SHIPPED = Path(model.__file__).with_name("model.json")


def main() -> None:
    data = labelled_pairs(__doc__)
    samples = measure_rows(row for name in TRAINING for row in read_rows(data / f"{name}.jsonl"))
    fitted = fit_samples(samples, about={"pairs": len(samples), "sets": list(TRAINING)})
    SHIPPED.write_text(model.write_model(fitted), encoding="utf-8")
    print(f"{SHIPPED}: {len(samples)} pairs, decides from {fitted.decide} on")


if __name__ == "__main__":
    main()
