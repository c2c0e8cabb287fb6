"""The types that the blocks of config share: their meaning, units and bounds.

Bounds lie far outside the useful range; they keep a typing error from exhausting a machine.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from atlas.fields.block import AS_WRITTEN, DIFFERENT, INCREASING, SUMMING_TO_1, WHOLE
from atlas.fields.markers import Axis, Resolution, RunDefault, Sampling, Stream

LARGEST = 10**9
FINEST, COARSEST = 1e-12, 1e12
FINELY = 1e-6  # the relative error of means that are found by iteration

Servers = Annotated[int, Field(ge=1, le=LARGEST, description="the number of servers n"), WHOLE]
EvenServers = Annotated[
    int,
    Field(ge=4, le=LARGEST, multiple_of=2, description="an even number of servers n"),
    WHOLE,
]
Need = Annotated[int, Field(ge=1, le=LARGEST, description="a server need"), WHOLE]
Needs = Annotated[
    list[Need],
    Field(min_length=1, max_length=1000, description="the server needs, class by class"),
]
TwoNeeds = Annotated[
    list[Need],
    Field(min_length=2, max_length=2, description="the server needs [n1, n2], smaller first"),
    INCREASING,
]
Positive = Annotated[
    float, Field(ge=FINEST, le=COARSEST, description="a positive number"), AS_WRITTEN
]
Rate = Annotated[
    float, Field(ge=FINEST, le=COARSEST, description="a service rate in 1/second"), AS_WRITTEN
]
Rates = Annotated[
    list[Rate],
    Field(min_length=1, max_length=1000, description="the service rates, class by class"),
]
TwoRates = Annotated[
    list[Rate], Field(min_length=2, max_length=2, description="the service rates [mu1, mu2]")
]
ThreeRates = Annotated[
    list[Rate],
    Field(
        min_length=3,
        max_length=3,
        description="the service rates [mu_1, mu_half, mu_n] of needs 1, n/2 and n",
    ),
]
Probability = Annotated[
    float, Field(ge=FINEST, le=1, description="a probability in (0, 1]"), AS_WRITTEN
]
Probabilities = Annotated[
    list[Probability],
    Field(
        min_length=1,
        max_length=1000,
        description="the probabilities of the classes, which sum to 1",
    ),
    SUMMING_TO_1,
]
TwoProbabilities = Annotated[
    list[Probability],
    Field(min_length=2, max_length=2, description="the probabilities [p1, p2], which sum to 1"),
    SUMMING_TO_1,
]
InnerProbability = Annotated[
    float,
    Field(ge=FINEST, lt=1, description="a probability strictly between 0 and 1"),
    AS_WRITTEN,
]
Share = Annotated[float, Field(ge=0, le=1, description="a share from 0 to 1"), AS_WRITTEN]
Shares = Annotated[
    list[Share],
    Field(
        min_length=2,
        max_length=2,
        description="the shares [s_half, s_all] of needs n/2 and n among the large jobs",
    ),
    SUMMING_TO_1,
]
Load = Annotated[
    float,
    Field(gt=0, lt=1, description="a load ρ = λ E[S] of capacity, strictly between 0 and 1"),
    AS_WRITTEN,
]
Loads = Annotated[
    list[Load],
    Field(
        min_length=1,
        max_length=10_000,
        description="the loads ρ = λ E[S] of capacity of the points, increasing",
    ),
    INCREASING,
    Resolution(),
    Axis(),
]
HighestLoad = Annotated[Load, Resolution()]
FractionOfLimit = Annotated[
    float,
    Field(gt=0, lt=1, description="λ/λ*, strictly between 0 and 1"),
    AS_WRITTEN,
]
FractionsOfLimit = Annotated[
    list[FractionOfLimit],
    Field(min_length=1, max_length=10_000, description="λ/λ* of the points, increasing"),
    INCREASING,
    Resolution(),
    Axis(),
]
HighestFractionOfLimit = Annotated[FractionOfLimit, Resolution()]
LoadAxis = Annotated[
    Literal["load", "arrival-rate", "fraction-of-limit"],
    Field(description="the horizontal axis: the load ρ = λ/λ^naive, λ, or λ/λ*"),
]
Gap = Annotated[
    list[FractionOfLimit],
    Field(min_length=2, max_length=2, description="the ends of the axis of 1 − λ/λ*"),
    INCREASING,
    Resolution(),
]
Exponent = Annotated[
    float, Field(ge=0, le=100, description="an exponent of at least 0"), AS_WRITTEN
]
Exponents = Annotated[
    list[Exponent],
    Field(min_length=2, max_length=2, description="the ends [from, to] of the axis of exponents"),
    INCREASING,
]
RateExponent = Annotated[
    float,
    Field(ge=-10, le=10, description="e, where small jobs have rate mu_1 n^e"),
    AS_WRITTEN,
]
Range = Annotated[
    list[Positive],
    Field(min_length=2, max_length=2, description="the ends [from, to] of a logarithmic axis"),
    INCREASING,
]
Points = Annotated[
    int,
    Field(ge=2, le=100_000, description="the most points of a curve"),
    WHOLE,
    Resolution(),
    Axis(),
]
DearPoints = Annotated[
    int,
    Field(ge=2, le=10_000, description="the most points of a curve"),
    WHOLE,
    Resolution(),
    Axis(),
]
FewPoints = Annotated[
    int, Field(ge=2, le=1000, description="the number of points"), WHOLE, Resolution(), Axis()
]
Jobs = Annotated[
    int,
    Field(
        ge=1000,
        le=10**12,
        description="the jobs of a simulated point at the paper's effort, a whole number",
    ),
    WHOLE,
    Resolution(),
    Sampling(),
]
Seed = Annotated[
    int,
    Field(ge=0, lt=2**63, description="a seed of its own instead of the run's"),
    WHOLE,
    Resolution(),
    Sampling(),
    RunDefault("seed", 0),
]
StreamKey = Annotated[
    Annotated[int, Field(ge=0, lt=2**32), WHOLE] | None,
    Field(
        description="the key of its random streams, if other words once made another than these"
        " parameters do"
    ),
    Resolution(),
    Stream(),
]
Replications = Annotated[
    int,
    Field(ge=2, le=1000, description="the independent replications of a simulated point"),
    WHOLE,
    Resolution(),
]
Count = Annotated[int, Field(ge=0, le=10**6, description="a number of jobs"), WHOLE]
Capacities = Annotated[
    list[Positive],
    Field(
        min_length=1,
        max_length=1000,
        description="the capacities C_s of the servers, in work per unit of time",
    ),
]
Server = Annotated[int, Field(ge=1, le=1000, description="the number of a server, from 1"), WHOLE]
ServerSet = Annotated[
    list[Server],
    Field(min_length=1, max_length=1000, description="some servers, numbered from 1"),
    DIFFERENT,
]
Assignments = Annotated[
    list[ServerSet],
    Field(min_length=1, max_length=20, description="the servers of each class, numbered from 1"),
]
HalfWidth = Annotated[
    float,
    Field(
        ge=0,
        lt=1,
        description="the relative half-width at 95 % that is enough for a simulated point, by a"
        " pilot; 0 for all of its jobs. Without one of its own, 0.01 at the effort 'paper'",
    ),
    Resolution(),
    Sampling(),
    RunDefault("half_width", 0),
]
Enough = Annotated[
    float,
    Field(gt=0, le=1e-2, description="the relative error of means that are found by iteration"),
    Resolution(),
    Sampling(),
    RunDefault("enough", FINELY),
]
Effort = Annotated[
    Literal["paper", "quick", "as-printed"] | Annotated[int, Field(ge=1000, le=10**12), WHOLE],
    Field(
        description="how many jobs a simulated point takes: 'as-printed' as many as its series"
        " says, 'paper' no more of them than an interval of 1 % needs, 'quick' at most 2e5 (and"
        " a third of the points of exact curves of policies, to 1e-3 instead of 1e-6), or a number"
    ),
    Resolution(),
    Sampling(),
    RunDefault("effort", "paper"),
]
ClassName = Annotated[
    str, Field(pattern=r"^class-[1-9][0-9]*$", description="a class such as class-1")
]
Text = Annotated[
    str,
    Field(
        max_length=20_000,
        pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$",
        description="text without control characters",
    ),
]
Time = Annotated[
    Literal["waiting", "response"],
    Field(description="the time in the system without being served, or all of it"),
]
Scale = Annotated[Literal["linear", "log"], Field(description="the vertical axis")]
Ceiling = Annotated[Positive, Field(description="where the vertical axis ends")]
Panels = Annotated[
    dict[Annotated[str, Field(pattern=r"^(class-[1-9][0-9]*|all)$")], Text],
    Field(
        min_length=1,
        max_length=20,
        description="the title of every panel, by class-1, class-2, … or all",
    ),
]
Id = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$",
        max_length=80,
        description="an id in lower-case letters, digits and single hyphens",
    ),
]
Labels = Annotated[
    dict[Text, Text],
    Field(description="what the legend says of a series, if not its name"),
]
