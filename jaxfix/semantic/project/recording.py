"""A project that is not known yet."""

from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.query import Answer, Answers, Asked, Question, Users
from jaxfix.semantic.project.summary_types import UNKNOWN_CONTEXTS, Contexts, Factory, Jit, Use, Wrapping


class RecordingProject(Project):
    """Stands for the project while a file is looked at.

    Answers as a project without files does, but for what it is told, and remembers what it was asked.
    """

    def __init__(self, told: Answers | None = None) -> None:
        super().__init__()
        object.__setattr__(self, "told", told or {})
        object.__setattr__(self, "asked", set())

    told: Answers
    asked: set[Asked]

    def _ask(self, question: Question, about: str) -> Answer:
        self.asked.add((question, about))
        return self.told.get((question, about))

    def jit(self, qualname: str) -> Jit | None:
        found = self._ask(Question.JIT, qualname)
        return found if isinstance(found, Jit) else None

    def wrapping(self, qualname: str) -> Wrapping | None:
        found = self._ask(Question.WRAPPING, qualname)
        return found if isinstance(found, Wrapping) else None

    def factory(self, qualname: str) -> Factory | None:
        found = self._ask(Question.FACTORY, qualname)
        return found if isinstance(found, Factory) else None

    def _found(self, qualname: str) -> Users:
        found = self._ask(Question.USERS, qualname)
        return found if isinstance(found, tuple) else ()

    def uses_with_values(self, qualname: str) -> tuple[Use, ...]:
        found = self._ask(Question.VALUES, qualname)
        return tuple(use for use, _ in found) if isinstance(found, tuple) else ()

    def is_looped(self, qualname: str) -> bool:
        return bool(self._ask(Question.LOOPED, qualname))

    def is_used(self, qualname: str) -> bool:
        return bool(self._ask(Question.IS_USED, qualname))

    def runs(self, qualname: str) -> Contexts:
        found = self._ask(Question.RUNS, qualname)
        return found if isinstance(found, Contexts) else UNKNOWN_CONTEXTS

    def repeats(self, qualname: str) -> bool:
        return bool(self._ask(Question.REPEATS, qualname))

    def surely_repeats(self, qualname: str) -> bool:
        return bool(self._ask(Question.SURELY_REPEATS, qualname))

    def differentiated(self, qualname: str) -> bool:
        return bool(self._ask(Question.DIFFERENTIATED, qualname))

    def rebinds(self, qualname: str) -> bool:
        return bool(self._ask(Question.REBINDS, qualname))

    def stores(self, attribute: str) -> bool:
        return bool(self._ask(Question.STORES, attribute))

    @property
    def is_read(self) -> bool:
        return bool(self._ask(Question.IS_READ, ""))
