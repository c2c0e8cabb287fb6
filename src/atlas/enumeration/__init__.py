"""A second route to the means and times of the reference systems: chains, from the definitions.

No code of the library is used here. Of the theory of these systems only the balance function of
parallel processing and the existence of stationary distributions are used. States are enumerated,
rates follow from the definition of the policy, and blocks are eliminated level by level, or all
states in an order with little fill-in.
"""
