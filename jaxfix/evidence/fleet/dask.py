"""A cluster of dask as a place for runs: each job is a task, and travels with all its files as bytes."""

import logging
import secrets
import socket
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypedDict, cast
from urllib.parse import urlsplit

import dask.config
import distributed
from distributed import Client, Future, KilledWorker

from jaxfix.evidence.fleet import relay
from jaxfix.evidence.orders import Orders, received, tree_of
from jaxfix.evidence.payload import Payload
from jaxfix.evidence.probe import host
from jaxfix.evidence.stream import Broken, Recording, Refusal, Replay, bootstrap, parsed
from jaxfix.evidence.target import Finished, Job
from jaxfix.source.errors import ConfigError, EvidenceError

# `eval` and texts, never functions: bytecode of one Python is none for another
_CALL = "(lambda scope: (exec(text, scope), scope[name](*given))[1])({'__name__': 'jaxfix_relay'})"
_REACHED_S = 5.0
_CONNECTED_S = 30.0
_WORKERLESS_S = 60.0
_TICK_S = 2.0
_KILLED = -9

Versions = dict[str, str | None]


class _Answer(TypedDict):
    """What `relay.run` returns."""

    about: Versions
    answer: bytes
    said: str


class Fleet:
    """The workers of a scheduler. A worker that dies costs the tasks that it had, which others then do.

    Args:
      address: `host:port` of the scheduler.
      python: the interpreter on the workers; None takes the one that runs each of them.
    """

    is_here = False

    def __init__(self, address: str, python: str | None = None) -> None:
        self.name = f"`dask://{address}`"
        self._address, self._python = address, python
        self._orders = Orders(self.name, True, python)
        self._connected: Client | None = None
        self._about: Versions = {}

    @classmethod
    def at(cls, url: str, python: str | None) -> "Fleet":
        """The fleet of `dask://host:port`.

        Raises:
          ConfigError: that names no scheduler, or nothing answers there.
        """
        hint = "for example `dask://127.0.0.1:8786`"
        try:
            parts = urlsplit(url)
            host_name, port = parts.hostname, parts.port
        except ValueError as error:
            raise ConfigError(f"`--on {url}` cannot be read: {error}", hint=hint) from error
        if not host_name or port is None or parts.path not in ("", "/") or parts.query or parts.username:
            raise ConfigError(f"`--on {url}` names no scheduler", hint=hint)
        try:
            socket.create_connection((host_name, port), _REACHED_S).close()
        except OSError as error:
            said = (error.strerror or str(error)).lower()
            hint = "start one with `dask scheduler`, and workers with `dask worker`"
            raise ConfigError(f"`{url}` cannot be reached: {said}", hint=hint) from error
        return cls(parts.netloc, python)

    @property
    def interpreter(self) -> str:
        return self._python or "python3"

    @property
    def room(self) -> int:
        """The threads of all workers that are there now."""
        workers = self._client().scheduler_info(n_workers=-1)["workers"].values()
        return max(1, sum(int(worker["nthreads"]) for worker in workers))

    def installed(self) -> str | None:
        """As the workers say, which are alike."""
        self._client()
        return f"{self._about}"

    def run(self, job: Job) -> Finished:
        """Runs the job on one of the workers.

        Raises:
          EvidenceError: as `submit`.
        """
        ((_, finished),) = self.submit([job])
        return finished

    def submit(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Finished]]:
        """Hands all jobs to the scheduler; a job over which worker after worker dies ends like a killed one.

        Raises:
          EvidenceError: no worker is left, the scheduler is gone, a worker has other versions or lacks what is needed.
        """
        if any(job.interactive for job in jobs):
            hint = "run it on one of the machines, by `ssh://`"
            raise EvidenceError(f"{self.name} shows no program while it runs", hint=hint)
        client, parcels = self._client(), [_Parcel(job, self._orders) for job in jobs]
        numbers: dict[Future, int] = {}
        try:
            for number, parcel in enumerate(parcels):
                words = ["-I", "-c", bootstrap(), parcel.marker, "-"]
                given = (Path(host.__file__).read_bytes(), parcel.raw(), self._python, words)
                numbers[self._called(client, given)] = number
            for future in self._as_they_end(client, tuple(numbers)):
                number = numbers[future]
                yield number, self._finished(parcels[number], future)
        finally:
            client.cancel(list(numbers), force=True)

    def _called(self, client: Client, given: tuple[object, ...]) -> Future:
        scope = {"text": Path(relay.__file__).read_text(), "name": "run", "given": given}
        return client.submit(eval, _CALL, scope, key=f"jaxfix-{secrets.token_hex(8)}", pure=False)

    def _as_they_end(self, client: Client, futures: Sequence[Future]) -> Iterator[Future]:
        ended: SimpleQueue[Future] = SimpleQueue()
        for future in futures:
            future.add_done_callback(ended.put)
        left, alone_since = len(futures), None
        while left:
            try:
                yield ended.get(timeout=_TICK_S)
                left -= 1
            except Empty:
                alone_since = None if self._workers(client) else alone_since or monotonic()
            if alone_since is not None and monotonic() - alone_since > _WORKERLESS_S:
                raise EvidenceError(f"{self.name} has no worker any more", hint="start some with `dask worker`")

    def _workers(self, client: Client) -> int:
        if client.status != "running":
            raise self._lost()
        return len(client.scheduler_info(n_workers=-1)["workers"])

    def _lost(self) -> EvidenceError:
        return EvidenceError(f"the connection to {self.name} ended before the runs did", hint="run again")

    def _finished(self, parcel: "_Parcel", future: Future) -> Finished:
        try:
            answer = cast(_Answer, future.result())
        except KilledWorker:
            return Finished(_KILLED, "", "every worker that ran it died")
        except distributed.CancelledError as error:
            raise self._lost() from error
        self._check({"one": answer["about"]}, self._about)
        return parcel.finished(answer, self._orders)

    def _client(self) -> Client:
        """Connected, to workers that are alike.

        Raises:
          EvidenceError: there are none, or they are not.
        """
        if self._connected is None:
            logging.getLogger("distributed").setLevel(logging.CRITICAL)
            dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of other versions on the other side
                try:
                    client = Client(f"tcp://{self._address}", timeout=_CONNECTED_S, set_as_default=False)
                    client.wait_for_workers(1, timeout=_WORKERLESS_S)
                except TimeoutError as error:
                    raise EvidenceError(f"{self.name} has no worker", hint="start some with `dask worker`") from error
                except OSError as error:
                    raise EvidenceError(f"{self.name} is not a scheduler that answers: {error}") from error
            scope = {"text": Path(relay.__file__).read_text(), "name": "about", "given": (self._python,)}
            found = cast(Mapping[str, Versions], client.run(eval, _CALL, scope))
            self._about = self._check(found, None)
            self._connected = client
        return self._connected

    def _check(self, found: Mapping[str, Versions], known: Versions | None) -> Versions:
        """The versions of all workers.

        Raises:
          EvidenceError: they differ, or are too old, or jax is not there.
        """
        for versions in found.values():
            if "wrong" in versions:
                raise EvidenceError(f"{versions['wrong']}", hint="name another interpreter with `--python`")
            if versions["jax"] is None:
                raise EvidenceError(f"a worker of {self.name} has no jax", hint="install it there, or name `--python`")
        kinds = Counter(map(_kind, found.values()))
        if known:
            kinds[_kind(known)] += 0
        if len(kinds) > 1:
            said = ", ".join(f"Python {python} with jax {jax}" for python, jax, _ in sorted(kinds, key=str))
            hint = "a proof is of one of them: stop the other workers"
            raise EvidenceError(f"the workers of {self.name} are not alike: {said}", hint=hint)
        return next(iter(found.values()))


def _kind(versions: Versions) -> tuple[str | None, ...]:
    """What has to be the same on all workers."""
    return versions["python"], versions["jax"], versions["jaxlib"]


class _Parcel:
    """A job on its way, and back."""

    def __init__(self, job: Job, orders: Orders) -> None:
        self.marker = f"jaxfix:{secrets.token_hex(12)}:"
        self._job, self._orders = job, orders
        self._payload = Payload(job.scratch, f"/jaxfix-{secrets.token_hex(12)}", None, tree_of(job))

    def raw(self) -> bytes:
        """All that is said to the host, compressed."""
        recording = Recording()
        recording.say(b"N", {"name": self._payload.there})
        self._payload.send(recording)
        recording.say(b"G", self._orders.order(self._job, self._payload))
        return zlib.compress(recording.raw, 1)

    def finished(self, answer: _Answer, orders: Orders) -> Finished:
        """How it ended; its results are written down.

        Raises:
          EvidenceError: it could not be run.
        """
        replay = Replay(answer["answer"], self.marker)
        try:
            hello = parsed(*replay.receive())
            payload = replace(self._payload, there=str(hello["folder"]))
            return orders.finished(self._job, received(replay, self._job, payload), payload)
        except Refusal as error:
            raise orders.refusal(error.kind, error.detail) from error
        except Broken as error:
            said = f": {answer['said']}" if answer["said"] else ""
            raise EvidenceError(f"a worker of {orders.name} could not run it{said}") from error
