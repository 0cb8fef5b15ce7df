"""Program or machine: splits a change of step time into the pace of the same work and the change of the work itself."""
