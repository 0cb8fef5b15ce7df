"""Amount of work: how much a step does where that varies from step to step, and steps at equal amount."""
