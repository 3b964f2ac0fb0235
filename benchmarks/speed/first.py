"""What a user's script does first: a problem, twenty results on standard input, a suggestion."""

import json
import sys

import tradespace as ts

problem = ts.Problem(
    inputs={f"x{i}": ts.Real(0.0, 1.0) for i in range(1, 5)},
    objectives={"f1": ts.minimize, "f2": ts.minimize},
    constraints={"c1": ts.at_least(0.0), "c2": ts.at_least(0.0)},
    noiseless=True,
)
study = ts.Study(problem, ts.MesmocPlus(), seed=1, start=0)
for result in json.load(sys.stdin):
    study.add(result["inputs"], result["values"])
print(json.dumps(study.ask().inputs), flush=True)
