"""One class for each code of the server."""

from .generated.errors import *  # noqa: F403
