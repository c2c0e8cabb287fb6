"""A second route to the means and times of the reference systems: chains, from the definitions.

Nothing of the library is used here, and nothing of what is proved about these systems but that a
chain has a stationary law, and the balance function of parallel processing. States are enumerated,
rates written down from the definition of the policy, and blocks eliminated level by level, or all
states in an order of little fill.
"""
