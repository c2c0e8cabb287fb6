"""What decides stability: the saturated system.

In the saturated system the queue never empties, so only the jobs in service and the job that
blocks the head of the queue matter. Its throughput λ* is the boundary of stability of the open
system (`two-class-stability`, Theorem 4.3), and n − λ* E[S] servers are wasted on average.

- `chain`: the states and transitions for any classes, by enumeration;
- `stationary`: their distributions and relative completions, by elimination without a subtraction;
- `balance`: its equations, in one matrix (`elimination`) or by blocks (`dissection`,
  `block_elimination`), and where probabilities may be negative (`signed_balance`);
- `two_class`: the product form for two classes, vectorised over sweeps;
- `peak`: where a curve over the mixes is highest, and the mix that wastes most servers;
- `limits`: what it tends to when one class is far faster than the other;
- `single_duration`: the product form when all classes have the same rate;
- `one_or_n`: needs 1 and n in closed form, up to n = 1e8;
- `one_half_all`: needs 1, n/2 and n by recursion;
- `asymptotics`: how the system with needs 1 and n grows with n;
- `phased`: any classes whose durations have phases, by the same algebra;
- `dispatch`: the cheapest exact method for a system with exponential durations;
- `formulations`: three descriptions of the saturated system, job by job, that are one;
- `agreement`: the product form of two classes beside the enumerated chain;
- `extrapolation`: limits as n → ∞ from exact values;
- `packings`: the rate that no policy exceeds, by the hull of what the servers hold at once;
- `reduction`: two of the needs of a system, to stand for all.
"""
