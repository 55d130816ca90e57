"""What the API answers, as TypedDicts."""

from .generated.types import *  # noqa: F403
