"""Every table and figure of the sensitivity paper."""
