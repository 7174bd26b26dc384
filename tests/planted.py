"""People and judges of known accuracy."""

import random

CLASSES = ("A", "tie", "B")
NAMES = ("ann", "ben", "cat", "dan", "eve")


def planted(seed, accuracies, judge, cases, labelled=1.0):
    """What people and a judge of known accuracy say; wrong classes are equally likely."""
    drawn = random.Random(seed)

    def says(true, accuracy):
        return true if drawn.random() < accuracy else drawn.choice([it for it in CLASSES if it != true])

    votes, verdicts = [], []
    for true in drawn.choices(CLASSES, k=cases):
        own = {name: says(true, each) for name, each in zip(NAMES, accuracies, strict=False)}
        kept = {name: vote for name, vote in own.items() if drawn.random() < labelled}
        votes.append(kept or {"ann": own["ann"]})
        verdicts.append(says(true, judge))
    return votes, verdicts


def rated(seed, people, cases):
    """Numbers from 1 to 5 by people, and a judge's with decimals."""
    drawn = random.Random(seed)
    votes, verdicts = [], []
    for true in drawn.choices(range(1, 6), k=cases):
        votes.append({name: float(min(max(true + drawn.choice((-1, 0, 0, 1)), 1), 5)) for name in NAMES[:people]})
        verdicts.append(true + drawn.gauss(0, 1))
    return votes, verdicts
