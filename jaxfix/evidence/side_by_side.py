"""Work of which some is done at the same time; each piece waits for a process."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(
    work: Callable[[T], R], pieces: Sequence[T], room: int, end: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, R]]:
    """The number and the result of each piece as soon as it is done; with room for one, in their order and in here.

    Args:
      room: how many are done at the same time.
      end: ends the running jobs, where one raises or the wait was given up.
    """
    if min(room, len(pieces)) <= 1:
        yield from ((number, work(piece)) for number, piece in enumerate(pieces))
        return
    pool = ThreadPoolExecutor(room)
    try:
        numbers = {pool.submit(work, piece): number for number, piece in enumerate(pieces)}
        for future in as_completed(numbers):
            yield numbers[future], future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        end()
        raise
    finally:
        pool.shutdown()
