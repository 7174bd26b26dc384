"""Measures how often the embedded judge agrees with people on unseen sets, compared with choosing the longer answer.

    python bench/embedded_agreement.py --data DIR [--seeds 5]

DIR (or the variable ADJUDGE_DATA) holds one JSONL file per set, with rows: task, response_a, response_b,
human (A, B or tie) and optionally scenario. For each reported set the model is fitted again on the other training
sets, without any task that also occurs in the reported set; each seed leaves out another tenth of the training tasks.
Figures are means over the seeds; intervals are bootstrap percentiles over tasks.

Agreement is over three classes if people could say tie, and otherwise over two, by the judge's preference. ECE is the
expected calibration error over ten bins, of the confidence that belongs to that agreement. The number in brackets is
what a judge with exactly right confidence would show on as many pairs, by chance. `ECE, clear` is over the pairs on
which people named a winner; the surer half is the half of these pairs with the larger scores. Sets that are built to
fool the eye, or whose requests should be declined, are never used for fitting and have a table of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.judges.embedded.fitting import Sample, fit_samples, is_right, longest, measure_rows, read_rows
from adjudge.judges.embedded.measures import measure_pair
from adjudge.judges.embedded.model import Model, Prediction, load_model, predict
from adjudge.models.common import Winner
from adjudge.statistics.calibration import calibration_error, confidence_bins

RESAMPLES = 400
TRAINING = ("pandalm", "autoj", "llmbar-mt-bench", "llmbar-llmeval2", "llmbar-natural")
NEVER_FITTED = ("llmbar-neighbor", "llmbar-gptinst", "llmbar-gptout", "llmbar-manual", "hh-harmless")
OTHERS = ("qa-feedback",)
_SWAPPED: dict[Winner, Winner] = {"A": "B", "B": "A", "tie": "tie"}


@dataclass(frozen=True)
class Judged:
    sample: Sample
    guess: Prediction
    longest: Winner
    may_tie: bool

    @property
    def right(self) -> bool:
        return is_right(self.sample, self.guess, may_tie=self.may_tie)

    @property
    def decided(self) -> bool:
        """Whether the judge decides. A tie does not count as a decision if people had to name a winner."""
        return self.guess.decided and (self.may_tie or self.guess.winner != "tie")

    @property
    def sure(self) -> float:
        return self.guess.confidence if self.may_tie else self.guess.preference_confidence

    @property
    def clear(self) -> bool:
        return self.sample.row.human != "tie"


def judge_set(held: Sequence[Sample], models: Sequence[Model]) -> list[list[Judged]]:
    """Judge the held-out set with the model of each seed."""
    may_tie = any(sample.row.human == "tie" for sample in held)
    return [
        [Judged(sample, predict(model, sample.measured), longest(sample), may_tie) for sample in held]
        for model in models
    ]


def refit(sets: dict[str, list[Sample]], held: Sequence[str], seeds: int) -> list[Model]:
    """Fit a model for each seed on all training sets except these, without their tasks."""
    tasks = {sample.row.group for name in held for sample in sets[name]}
    pool = [s for name in TRAINING if name not in held for s in sets[name] if s.row.group not in tasks]
    models = []
    for seed in range(seeds):
        kept = random.Random(seed)
        groups = {group for group in sorted({sample.row.group for sample in pool}) if kept.random() < 0.9}
        models.append(fit_samples([sample for sample in pool if sample.row.group in groups], seed))
    return models


def share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def interval(runs: list[list[Judged]], score: Callable[[list[Judged]], float]) -> str:
    """Return the mean over the seeds and a bootstrap interval over tasks."""
    by_task: dict[str, list[int]] = {}
    for index, judged in enumerate(runs[0]):
        by_task.setdefault(judged.sample.row.group, []).append(index)
    groups, rng = list(by_task.values()), random.Random(0)
    samples = []
    for _ in range(RESAMPLES):
        chosen = [index for group in rng.choices(groups, k=len(groups)) for index in group]
        samples.append(score([runs[rng.randrange(len(runs))][index] for index in chosen]))
    samples.sort()
    low, high = samples[round(RESAMPLES * 0.025)], samples[round(RESAMPLES * 0.975) - 1]
    return f"{mean(runs, score) * 100:.1f} ({low * 100:.0f}–{high * 100:.0f})"


def mean(runs: list[list[Judged]], score: Callable[[list[Judged]], float]) -> float:
    return sum(map(score, runs)) / len(runs)


def agreement(judged: list[Judged]) -> float:
    return share([one.right for one in judged])


def clear_agreement(judged: list[Judged]) -> float:
    return share([one.guess.preference == one.sample.row.human for one in judged if one.clear])


def surer_half(judged: list[Judged]) -> float:
    clear = sorted((one for one in judged if one.clear), key=lambda one: -abs(one.guess.score))
    return share([one.guess.preference == one.sample.row.human for one in clear[: (len(clear) + 1) // 2]])


def error(judged: list[Judged]) -> float:
    return gap((one.sure, one.right) for one in judged)


def chance_error(judged: list[Judged]) -> float:
    """Return the calibration error of a judge that is right exactly as often as it says: the least measurable."""
    rng = random.Random(0)
    sure = [one.sure for one in judged]
    errors = [gap((chance, rng.random() < chance) for chance in sure) for _ in range(20)]
    return sum(errors) / len(errors)


def clear_error(judged: list[Judged]) -> float:
    clear = (one for one in judged if one.clear)
    return gap((one.guess.preference_confidence, one.guess.preference == one.sample.row.human) for one in clear)


def gap(said: Iterable[tuple[float, bool]]) -> float:
    return calibration_error(confidence_bins(said)) or 0.0


def says_tie(judged: list[Judged]) -> float:
    return share([one.guess.winner == "tie" for one in judged])


def decided(judged: list[Judged]) -> float:
    return share([one.decided for one in judged])


def right_if_decided(judged: list[Judged]) -> float:
    return agreement([one for one in judged if one.decided])


def helpful_row(name: str, runs: list[list[Judged]]) -> list[str]:
    seeds = [agreement(run) * 100 for run in runs]
    first = runs[0]
    pick = share([one.longest == one.sample.row.human for one in first])
    return [
        name,
        str(len(first)),
        "3" if first[0].may_tie else "2",
        f"{pick * 100:.1f}",
        interval(runs, agreement),
        f"{min(seeds):.1f}–{max(seeds):.1f}",
        interval(runs, clear_agreement),
        interval(runs, surer_half),
        f"{mean(runs, error):.3f} ({mean(runs, chance_error):.3f})",
        f"{mean(runs, clear_error):.3f}",
        f"{mean(runs, says_tie) * 100:.0f} %",
        f"{mean(runs, decided) * 100:.0f} %",
        f"{mean(runs, right_if_decided) * 100:.0f} %",
    ]


def other_row(name: str, runs: list[list[Judged]]) -> list[str]:
    said = [one for run in runs for one in run if one.decided]
    pick = share([one.longest == one.sample.row.human for one in runs[0]])
    return [
        name,
        str(len(runs[0])),
        f"{pick * 100:.1f}",
        interval(runs, clear_agreement),
        f"{(1 - mean(runs, decided)) * 100:.0f} %",
        f"{sum(one.right for one in said)} of {len(said)}",
    ]


def scenario_rows(path: Path, runs: list[list[Judged]]) -> list[list[str]]:
    """Return one row for each scenario about code, and one for all others together."""
    scenarios = [str(json.loads(line).get("scenario")) for line in path.read_text("utf-8").splitlines()]
    names = [name if "code" in name else "all others" for name in scenarios]
    rows = []
    for name in sorted(set(names), key=lambda name: (name == "all others", name)):
        part = [[one for one, own in zip(run, names, strict=True) if own == name] for run in runs]
        said = sum(one.decided for run in part for one in run)
        hits = sum(one.right for run in part for one in run if one.decided)
        share_right = f"{hits / said:.0%} ({hits} of {said} over all seeds)" if said else "–"
        rows.append([name, str(len(part[0])), interval(part, agreement), f"{mean(part, decided):.0%}", share_right])
    return rows


def swaps_exactly(sets: dict[str, list[Sample]]) -> tuple[int, int]:
    """Count the pairs, and those whose verdict changes in more than the names if the answers are swapped."""
    model, pairs, changed = load_model(), 0, 0
    for samples in sets.values():
        for sample in samples:
            row = sample.row
            one = predict(model, sample.measured)
            two = predict(model, measure_pair(row.task, row.b, row.a))
            same = (
                one.score == -two.score
                and one.winner == _SWAPPED[two.winner]
                and one.confidence == two.confidence
                and all(one.chances[label] == two.chances[_SWAPPED[label]] for label in one.chances)
                and [(v.measure, v.moved) for v in one.votes] == [(v.measure, -v.moved) for v in two.votes]
            )
            pairs, changed = pairs + 1, changed + (not same)
    return pairs, changed


def print_table(header: str, rows: Sequence[Sequence[str]]) -> None:
    columns = header.split(" | ")
    for cells in (columns, ["---"] * len(columns), *rows):
        print("| " + " | ".join(cells) + " |")
    print()
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ADJUDGE_DATA"), help="folder of JSONL files")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("--data DIR or the variable ADJUDGE_DATA is needed")
    names = (*TRAINING, *OTHERS, *NEVER_FITTED)
    sets = {name: measure_rows(read_rows(Path(options.data) / f"{name}.jsonl")) for name in names}
    runs = {name: judge_set(sets[name], refit(sets, [name], options.seeds)) for name in TRAINING + OTHERS}
    print_table(
        "set, left out | pairs | classes | longest | agreement | over seeds | without human ties | surer half | "
        "ECE (by chance) | ECE, clear | says tie | decides | right if decided",
        [helpful_row(name, run) for name, run in runs.items()],
    )
    models = refit(sets, NEVER_FITTED, options.seeds)
    print_table(
        "never fitted to | pairs | longest | agreement | abstains | right if decided, over all seeds",
        [other_row(name, judge_set(sets[name], models)) for name in NEVER_FITTED],
    )
    print_table(
        "scenario of autoj, left out | pairs | agreement | decides | right if decided",
        scenario_rows(Path(options.data) / "autoj.jsonl", runs["autoj"]),
    )
    pairs, changed = swaps_exactly(sets)
    print(f"Exchanging A and B: {changed} of {pairs} verdicts change in anything but the names.")


if __name__ == "__main__":
    main()
