"""HTTP: connections, parameter limits, origin checks, ETags, streamed responses, static files."""
