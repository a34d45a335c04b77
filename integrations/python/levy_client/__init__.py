"""Client of the Levy sales tax API. `connect` makes a client for the operations in `levy_client.generated.api`."""

from .client import LevyRefused, connect, items, or_raise
from .retries import LevyUnavailable

__all__ = ["LevyRefused", "LevyUnavailable", "connect", "items", "or_raise"]
