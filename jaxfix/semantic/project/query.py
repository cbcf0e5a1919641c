"""What one file may want to know of the others, and what it is told."""

from enum import Enum

from jaxfix.semantic.project.summary_types import Contexts, Factory, Jit, Use, Wrapping

Users = tuple[tuple[Use, bool], ...]
"""What is done with a function, and whether a test does it."""


class Question(Enum):
    """What one file may want to know of the others."""

    JIT = "jit"
    WRAPPING = "wrapping"
    FACTORY = "factory"
    USERS = "users"
    VALUES = "values"
    LOOPED = "looped"
    IS_USED = "is used"
    RUNS = "runs"
    REPEATS = "repeats"
    SURELY_REPEATS = "surely repeats"
    DIFFERENTIATED = "differentiated"
    REBINDS = "rebinds"
    STORES = "stores"
    IS_READ = "is read"


ABOUT_USERS = frozenset(
    {
        *(Question.USERS, Question.VALUES, Question.LOOPED, Question.IS_USED, Question.RUNS),
        *(Question.REPEATS, Question.SURELY_REPEATS, Question.DIFFERENTIATED),
    }
)
"""What is read off the uses of a function. Whoever asks for less than `USERS` gets the same answer more often."""
ABOUT_WAYS = ABOUT_USERS - {Question.VALUES, Question.LOOPED, Question.IS_USED}
"""What is also read off the uses of those who use it, and so on."""
FOLLOWING_RUNS = (Question.IS_USED, Question.REPEATS, Question.SURELY_REPEATS, Question.DIFFERENTIATED)
"""What is asked next of a function of which it is known how it runs."""
FOLLOWING_USERS = (Question.RUNS, Question.REPEATS, Question.SURELY_REPEATS)
"""What is asked next of the functions that a use is in."""
Asked = tuple[Question, str]
"""A question, and the dotted name or the attribute that it is about."""
Answer = Jit | Wrapping | Factory | Users | Contexts | bool | None
Answers = dict[Asked, Answer]
"""Those that are other than if there were no files."""
