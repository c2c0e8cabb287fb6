"""Networks of multi-server queues with parallel processing (`parallel-processing`).

A job may be served by several servers at once, those of a set that depends on its class, each of
them in the order of arrival. The numbers of jobs then follow balanced fairness.

- `queue`: servers and classes, the rank function, condition (7) and the set of classes that binds;
- `traffic`: how often each class is visited, and the chains of classes that jobs never leave;
- `product_form`: the distribution of the sequence of jobs (Theorem 1) and its partial balance;
- `balanced_fairness`: the distribution of the numbers of jobs (Theorem 2), its rates, exact means
  by the recursion over sets of classes, and bounds by truncation;
- `two_class`: equations (15) and (16) in closed form, corrected;
- `symmetric`: pools of equal servers and random assignment;
- `networks`: open, closed and mixed networks (Theorems 3 and 4, Propositions 3 and 4);
- `chain`: the same networks job by job, by elimination;
- `clusters`: servers, the sets of them that jobs are given, and the load (Section 8).
"""
