"""Simulation of multiserver queues.

=================  ======================================================================
module             what it holds
=================  ======================================================================
`streams`          independent streams of random numbers by seed and key
`draws`            sizes of any distribution in compiled code
`estimate`         means, confidence intervals and z-scores from independent replications
`controls`         … corrected by what is known of the same replications
`run_length`       what is known of an interval before a run, by the distribution of the durations
`workload`         servers, classes with their sizes, and the rate of arrival
`fcfs`             multiserver jobs served first come, first served, job by job
`fcfs_estimates`   … what it has counted, and the estimates that follow
`completions`      … the completions to come, a heap in compiled code
`saturated`        … with a job always in the queue, drawn or given as a log has them; λ* of any
distribution
`growth`           unstable runs told from stable ones
`correlated_jobs`  jobs with a given correlation of need and duration, in place of a log
`class_queues`     preemptive policies that look at the oldest jobs of each class
`class_policies`   … MaxWeight, Least and Most Servers First, First Fit, priorities
`backfilling`      jobs that overtake where no reservation forbids it
`profiles`         … how many servers running jobs and reservations leave
`front`            finite-skip policies, whose front of the queue is served
`front_policies`   … ServerFilling, fastest server first, limited processor sharing, …
`waiting`          queues in compiled code, for both
`replications`     the means that both measure
`interruptions`    servers shared by random interruptions, job by job
`cluster`          … the servers and the classes of jobs
`assignments`      … which server serves which job, in compiled lists
`allocations`      … the same said plainly, and the lists at work
`counts`           exponential durations, by the numbers of jobs of each class
`phase`            any process that the exact solver describes, many jumps at a time
`skeleton`         the distributions and gains of so many jumps, for `phase`
`alias`            tables to draw from those distributions with one random word
=================  ======================================================================

All but the last four are job by job, and share no code with the exact solvers that they check.
"""
