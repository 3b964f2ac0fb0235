"""The study: the one thing that changes. It asks for experiments and keeps what they told."""

from tradespace.study.records import Front, Tradeoff, Trials
from tradespace.study.study import Study
from tradespace.study.trial import Trial

__all__ = ["Front", "Study", "Tradeoff", "Trial", "Trials"]
