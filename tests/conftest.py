"""Settings shared by all tests. `HYPOTHESIS_PROFILE=long` tries many more examples, other ones each time."""

import os

from hypothesis import settings

# The first call of a compiled function may compile it, so examples have no deadline.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
