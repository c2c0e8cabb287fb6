"""Bounds on the mean response time of work-conserving finite-skip models.

Jobs move from the queue to the *front* in order of arrival. Only the front, of at most n jobs, is
served, and while it requests no further job, it is served at full capacity. Whatever happens at the
front, the mean response time is then that of the resource-pooled M/G/1 up to a constant
(`finite-skip`, Corollary 3.8).

- `bounds`: the theorem, and the M/G/1;
- `models`: the constants of the heterogeneous M/G/k, of limited processor sharing, of threshold
  parallelism under FCFS and of multiserver jobs under ServerFilling.

The exact mean response times of the same models are in `multiserver.open`.
"""
