"""Partitions of policy-visible features: rules, their objective, and the exact search for the best one."""
