"""What the prover takes for rebound between two calls: nothing that is settled before a function reads it."""

import ast

import pytest

from jaxfix.evidence.probe.stores import Stores


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("T = 1\nT = T + 1\ndef f(): return T\nf()", set()),
        ("T = 1\nT += 1\ndef f(): return T", set()),
        ("T = 1\ndef f(): return T\nf()\nT = T + 1", {"T"}),
        ("T = 1\nT = 2\nprint(T)", {"T"}),
        ("T = 1\nT = 2\ndef f(): return T\nfor _ in x:\n    T = T + 1", {"T"}),
        ("for _ in x:\n    T = 1\n    T = T + 1\n    def f(): return T", {"T"}),
        ("T = 1\nT = 2\ndef f(): return T\ndef g():\n    global T\n    T = 3", {"T"}),
        ("T = 1\ndef f(): return T\ndef T(): pass", {"T"}),
        ("T = 1\nlater = (T for _ in x)\nT = 2", {"T"}),
        ("T = 1\nlater = lambda: T\nT = 2", {"T"}),
        ("T = 1\nT = called(\n    lambda: T,\n)", {"T"}),
        ("T = 1\nout = [\n    (T := k)\n    for k in x\n]\ndef f(): return T", {"T"}),
        ("T = 1\ndef f(): return T\ntry: g()\nexcept E as T: pass", {"T"}),
        ("T = 1\ndef f(): return T\nfrom m import T", {"T"}),
        ("T = 1\ndef f(): return T\nmatch g():\n    case {'t': T}: pass", {"T"}),
        ("T = 1\ndef f(): return T\nmatch g():\n    case {**T}: pass", {"T"}),
        ("try: from m import T\nexcept ImportError: T = 1\ndef f(): return T", set()),
        ("T = 1\nexec(open('more').read())\ndef f(): return T", set()),
        ("T = 1\ndef f(): return T\nexec(open('more').read())", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(text): exec(text)", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(text): exec(text, {})", set()),
        ("T = 1\nglobals().update(given)\ndef f(): return T", set()),
        ("T = 1\ndef f(): return T\ndef g(given): globals().update(given)", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(given): globals().update(**given)", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(k, v): globals()[k] = v", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(k, v): vars()[k] = v", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(k, v): setattr(sys.modules[__name__], k, v)", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(k, v): setattr(importlib.import_module(__name__), k, v)", {"T"}),
        ("T = 1\ndef f(): return T\ndef g(self, k, v): setattr(self, k, v)", set()),
    ],
)
def test_a_variable_counts_as_rebound_unless_its_assignments_precede_its_readers(text: str, names: set[str]) -> None:
    stores = Stores()
    stores.read(ast.parse(text), "file.py")
    assert {name for _, name in stores.names if name == "T"} == names


@pytest.mark.parametrize(
    ("text", "is_bound"),
    [
        ("import case\ncase.T = 3", True),
        ("import case\nclass A:\n    def g(self): case.T = 3", True),
        ("import case\ndef g():\n    def h(): case.T = 3\n    return h", True),
        ("import case\ndef g():\n    yield\n    case.T = 3", True),
        ("import case\nsetattr(case, 'T', 3)", True),
        ("import case\nsetattr(case, k, 3)", True),
        ("import case\ncase.__setattr__(k, 3)", True),
        ("import case\nvars(case)[k] = 3", True),
        ("import case\ncase.__dict__.update(given)", True),
        ("import case\nfor k, v in given: setattr(case, k, v)", True),
        ("import case\nmodule = case\nmodule.T = 3", True),
        ("import case\nfor module in [case]: module.T = 3", True),
        ("import case\ndef g(module): module.T = 3\ng(case)", True),
        ("import case\nset_it = functools.partial(setattr, case)", True),
        ("import case\nexec('case.T = 3')", True),
        ("import case\nexec('T = 3', vars(case))", True),
        ("import case\nexec(text, vars(case))", True),
        ("import case\ncase.f.__globals__['T'] = 3", True),
        ("import case\nmock.patch.multiple(case, T=3).start()", True),
        ("import case\nmonkeypatch.setattr(case, 'T', 3)", True),
        ("monkeypatch.setattr('case.T', 3)", True),
        ("sys.modules['case'].T = 3", True),
        ("importlib.import_module('case').T = 3", True),
        ("setattr(importlib.import_module(name), k, 3)", True),
        ("inspect.getmodule(f).T = 3", True),
        ("import case\ncase.f(T=3)", False),
        ("import case\nclass A:\n    def g(self): self.T = 3", False),
        ("class A:\n    def g(self, k, v): setattr(self, k, v)", False),
        ("def g(args, k, v): vars(args)[k] = v", False),
        ("def g(args): args.T = 3\ng(1)", False),
    ],
)
def test_another_file_may_bind_a_variable_in_many_ways(text: str, is_bound: bool) -> None:
    stores = Stores()
    stores.read(ast.parse("T = 1\ndef f(): return T"), "case.py")
    stores.read(ast.parse(text), "other.py")
    stores.close(["case"])
    assert (("case.py", "T") in stores.names or "T" in stores.foreign or stores.anywhere) == is_bound


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("CFG = C()\ndef g(k, v): setattr(CFG, k, v)", True),
        ("from case import CFG\nfor k, v in given: setattr(CFG, k, v)", True),
        ("import case\nfor k, v in given: setattr(case.CFG, k, v)", True),
        ("import case\nvars(case.CFG).update(given)", True),
        ("import case\ncase.CFG.__dict__[k] = v", True),
        ("def g(cfg, k, v): setattr(cfg, k, v)\ng(CFG, 'a', 1)", True),
        ("class C:\n    def set(self, **given):\n        self.__dict__.update(given)\ng(CFG)", True),
        (
            "class C:\n    def update(self, **given):\n        for k in given: setattr(self, k, 1)\nCFG.update(a=1)",
            True,
        ),
        ("class C:\n    def __init__(self, **given):\n        for k in given: setattr(self, k, 1)\ng(CFG)", False),
        ("def g(args, k, v): setattr(args, k, v)", False),
    ],
)
def test_any_attribute_of_an_object_may_be_assigned_by_a_computed_name(text: str, is_open: bool) -> None:
    stores = Stores()
    stores.read(ast.parse(text), "file.py")
    assert stores.may_assign_any("CFG") == is_open
