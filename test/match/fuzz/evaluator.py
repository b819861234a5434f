"""Conditions as NetBox 4.7 means them: one JSON request a line in, one JSON answer a line out.

A transcription of the rules, with Python's own comparisons. The answer is true, false, or null where a clause that
counts cannot be evaluated; or the reason why the document is refused ("" where NetBox crashes instead).
"""
import json
import operator
import re
import sys

TYPES = {
    "eq": (str, bool, int, float, list, type(None)),
    "gt": (int, float),
    "gte": (int, float),
    "lt": (int, float),
    "lte": (int, float),
    "in": (list,),
    "contains": (str, bool, int, float, list),
    "regex": (str,),
    "changed": (),
    "unchanged": (),
}
OPERATORS = {
    "eq": operator.eq,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda actual, value: actual in value,
    "contains": lambda actual, value: value in actual,
    "regex": lambda actual, value: re.match(value, actual) is not None,
}
CHANGE = ("changed", "unchanged")
# The operators in the order of the message that refuses another one; `within` is Rackwire's own.
OFFERED = (*OPERATORS, "within", *CHANGE)
MISSING = object()


class Refused(Exception):
    pass


class Invalid(Exception):
    pass


def check(node):
    if not isinstance(node, dict):
        raise Refused(f"Ruleset must be a dictionary, not {type(node)}.")
    if "attr" in node or "value" in node:
        return check_clause(node)
    if len(node) != 1:
        raise Refused(f"Ruleset must have exactly one logical operator (found {len(node)})")
    logic, items = next(iter(node.items()))
    if logic not in ("and", "or"):
        raise Refused(f"Invalid logic type: {logic} (must be 'and' or 'or')")
    if not isinstance(items, list):
        raise Refused("")
    for item in items:
        check(item)


def check_clause(clause):
    value, op = clause.get("value", MISSING), clause.get("op", "eq")
    if not set(clause) <= {"attr", "value", "op", "negate"}:
        raise Refused("")
    if not isinstance(clause.get("attr"), str) or not clause["attr"] or not isinstance(clause.get("negate", False), bool):
        raise Refused("")
    if not isinstance(op, str):
        raise Refused("")
    if op not in TYPES:
        raise Refused(f"Unknown operator: {op}. Must be one of: {', '.join(OFFERED)}")
    if op in CHANGE:
        if value is not MISSING:
            raise Refused(f"The '{op}' operator compares snapshots and does not accept a value.")
        if clause["attr"].split(".")[0] == "snapshots":
            raise Refused("")
        return
    if value is MISSING:
        raise Refused(f"A value is required for the '{op}' operator.")
    if isinstance(value, dict):
        raise Refused(f"Unsupported value type: {type(value)}")
    if type(value) not in TYPES[op]:
        raise Refused(f"Invalid type for {op} operation: {type(value)}")
    if op == "regex":
        try:
            re.compile(value)
        except re.error:
            raise Refused("")


def walk(node, keys):
    for at, key in enumerate(keys):
        if isinstance(node, list):
            return [None if item is None else walk(item, keys[at:]) for item in node]
        # Behind a null, such as a reference to nothing, everything is null, as in v3.5.
        if node is None and at > 0:
            return None
        if not isinstance(node, dict) or key not in node:
            raise Invalid()
        node = node[key]
    return node


def sides(keys, snapshots):
    """The values before and after; None where there was no object, if the other side knows the path."""
    both = [snapshots["prechange"], snapshots["postchange"]] if snapshots else [None, None]
    if both == [None, None]:
        raise Invalid()
    return [None if side is None else walk(side, keys) for side in both]


def evaluate(node, data, snapshots):
    if "and" in node:
        return all(evaluate(item, data, snapshots) for item in node["and"])
    if "or" in node:
        return any(evaluate(item, data, snapshots) for item in node["or"])
    keys, op = node["attr"].split("."), node.get("op", "eq")
    if op in CHANGE:
        before, after = sides(keys, snapshots)
        answer = (before != after) == (op == "changed")
    else:
        answer = compare(keys, op, node["value"], data, snapshots)
    return answer != node.get("negate", False)


def compare(keys, op, value, data, snapshots):
    in_snapshots = keys[0] == "snapshots" and snapshots is not None
    if in_snapshots and len(keys) > 2 and keys[1] in ("prechange", "postchange"):
        actual = sides(keys[2:], snapshots)[keys[1] == "postchange"]
    elif in_snapshots:
        actual = walk({"snapshots": snapshots}, keys)
    else:
        actual = walk(data, keys)
    try:
        return OPERATORS[op](actual, value)
    except TypeError:
        if in_snapshots and actual is None:
            return False
        raise Invalid()


def answer(document, data, snapshots):
    try:
        check(document)
    except Refused as error:
        return {"refused": str(error)}
    try:
        return {"answer": evaluate(document, data, snapshots)}
    except Invalid:
        return {"answer": None}


for line in sys.stdin:
    print(json.dumps(answer(**json.loads(line))))
