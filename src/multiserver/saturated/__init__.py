"""The saturated system, which decides stability.

In the saturated system the queue never empties, so only the jobs in service and the job that blocks
the head of the queue matter. Its throughput λ* is the boundary of stability of the open system
(`two-class-stability`, Theorem 4.3), and n − λ* E[S] servers are wasted on average.

- `chain`: the states and transitions for any classes, by enumeration;
- `stationary`: its distributions and relative completions, by elimination without a subtraction;
- `balance`: its balance equations, in one matrix (`elimination`) or by blocks (`dissection`,
  `block_elimination`), and for probabilities that may be negative (`signed_balance`);
- `two_class`: the product form for two classes, vectorised over sweeps;
- `peak`: where a curve over the mixes is highest, and the mix that wastes most servers;
- `limits`: the wastage as one class becomes far faster than the other;
- `single_duration`: the product form when all classes have the same rate;
- `one_or_n`: needs 1 and n, in a time that hardly depends on n;
- `one_half_all`: needs 1, n/2 and n by recursion (`half_size_layers`, `half_size_levels`);
- `asymptotics`: how the system with needs 1 and n grows with n;
- `phased`: any classes whose durations have phases, by the same algebra;
- `dispatch`: the cheapest exact method for a system with exponential durations;
- `formulations`: three equivalent descriptions of the saturated system, job by job;
- `agreement`: the product form of two classes compared with the enumerated chain;
- `extrapolation`: limits as n → ∞ from exact values;
- `packings`: the highest arrival rate under any policy, from the convex hull of the packings;
- `reduction`: a system reduced to two of its needs;
- `quadrature`: the Gauss–Legendre rule of `one_or_n` and `single_duration`.
"""
