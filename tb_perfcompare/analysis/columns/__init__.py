"""Operations on columns of events: numbering, grouping, nesting, intervals. Independent of any profiler."""
