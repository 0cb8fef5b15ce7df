"""Work that several people wait for, and values kept in memory."""
