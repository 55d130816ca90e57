"""Lists: the paging conventions of the API as iterators."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]
    #: The page information as the API sent it.
    info: dict[str, Any]
    has_next_page: bool
    #: Names parameters that the server ignored.
    message: str | None = None


class Listing(Generic[T]):
    """Every item from a page on, read as you iterate; `page()` is that page alone."""

    def __init__(
        self,
        read: Callable[[int], Page[T]],
        first: int,
        key_of: Callable[[T], str],
    ) -> None:
        self._read = read
        self._first = first
        self._key_of = key_of

    def page(self, number: int | None = None) -> Page[T]:
        """One page, by the number that the API gives it."""
        return self._read(self._first if number is None else number)

    def __iter__(self) -> Iterator[T]:
        before: set[str] = set()
        number = self._first
        while True:
            page = self._read(number)
            keys = [self._key_of(item) for item in page.items]
            # An item that new ones pushed to this page while it was read was returned before.
            yield from (item for item, key in zip(page.items, keys) if key not in before)
            if not page.has_next_page:
                return
            before = set(keys)
            number += 1


class CursorListing(Generic[T]):
    """Every item of a list by cursor, read as you iterate; `page()` is one page."""

    def __init__(self, read: Callable[[str | None], Page[T]]) -> None:
        self._read = read

    def page(self, cursor: str | None = None) -> Page[T]:
        """The first page, or the one at `info["nextCursor"]` of the page before."""
        return self._read(cursor)

    def __iter__(self) -> Iterator[T]:
        cursor: str | None = None
        while True:
            page = self._read(cursor)
            yield from page.items
            if not page.has_next_page:
                return
            cursor = page.info["nextCursor"]
