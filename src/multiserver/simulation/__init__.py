"""Simulation of multiserver queues.

========================  ================================================================
module                    contents
========================  ================================================================
`streams`                 independent streams of random numbers by seed and key
`draws`                   sizes of any distribution in compiled code
`estimate`                means, confidence intervals and z-scores from independent replications
`controls`                the same means, corrected by control variates
`run_length`              whether a run is long enough for an interval, from the distribution of
                          the durations
`likely_fraction`         the fraction λ/λ* by which it is judged where λ* is not known
`single_server`           cumulants of the work in M/G/1, and Erlang's C, for `run_length`
`blocking`                waits behind jobs that do not fit, under first come, first served
`long_jobs`               waits while long jobs hold servers, as in a random environment
`rare_classes`            classes that replications of the saturated system may not have seen
`rare_durations`          the same of long durations
`sampled_times`           quantiles and tails of waiting and response times
`instability_test`        a test that distinguishes unstable runs from stable ones
`workload`                servers, classes with their sizes, and the arrival rate
`fcfs`                    multiserver jobs served first come, first served, job by job
`fcfs_estimates`          the sums collected by `fcfs`, and the estimates from them
`completions`             a heap of future completions, in compiled code
`saturated`               FCFS with a job always in the queue, drawn or from a log; λ* of any
                          distribution
`correlated_jobs`         jobs with a given correlation of need and duration, in place of a log
`class_queues`            policies that serve the oldest jobs of each need
`class_policies`          MaxWeight, Least and Most Servers First, First Fit, priorities
`front`                   finite-skip policies, which serve the front of the queue
`front_policies`          ServerFilling, fastest server first, limited processor sharing, …
`ties`                    jobs of constant durations that end at one time, in these engines
`waiting`                 queues in compiled code, for `class_queues` and `front`
`backfilling`             jobs that overtake where no reservation forbids it
`reservations`            waiting and running jobs under backfilling, and which of them start
`profiles`                how many servers running jobs and reservations leave free
`replications`            replications of `class_queues`, `front` and `backfilling`, and their means
`pooled_server`           a single server of the whole capacity, as a control variate
`replay`                  jobs of a log at their own arrival times
`interruptions`           servers shared by random interruptions, job by job
`interruption_runs`       its jumps, one by one, and what is counted of them
`interruption_estimates`  the estimates from its counts
`cluster`                 its servers and classes of jobs
`assignments`             which server serves which job, in compiled lists
`allocations`             the same rule stated directly, and a record of the lists at work
`exponential_counts`      exponential durations, by the numbers of jobs of each class
`phase`                   any process that the exact solver describes, many jumps at a time
`skeleton`                the distributions and gains of several jumps at once, for `phase`
`alias`                   tables to draw from those distributions with one random word
========================  ================================================================

All simulators but the last four modules are job by job, and share no code with the exact solvers
that they check.
"""
