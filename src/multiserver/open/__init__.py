"""Response times of open systems.

Jobs arrive in a Poisson stream. With exponential phases a model is a quasi-birth-death process
whose level is the number of jobs in the system:

- `qbd`: the description of such a process, its stationary distribution and the moments of the
  distribution;
- `solve`: the linear algebra below it, on plain arrays;
- `multiserver_jobs`: first come, first served, each job with its own server need;
- `by_class`: its response times class by class;
- `fcfs_levels`: the same system with phases in its durations, and larger, by the jobs that wait
  undrawn, in sparse matrices; `iteration`, `gauss_seidel` and `anderson`: how its distribution is
  found;
- `age_process`: the same in dense matrices (`multiserver.fronts.interpolated` puts a few fronts in
  the place of all); `age_distribution`: its distribution; `riccati`: the equation that it rests on;
- `front_distribution`: the means that follow from either;
- `one_or_n`: needs 1 and n, without fronts, by the age of a large job; `age_equation`,
  `age_rates`, `exponential_sums` and `small_jobs`: what it is made of; `numbers_of_jobs`: P(N > k);
- `load_interpolation`: curves over the load from few points;
- `heavy_traffic`: the formula for high load, with the constant that it leaves out;
- `finite_skip`: the blocks of any finite-skip model, given the dynamics of its front;
- `heterogeneous`, `limited_processor_sharing`, `threshold_parallelism`, `server_filling`: fronts;
- `elastic`: priority to elastic or to inelastic jobs, with a bound on the mass that is cut off;
- `class_counts`: preemptive policies that ask only how many jobs of each class there are, whom
  `count_rules` serve, kept to `count_states`, with what is `left_out`, on levels of aggregates
  (`count_levels`) that `count_sweeps` balance;
  `most_servers_first` and `served_alone`: priority to large or to small needs where less than the
  whole distribution will do;
- `quickswap`: needs 1 and n without preemption, one class after the other; `two_needs`: any two;
- `priority_by_need`: where priority to small or to large needs ceases to be stable.
"""
