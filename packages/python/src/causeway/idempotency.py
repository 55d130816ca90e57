"""Keys that survive retries and, with a store, restarts of the process."""

import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import Protocol


class IdempotencyStore(Protocol):
    def keep(self, name: str, key: str) -> str:
        """Stores `key` under `name` unless a key is stored there, and returns the stored one.

        It must be atomic and durable when it returns: the request is sent right after, and
        processes may ask at the same time. In SQL it is one `insert … on conflict do nothing`.
        """
        ...


def key_of(
    idempotency_key: str | None,
    operation: str | None,
    store: IdempotencyStore | None,
) -> str:
    """The key of a create. With a store the operation needs a name, or the store protects nothing."""
    if idempotency_key is not None and operation is not None:
        raise TypeError("Pass idempotency_key or operation, not both")
    if idempotency_key is not None:
        return _require_key(idempotency_key, "idempotency_key")
    if operation is None:
        if store is not None:
            raise TypeError("Pass operation, the name under which the store keeps the key")
        return str(uuid.uuid4())
    if store is None:
        raise TypeError("operation needs a client with a store; without one, pass idempotency_key")
    if operation == "":
        raise TypeError("operation must not be empty")
    return _require_key(store.keep(operation, str(uuid.uuid4())), "The key from the store")


def _require_key(key: object, what: str) -> str:
    if isinstance(key, str) and 1 <= len(key) <= 255 and all(" " < sign < "\x7f" for sign in key):
        return key
    raise TypeError(f"{what} must have 1 to 255 printable ASCII characters without spaces")


class FileStore:
    """Keeps keys in a folder, one file for each operation.

    Several processes on one machine may share it, those of `@causeway/client` included. Keep the
    folder as long as operations may be repeated: the server remembers keys forever.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def keep(self, name: str, key: str) -> str:
        self._make_folder()
        # A hash, because names may differ only in case, and may have any length and any sign.
        file = self._folder / f"{hashlib.sha256(name.encode()).hexdigest()}.json"
        return self._read(file, name) or self._write(file, name, key)

    def _make_folder(self) -> None:
        missing = [one for one in (self._folder, *self._folder.parents) if not one.exists()]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for one in missing:
            _sync(one.parent)

    def _read(self, file: Path, name: str) -> str | None:
        try:
            kept = json.loads(file.read_text("utf-8"))
        except FileNotFoundError:
            return None
        if kept["name"] != name:
            raise RuntimeError(f"{file} has the key of another operation")
        # The process that wrote it may have ended before it was on disk.
        _sync(self._folder)
        return str(kept["key"])

    def _write(self, file: Path, name: str, key: str) -> str:
        """`link` makes the whole file appear at once, and only if there is no other."""
        temporary = self._folder / f"{uuid.uuid4()}.tmp"
        text = json.dumps({"name": name, "key": key}, ensure_ascii=False) + "\n"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(temporary, file)
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
        kept = self._read(file, name)
        if kept is None:
            raise RuntimeError(f"{file} was removed")
        return kept


def _sync(folder: Path) -> None:
    """Without it, a power failure could lose the name of the file. Windows has no such call."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
