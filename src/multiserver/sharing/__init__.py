"""Networks of multi-server queues with parallel processing (`parallel-processing`).

A job may be served by several servers at once, from a set that depends on its class; each server
serves jobs in order of arrival. The numbers of jobs then follow balanced fairness.

- `queue`: servers and classes, the rank function, condition (7) and the binding set of classes;
- `traffic`: how often each class is visited, and the chains of classes that jobs never leave;
- `product_form`: the distribution of the sequence of jobs (Theorem 1) and its partial balance;
- `balanced_fairness`: the distribution of the numbers of jobs (Theorem 2), its rates, exact means
  by the recursion over sets of classes, and bounds by truncation;
- `total_jobs`: the distribution of the number of all jobs;
- `two_class`: equations (15) and (16) in closed form, corrected;
- `symmetric`: pools of equal servers and random assignment;
- `networks`: open, closed and mixed networks (Theorems 3 and 4, Propositions 3 and 4);
- `chain`: the Markov chain of the same networks, job by job, solved by elimination;
- `clusters`: servers, the sets of servers assigned to jobs, and the load (Section 8).
"""
