/**
 * Attributes of Python's objects that Jinja's sandbox hides, because they lead from an object to its class and from
 * there to everything else. Our values have no such attributes; the names make the same templates fail in the same way.
 */

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

const dunder = (names: string): string => names.trim().replace(/\S+/g, "__$&__")

/** The names that every object has. */
export const hiddenEverywhere = set(
  dunder(`class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce
    reduce_ex repr setattr sizeof str subclasshook`)
)

const arithmetic = `abs add bool divmod float floordiv getnewargs int mod mul neg pos pow radd rdivmod rfloordiv rmod rmul
  round rpow rsub rtruediv sub truediv trunc ceil floor`
const text = "add contains getitem getnewargs iter len mod mul rmod rmul"
const dict = "class_getitem contains delitem getitem ior iter len or reversed ror setitem"
const view = "and contains iter len or rand reversed ror rsub rxor sub xor"
const object = "dict module weakref"

const dunders: Readonly<Record<string, string>> = {
  str: text,
  Markup: `${text} html html_format module radd slots`,
  bytes: `${text} bytes`,
  list: "add class_getitem contains delitem getitem iadd imul iter len mul reversed rmul setitem",
  tuple: "add class_getitem contains getitem getnewargs iter len mul rmul",
  _GroupTuple: "add class_getitem contains getitem getnewargs iter len mul rmul module slots annotations match_args",
  dict,
  int: `${arithmetic} and index invert lshift or rand rlshift ror rrshift rshift rxor xor`,
  bool: `${arithmetic} and index invert lshift or rand rlshift ror rrshift rshift rxor xor`,
  float: `${arithmetic} getformat`,
  NoneType: "bool",
  range: "bool contains getitem iter len reversed",
  dict_keys: view,
  dict_items: view,
  dict_values: "iter len reversed",
  generator: "del iter name next qualname",
  function: "annotations builtins call closure code defaults dict get globals kwdefaults module name qualname",
  builtin_function_or_method: "call module name qualname self text_signature",
  type: `${dict} module dict`,
  Cycler: `${object} next`,
  Joiner: `${object} call`,
  Undefined: `add aiter bool call complex div float floordiv getattr getitem int iter len mod module mul neg pos pow radd
    rdiv rfloordiv rmod rmul rpow rsub rtruediv sub truediv`,
  LoopContext: `${object} annotations call iter len next`,
  TemplateReference: `${object} getitem`,
  BlockReference: `${object} call`,
  Macro: `${object} call`
}

/** Private names of Jinja's own objects, with one underscore. */
const privates: Readonly<Record<string, string>> = {
  LoopContext: `_after _before _current _iterable _iterator _last_changed_value _length _peek_next _recurse _to_iterator
    _undefined`,
  TemplateReference: "_TemplateReference__context",
  BlockReference: "_async_call _context _depth _stack",
  Macro: "_argument_count _async_invoke _default_autoescape _environment _func _invoke",
  Undefined: `_fail_with_undefined_error _undefined_exception _undefined_hint _undefined_message _undefined_name
    _undefined_obj`
}

const none: ReadonlySet<string> = new Set()

const byType: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(dunders).map(([type, names]) => [type, set(`${dunder(names)} ${privates[type] ?? ""}`)])
)

/** The further names of objects of a type. */
export const hiddenIn = (typeName: string): ReadonlySet<string> => byType.get(typeName) ?? none
