"""Response times of open systems.

Jobs arrive in a Poisson stream. With exponential phases a model is a quasi-birth-death process
whose level is the number of jobs in the system:

- `qbd`: the description of such a process, its stationary distribution and the moments of the
  distribution;
- `solve`: the linear algebra below it, on plain arrays;
- `multiserver_jobs`: first come, first served, each job with its own server need;
- `by_class`: its response times class by class; `phase_count`: how many states it has;
- `fcfs_levels`: larger systems, with phase-type durations: the level is the number of jobs that
  wait undrawn, and matrices are sparse; `iteration`, `gauss_seidel` and `anderson`: the solver;
- `age_process`: the same with dense matrices (`multiserver.fronts.interpolated` replaces all fronts
  by a few); `age_distribution`: its distribution; `riccati`: the equation that it solves;
  `level_zero`: the level on which no job waits undrawn;
- `front_distribution`: the means that follow from either;
- `waiting_distribution`: the times of jobs, by dense matrices (`doubled_steps`,
  `positive_elimination`); `uniformized_waiting`: by sparse ones (`uniformized_levels`,
  `uniformization`);
- `one_at_a_time`, `priority_one_at_a_time`, `deterministic` and `erlang`: M/G/1, M/G/1 with
  priorities, M/D/k and M/M/k;
- `one_or_n`: needs 1 and n, without fronts, by the age of a large job; `age_equation`,
  `age_rates`, `exponential_sums` and `small_jobs`: its parts; `numbers_of_jobs`: P(N > k);
- `load_interpolation`: curves over the load from few points;
- `heavy_traffic`: the formula for high load, and the constant that it omits;
- `finite_skip`: the blocks of any finite-skip model, given the dynamics of its front;
- `heterogeneous`, `limited_processor_sharing`, `threshold_parallelism`, `server_filling`: fronts;
- `elastic`: priority to elastic or to inelastic jobs, with a bound on the mass that is cut off;
- `class_counts`: preemptive policies that depend only on how many jobs of each class are present;
  `count_rules`: which jobs these serve; `count_states`: the truncation of the states;
  `truncation_error`: its error; `count_levels` and `count_sweeps`: the solver, by multilevel
  aggregation;
  `most_servers_first` (`line_sweeps`) and `served_alone`: priority to large or to small needs, if
  means are enough;
- `quickswap`: needs 1 and n without preemption, one class after the other (`quickswap_transforms`,
  `quickswap_areas`, `birth_and_death`); `two_needs`: any two;
- `priority_by_need`: the stability limit under priority to small or to large needs.
"""
