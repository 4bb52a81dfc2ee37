"""Every table and figure of the MAUVE paper."""
