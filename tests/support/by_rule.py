"""Makes mistakes by rule in the modules of the operator and of the toolkit, for mistakes.py to plant.

Which of them are chosen follows from the hashes of their statements alone: not from the order of the code, its format
and the names of its modules. They spread over all packages, the more the larger one is, and over all rules.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

_PAIRS: list[tuple[type[ast.cmpop], type[ast.cmpop]]] = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
]
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    one: other for pair in _PAIRS for one, other in (pair, pair[::-1])
}
_OTHER_NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
_LARGEST = 16  # larger numbers limit a time or a size: one more changes little
_LINES = 250  # of a package for each mistake in it
_HALVES = {"app": "tests", "metahook/src/metahook": "metahook/tests"}
_WIDER = {  # what to run after the folders of tests that have the name of a package
    "app": "tests/core tests/recorded tests/simulated tests/properties",
    "app/cli": "tests/cli tests/service",
    "app/main.py": "tests/service",
    "app/settings": "tests/cli tests/service",
    "metahook": "metahook/tests/protocol metahook/tests/simulator tests/recorded tests/core",
    "metahook/src/metahook/server": "tests/service",
    "metahook/src/metahook/cli": "tests/cli",
    "metahook/src/metahook/record": "tests/cli",
}
_Defaults = dict[tuple[str, str], str]  # of the argument of a function, or of the field of a class


class RuleMade(NamedTuple):
    """A mistake that a rule makes. Its text may be there again, and one folder that catches it will do."""

    key: str  # a hash, by which it is chosen
    rule: str
    function: str
    path: Path
    begin: int
    old: str
    new: str
    tests: list[str] = []  # noqa: RUF012 - nobody appends to it

    @property
    def id(self) -> str:
        """Return what names the mistake as long as its statement stays the same."""
        return f"{self.path.stem}.{self.function}.{self.rule}.{self.key[:4]}"

    @property
    def sees(self) -> str:
        """Show the change."""
        return f"{self.path}: {self.old} -> {self.new}"

    def file(self) -> Path:
        """Return the file that has the text."""
        return self.path

    def planted(self, source: str) -> str:
        """Return the *source* of the file with the mistake."""
        return source[: self.begin] + self.new + source[self.begin + len(self.old) :]


def made_by_rule(sources: dict[Path, str], root: Path) -> list[RuleMade]:
    """Return the mistakes that are chosen of all that the rules make in *sources*; their tests are below *root*."""
    files = {file: text for file, text in sources.items() if "templates" not in file.parts}
    defaults = {key: value for text in files.values() for key, value in _defaults(ast.parse(text))}
    least: dict[Path, dict[str, RuleMade]] = defaultdict(dict)  # of a package and a rule
    lines: dict[Path, int] = defaultdict(int)
    for file, text in files.items():
        lines[file.parent] += text.count("\n")
        for made in of_module(file, text, defaults):
            least[file.parent][made.rule] = min(least[file.parent].get(made.rule, made), made)
    return [
        made._replace(tests=_tests(made.path, root))
        for package, of_rules in least.items()
        # Backwards, because the more a rule makes, the less is its least.
        for made in sorted(of_rules.values(), key=lambda each: each.key[::-1])[: 1 + lines[package] // _LINES]
    ]


def of_module(file: Path, source: str, defaults: _Defaults) -> Iterator[RuleMade]:
    """Yield all that the rules make in a module."""
    lines = source.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    text_of = cache(ast.unparse)  # a statement has many mistakes

    def position(line: int, column: int) -> int:  # columns count bytes
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for function, statement, node in _nodes(ast.parse(source)):
        for rule, old, new in _changes(node, defaults):
            begin, end = position(old.lineno, old.col_offset), position(old.end_lineno or 0, old.end_col_offset or 0)
            text = f"{function} {rule} {text_of(statement)} {text_of(old)} {text_of(new)}"
            key = sha256(text.encode()).hexdigest()
            is_simple = isinstance(new, ast.Constant | ast.Name)
            new_text = text_of(new) if is_simple else f"({text_of(new)})"
            yield RuleMade(key, rule, function, file, begin, source[begin:end], new_text)


def _tests(file: Path, root: Path) -> list[str]:
    """Return the folders of tests called as the packages of *file*, the innermost first, and then wider ones."""
    half = next(half for half in _HALVES if file.is_relative_to(half))
    own = [f"{_HALVES[half]}/{parent}" for parent in file.relative_to(half).parents if parent.name]
    wider = next(_WIDER[package] for package in sorted(_WIDER, reverse=True) if file.is_relative_to(package))
    return [test for test in dict.fromkeys([*own, *wider.split()]) if (root / test).is_dir()]


def _defaults(tree: ast.Module) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the arguments of functions and the fields of classes that have a default, with it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            plain, last = [*node.args.posonlyargs, *node.args.args], len(node.args.defaults)
            pairs = [
                *zip(plain[len(plain) - last :], node.args.defaults, strict=True),
                *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
            ]
            yield from (((node.name, argument.arg), ast.unparse(value)) for argument, value in pairs if value)
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and each.value:
                    yield (node.name, ast.unparse(each.target)), ast.unparse(each.value)


def _nodes(
    node: ast.AST, function: str = "module", statement: ast.AST | None = None
) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield what is below *node* and runs, with its function, and its statement or the head of that."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = node.name
    has_statements = isinstance(getattr(node, "body", None), list)
    for field, child in ast.iter_fields(node):
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, ast.AST) and field not in {"annotation", "returns", "decorator_list"} and _acts(each):
                of_each = each if has_statements or statement is None else statement
                yield function, of_each, each
                yield from _nodes(each, function, of_each)


def _acts(node: ast.AST) -> bool:
    """Tell whether a change of *node* can change what the code does, other than the texts of its log."""
    match node:
        case ast.Assert() | ast.JoinedStr():  # whose parts Python 3.11 does not place
            return False
        case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Compare(left=ast.Name("__name__"))):
            return False
        case ast.Call(func=ast.Attribute(value=ast.Name("log"))):
            return False
        case _:
            return True


def _changes(node: ast.AST, defaults: _Defaults) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield what the rules make of *node*: the name of the rule, the old expression, and the new one."""
    match node:
        case ast.BoolOp() | ast.Compare():
            yield from _of_operators(node)
        case ast.UnaryOp(ast.Not(), operand):
            yield "not", node, operand
        case ast.Constant(int() as number) if not isinstance(number, bool) and number <= _LARGEST:
            yield "number", node, ast.Constant(number + 1)
        case ast.If(test, [ast.Return() | ast.Continue() | ast.Break() | ast.Raise()], []) if not _binds(test):
            yield "guard", test, ast.Constant(value=False)
        case ast.IfExp(test, body, orelse):
            yield "branches", node, ast.IfExp(test, orelse, body)
        case ast.Call(func=ast.Name(name) as func) if name in _OTHER_NAMES:
            yield "opposite", func, ast.Name(_OTHER_NAMES[name])
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name), keywords=keywords):
            for keyword in keywords:
                if defaults.get((name, keyword.arg or ""), value := ast.unparse(keyword.value)) != value:
                    yield "argument", node, ast.Call(node.func, node.args, [it for it in keywords if it is not keyword])


def _of_operators(node: ast.BoolOp | ast.Compare) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield what the rules make of and, or, and comparisons."""
    if isinstance(node, ast.BoolOp):
        for index, dropped in enumerate(node.values):
            rest = node.values[:index] + node.values[index + 1 :]
            if not _binds(dropped):
                yield "operand", node, ast.BoolOp(node.op, rest) if rest[1:] else rest[0]
    else:
        for index, operator in enumerate(node.ops):
            operators = [*node.ops[:index], _OPPOSITES[type(operator)](), *node.ops[index + 1 :]]
            yield "comparison", node, ast.Compare(node.left, operators, node.comparators)


def _binds(node: ast.expr) -> bool:
    """Tell whether a name has its value in *node*, without which nothing runs."""
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
