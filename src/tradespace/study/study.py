"""The study: asks for experiments, keeps what they told, and says what is best so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tradespace.arguments import check_count, check_type
from tradespace.data import Data
from tradespace.errors import ArgumentError, SpaceExhausted, StudyError
from tradespace.problem import Problem
from tradespace.study.design import MOST_ASKED, default_start, next_start
from tradespace.study.measured import measured_front
from tradespace.study.records import Front, Trials
from tradespace.study.running import Experiment, run
from tradespace.study.telling import check_agreement, checked_values, told_values
from tradespace.study.trial import Origin, Trial

if TYPE_CHECKING:
    from tradespace.method import Method
    from tradespace.recommend import Recommendation


class Study:
    """A search in progress: its problem, its method, and every trial so far.

    It starts with a space-filling design of `start` inputs (by default twice one more than the
    problem has inputs, at most 20), each measured in every group; then the method chooses. The
    same seed and the same data give the same suggestion, in whatever order the data were told.
    """

    def __init__(
        self,
        problem: Problem,
        method: Method | None = None,
        seed: int = 0,
        start: int | None = None,
    ) -> None:
        check_type("problem", problem, Problem)
        check_count("seed", seed, 0)
        if start is not None:
            check_count("start", start, 0, MOST_ASKED)
        if method is not None:
            _check_method(method, problem)
        self.problem = problem
        self.seed = seed
        self.start = default_start(problem.space) if start is None else start
        self._method: Method | None = method
        self._trials: dict[int, Trial] = {}

    def __repr__(self) -> str:
        problem = self.problem
        states = [trial.state for trial in self._trials.values()]
        told = ", ".join(f"{states.count(s)} {s}" for s in ("measured", "failed", "pending"))
        return (
            f"<Study of {problem.space.size} inputs, {len(problem.objectives)} objectives, "
            f"{len(problem.constraints)} constraints: {told}, cost {self.cost:g}>"
        )

    @property
    def method(self) -> Method:
        """The method that chooses once the start is over."""
        if self._method is None:
            from tradespace.acquisition import default_method

            self._method = default_method()
        return self._method

    @property
    def cost(self) -> float:
        """What has been spent: the sum over told and failed trials of their groups' costs."""
        return sum(trial.cost for trial in self._ordered() if trial.state != "pending")

    @property
    def data(self) -> Data:
        """What the method sees of the trials."""
        return Data.from_trials(self.problem, _canonical(self.problem, self._ordered()))

    def trials(self) -> Trials:
        """Every trial, in the order of ids."""
        return Trials(replace(trial) for trial in self._ordered())

    def trial(self, trial_id: int) -> Trial:
        """The trial with an id."""
        return replace(self._known(trial_id))

    def ask(self) -> Trial:
        """The next trial: inputs, and the group to measure there. It is pending from now on.

        Until the start is over, the next of its design; while a quantity has no value because
        trials are pending or failed, the design goes on beyond `start` inputs. Then the method's.
        SpaceExhausted when the problem is noiseless and every group was tried at every input.
        """
        self._check_not_exhausted()
        slot = next_start(self.problem, self._ordered(), self.start, self.seed)
        if slot is not None:
            inputs, group = slot
            return self._ask(inputs, group, "design", "")
        from tradespace.suggest import suggest

        suggestion = suggest((self.seed, self._next_id), self.problem, self.data, self.method)
        return self._ask(suggestion.inputs, suggestion.group, "method", suggestion.note)

    def tell(self, trial: Trial | int, values: Mapping[str, float]) -> None:
        """Record what a pending trial measured: some or all quantities of its group, by name."""
        asked = self._pending(trial)
        measured = told_values(self.problem, asked, values, self._ordered())
        self._trials[asked.id] = replace(asked, state="measured", values=measured)

    def fail(self, trial: Trial | int, reason: str | BaseException = "") -> None:
        """Record that a pending trial's experiment did not work, and why: in words, or what it
        raised.
        """
        asked = self._pending(trial)
        if isinstance(reason, BaseException):
            reason = f"{type(reason).__name__}: {reason}"
        check_type("reason", reason, str)
        self._trials[asked.id] = replace(asked, state="failed", reason=reason)

    def add(self, inputs: Mapping[str, Any], values: Mapping[str, float]) -> Trials:
        """Record earlier measurements that the study did not ask for, as a trial for each group."""
        legal = self.problem.space.legal(inputs)
        measured = checked_values(self.problem, self.problem.black_boxes, values)
        check_agreement(self.problem, legal, measured, self._ordered())
        added = Trials()
        for name, group in self.problem.groups.items():
            part = {q: measured[q] for q in group.measures if q in measured}
            if part:
                trial = Trial(
                    self._next_id, legal, name, group.measures, "added", 0.0, "measured", part
                )
                self._trials[trial.id] = trial
                added.append(replace(trial))
        return added

    def run(
        self,
        experiment: Experiment | Mapping[str, Experiment],
        trials: int | None = None,
        cost: float | None = None,
        callback: Callable[[Trial], object] | None = None,
        max_failures: int = 10,
    ) -> None:
        """Ask, experiment and tell until so many more trials are done or so much more is spent.

        `experiment(inputs)` returns a dict of what its group measures; a problem with several
        groups takes a dict of experiments by group. The run goes on while less than `cost` is
        spent, so that its last trial may pass it. An experiment that raises, or whose values
        cannot be taken, is a failed trial; TooManyFailures after `max_failures` in a row, or when
        a quantity was left out of as many trials as that and never told. Ctrl-C takes the trial
        that it interrupts back, as if it had not been asked. `callback(trial)` hears of each trial
        when it is done. A space with no input left ends the run.
        """
        run(self, experiment, trials, cost, callback, max_failures)

    def front(self) -> Front:
        """The best trade-offs actually measured: feasible, and not dominated by another.

        Only inputs at which every objective and constraint was measured take part.
        """
        return measured_front(self.problem, self._ordered())

    def recommend(self, delta: float = 0.05) -> Recommendation:
        """The trade-offs the models stand behind, feasible with probability 1 - delta."""
        values = [trial.values for trial in self._trials.values()]
        for name in self.problem.black_boxes:
            if not any(name in measured for measured in values):
                raise StudyError(f"nothing to recommend yet: {name!r} was never measured")
        from tradespace.recommend import recommend

        # Pending trials have told nothing: asking must not change what is recommended.
        done = sum(trial.state != "pending" for trial in self._trials.values())
        return recommend((self.seed, done), self.problem, self.data, self.method, delta)

    def take_back(self, trial: Trial | int) -> None:
        """Forget a pending trial, as if it had not been asked."""
        del self._trials[self._pending(trial).id]

    @property
    def _next_id(self) -> int:
        return max(self._trials, default=-1) + 1

    def _ordered(self) -> list[Trial]:
        return [self._trials[trial_id] for trial_id in sorted(self._trials)]

    def _ask(self, inputs: Mapping[str, Any], group: str, origin: Origin, note: str) -> Trial:
        legal = self.problem.space.legal(inputs)
        chosen = self.problem.groups[group]
        trial = Trial(self._next_id, legal, group, chosen.measures, origin, chosen.cost, note=note)
        self._trials[trial.id] = trial
        return replace(trial)

    def _known(self, trial_id: int) -> Trial:
        check_count("a trial's id", trial_id, 0)
        if trial_id not in self._trials:
            raise StudyError(f"trial {trial_id} is not in this study")
        return self._trials[trial_id]

    def _pending(self, trial: Trial | int) -> Trial:
        """The study's own record of a trial that is still waited for."""
        trial_id = trial.id if isinstance(trial, Trial) else trial
        known = self._known(trial_id)
        if isinstance(trial, Trial) and (trial.inputs, trial.group) != (known.inputs, known.group):
            raise StudyError(
                f"trial {trial_id} was asked as group {known.group!r} at {known.inputs!r}, not as "
                f"group {trial.group!r} at {trial.inputs!r}; values measured at inputs that were "
                "not asked for go into add(inputs, values)"
            )
        if known.state != "pending":
            raise StudyError(f"trial {trial_id} was already told: it is {known.state}")
        return known

    def _check_not_exhausted(self) -> None:
        count = self.problem.space.cardinality
        if not self.problem.noiseless or count is None:
            return
        visited: dict[str, set[tuple[Any, ...]]] = {name: set() for name in self.problem.groups}
        for trial in self._trials.values():
            visited[trial.group].add(tuple(trial.inputs.values()))
        if all(len(inputs) >= count for inputs in visited.values()):
            pending = sum(trial.state == "pending" for trial in self._trials.values())
            tried = f"tried or is pending ({pending} trials)" if pending else "tried"
            raise SpaceExhausted(f"every one of the {count} inputs was {tried} in every group")


def _check_method(method: object, problem: Problem) -> None:
    # Here and not above: whoever has a method has loaded this room and JAX already.
    from tradespace.method import Method

    if isinstance(method, type):
        raise ArgumentError(f"method is the class {method.__name__}: write {method.__name__}()")
    if not isinstance(method, Method):
        raise ArgumentError(
            f"method must be one of tradespace's, such as ts.MesmocPlus(), not {method!r}"
        )
    method.check(problem)


def _canonical(problem: Problem, trials: list[Trial]) -> list[Trial]:
    """The trials with the ids of the added ones given out again, in the order of their content.

    Their ids say in which order they were typed in, and that must not matter.
    """
    added = [trial for trial in trials if trial.origin == "added"]
    points = problem.space.encode_all([trial.inputs for trial in added])
    content = [
        (trial.group, tuple(point), tuple(trial.values.items()))
        for trial, point in zip(added, points, strict=True)
    ]
    order = sorted(range(len(added)), key=content.__getitem__)
    given = [replace(added[i], id=trial.id) for i, trial in zip(order, added, strict=True)]
    return given + [trial for trial in trials if trial.origin != "added"]
