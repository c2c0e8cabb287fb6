from multiserver import policies as policies
from multiserver.errors import NotKnownError as NotKnownError
from multiserver.errors import NotSampledError as NotSampledError
from multiserver.errors import TooLargeError as TooLargeError
from multiserver.errors import UnstableError as UnstableError
from multiserver.fitting import fit_law as fit_law
from multiserver.fitting import fit_three_moments as fit_three_moments
from multiserver.fitting import fit_two_moments as fit_two_moments
from multiserver.knowledge import Known as Known
from multiserver.knowledge import known as known
from multiserver.model import MultiserverJobSystem as MultiserverJobSystem
from multiserver.network import Network as Network
from multiserver.network import Station as Station
from multiserver.phase_type import PhaseType as PhaseType
from multiserver.phase_type import coxian as coxian
from multiserver.policies import *  # noqa: F403
from multiserver.policies import policy as policy
from multiserver.policies.policy import Policy as Policy
from multiserver.queue import Queue as Queue
from multiserver.results import ClassResult as ClassResult
from multiserver.results import Result as Result
from multiserver.results import Stability as Stability
from multiserver.simulation.estimate import Estimate as Estimate
from multiserver.simulation.estimate import z_score as z_score
from multiserver.sizes import Bimodal as Bimodal
from multiserver.sizes import BoundedPareto as BoundedPareto
from multiserver.sizes import Deterministic as Deterministic
from multiserver.sizes import Erlang as Erlang
from multiserver.sizes import Exponential as Exponential
from multiserver.sizes import Hyperexponential as Hyperexponential
from multiserver.sizes import Pareto as Pareto
from multiserver.sizes import scaled as scaled
from multiserver.system import JobClass as JobClass
from multiserver.system import System as System
from multiserver.wcfs.bounds import Interval as Interval

__version__: str
