"""What JAX makes of abstract values: the promotion of operands, joins, and what a loop carries.

The rules say what `jax.numpy` of 0.4.30 to 0.12 does; they were measured, not read.
"""

from dataclasses import replace

from jaxfix.report.abstract_value import Form, Kind, Value


def as_array(value: Value) -> Value:
    """`jnp.asarray(value)`."""
    if value.is_array or value.form is Form.UNKNOWN:
        return value if value.is_array else Value(Form.ARRAY, varies=True)
    weak = value.form is Form.PYTHON and value.kind is not Kind.BOOL
    return replace(value, form=Form.WEAK if weak else Form.STRONG)


def as_traced(value: Value) -> Value:
    """How a loop or a branch converts its input: a number becomes an array; of others nothing is known."""
    return value if value.form is Form.UNKNOWN else as_array(value)


def as_carry(first: Value, again: Value) -> Value:
    """A loop's carry: measured, a weak initial value takes the type of the body's result, a strong one keeps it."""
    if first.form is Form.STRONG:
        return replace(first, varies=True)
    either = joined(first, again)
    if first.form is Form.WEAK and again.form is Form.STRONG:
        return replace(either, form=Form.STRONG)
    return replace(either, form=Form.ARRAY) if first.is_array and not either.is_array else either


def as_quotient(value: Value) -> Value:
    """A true division, or a function that is floating for integers: it keeps the form."""
    return replace(value, kind=Kind.FLOAT) if value.kind in (Kind.INT, Kind.BOOL, Kind.NUMBER) else value


def joined(a: Value, b: Value) -> Value:
    """What is true of both; one of two things varies."""
    form = a.form if a.form is b.form else Form.ARRAY if a.is_array and b.is_array else Form.UNKNOWN
    kind = _least_kind(a.kind, b.kind)
    return Value(form, kind, a.scalar and b.scalar, varies=True, assumed=a.assumed or b.assumed)


def least(a: Value, b: Value) -> Value:
    """The least value above two that are known of one and the same thing."""
    kind = _least_kind(a.kind, b.kind)
    return Value(_least_form(a, b), kind, a.scalar and b.scalar, a.varies or b.varies, a.assumed or b.assumed)


def _least_kind(a: Kind, b: Kind) -> Kind:
    return a if a is b else Kind.UNKNOWN if Kind.UNKNOWN in (a, b) else Kind.NUMBER


def _least_form(a: Value, b: Value) -> Form:
    """Strong lies above weak: what a loop carries is weak until its body is known to make it strong."""
    if {a.form, b.form} == {Form.WEAK, Form.STRONG}:
        return Form.STRONG
    return a.form if a.form is b.form else Form.ARRAY if a.is_array and b.is_array else Form.UNKNOWN


def promoted(operands: list[Value]) -> Value:
    """What arithmetic on `operands` gives."""
    varies = any(v.varies for v in operands)
    assumed = any(v.assumed for v in operands)
    kind = _winning([v.kind for v in operands])
    scalar = all(v.scalar for v in operands)
    return Value(_form_of_promotion(operands, kind), kind, scalar, varies, assumed)


def _winning(kinds: list[Kind]) -> Kind:
    certain = next((kind for kind in (Kind.UNKNOWN, Kind.FLOAT, Kind.NUMBER) if kind in kinds), None)
    return certain or max(kinds, key=lambda kind: kind.value)


def _form_of_promotion(operands: list[Value], kind: Kind) -> Form:
    forms = {v.form for v in operands}
    if forms == {Form.PYTHON}:
        return Form.PYTHON
    if Form.UNKNOWN in forms:
        return Form.UNKNOWN
    if Form.NUMPY in forms:
        return Form.NUMPY if forms <= {Form.NUMPY, Form.PYTHON} else Form.ARRAY
    # Measured: a strong integer times a weak float is a weak float; strength comes with the winning kind.
    if kind in (Kind.BOOL, Kind.INT, Kind.FLOAT) and any(v.form is Form.STRONG and v.kind is kind for v in operands):
        return Form.STRONG
    return Form.ARRAY if kind in (Kind.UNKNOWN, Kind.NUMBER) or Form.ARRAY in forms else Form.WEAK
