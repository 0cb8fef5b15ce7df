"""Program or machine: how much of a change of step time is the pace of the same work, and how much the work itself."""
