"""What the arguments of everyday statistics mean, each with a value that an example can show."""

from __future__ import annotations

from typing import Literal

CONDITIONS: tuple[Literal["where", "minus", "relative_to", "versus"], ...] = ("where", "minus", "relative_to", "versus")
"""What of a recipe chooses rows by the values of their fields: those that it is of, and those beside them."""
MEANINGS: dict[str, tuple[str, str]] = {
    "among": ("the field whose values are ranked", "system"),
    "base": ("of the logarithm: 2, e or a number", "2"),
    "better": ("higher or lower", "higher"),
    "bins": ("how many bins of equal width", "15"),
    "by": ("the statistic that is resampled or ranked by", "mean"),
    "clip": ("probabilities are kept this far from 0 and 1", "1e-12"),
    "confidence": ("of an interval", "0.95"),
    "correction": ("for continuity: yates or none; of Wilcoxon's test true or false", "none"),
    "divisor": ("of a variance: n-1 or n", "n-1"),
    "equal_variances": ("whether the groups are taken to have one variance", "false"),
    "generator": ("of random numbers, of a bootstrap", "pcg64"),
    "give": ("p or statistic; of a bootstrap, interval or estimate", "p"),
    "interval": ("of a share: wilson, clopper-pearson or wald", "wilson"),
    "is": ("the value that is counted", "correct"),
    "k": ("how many attempts are drawn", "1"),
    "label": ("the one label that is meant", "positive"),
    "labels": ("the labels that are averaged over, with commas; all where absent", "negative, positive"),
    "method": ("exact, or an approximation: of McNemar's test chi2 or corrected, of Wilcoxon's normal", "exact"),
    "mu": ("the mean to compare with", "0"),
    "normalized": ("whether it is a share of its greatest value", "true"),
    "positive": ("the label that scores are high for", "positive"),
    "predicted": ("the field of scores", "score"),
    "problem": ("the field that names a problem", "problem"),
    "q": ("the share below the quantile", "0.95"),
    "resamples": ("how many samples a bootstrap draws", "1000"),
    "rule": ("how ties, or places between two values, are counted", "linear"),
    "seed": ("of random numbers, of a bootstrap", "0"),
    "sides": ("of the test: two or one", "two"),
    "ties": ("a tie counts half, as a loss, or is dropped: half, loss, drop", "half"),
    "undefined": ("zero: what divides by nothing counts as zero; otherwise it is an error", "zero"),
    "variant": ("of Kendall's tau: a or b", "b"),
    "was": ("the true label of the cell", "positive"),
}
"""Name to its meaning and a sample. Those that every recipe has (`of`, `where`, `over`) are told by its model."""
