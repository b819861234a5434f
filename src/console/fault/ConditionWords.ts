/** Faults of a condition in people's words, with the place in the text that was typed. Pure. */
import { operatorOf } from "../../match/Operator.ts"
import { positionIn } from "./JsonFault.ts"

/** Python's names of types. */
const kinds: Readonly<Record<string, string>> = {
  str: "a text",
  bool: "true or false",
  int: "a number",
  float: "a number",
  list: "a list",
  dict: "an object",
  NoneType: "null"
}

const example = '{"attr": "status.value", "value": "active"}'

const plurals: Readonly<Record<string, string>> = {
  string: "texts",
  boolean: "true and false",
  number: "numbers",
  list: "lists",
  null: "null"
}

const acceptedBy = (op: string): string => {
  const operator = operatorOf(op)
  return operator === undefined || !("accepts" in operator)
    ? "other values"
    : operator.accepts.map((kind) => plurals[kind]).join(", ")
}

type Rule = readonly [pattern: RegExp, words: (found: ReadonlyArray<string>) => string]

const rules: ReadonlyArray<Rule> = [
  [
    /^Ruleset must be a dictionary, not (.*?)\.$/,
    ([kind]) => `A condition is a JSON object such as ${example}, not ${kind}.`
  ],
  [
    /^Ruleset must have exactly one logical operator \(found (\d+)\)$/,
    ([count]) =>
      `A condition has "attr" and "value", or a list under "and" or under "or" and nothing else; this object has ${count} names.`
  ],
  [
    /^Invalid logic type: ([^]*) \(must be 'and' or 'or'\)$/,
    ([logic]) => `"${logic}" is neither "and" nor "or". Write {"and": [ … ]}, {"or": [ … ]} or ${example}.`
  ],
  [
    /^Expected a list of conditions, not (.*?)\.$/,
    ([kind]) => `Write a list of conditions in brackets, such as [${example}], not ${kind}.`
  ],
  [
    /^Unknown operator: ([^]*)\. Must be one of: (.*)$/,
    ([op, all]) => `There is no operator "${op}". Use one of: ${all}.`
  ],
  [
    /^Unsupported value type: (.*)$/,
    ([kind]) => `A value is a text, a number, true, false, null or a list of them, not ${kind}.`
  ],
  [
    /^Invalid type for (\w+) operation: (.*)$/,
    ([op, kind]) => `The operator "${op}" compares with ${acceptedBy(op!)}, not with ${kind}.`
  ],
  [/^The path of an attribute is required\.$/, () => `Write the path of a field, such as "attr": "status.value".`],
  [/^Invalid value for (\w+): ([^]*)$/, ([op, reason]) => `The value does not fit the operator "${op}": ${reason}`]
]

/** `message`: `and[1].op: Unknown operator: …`; the place comes first, unless it is the whole document. */
export const conditionInWords = (message: string, input: string | undefined): string => {
  const [, path = "", text = message] =
    /^((?:and|or|attr|value|op|negate)(?:[.[][\w.[\]-]*)?): ([^]*)$/.exec(message) ?? []
  const plain = text.replaceAll(/<class '(\w+)'>/g, (_, kind: string) => kinds[kind] ?? kind)
  const [found, words] = rules
    .map(([pattern, words]) => [pattern.exec(plain), words] as const)
    .find(([found]) => found !== null) ?? [null, () => plain]
  const told = found === null ? plain : words(found.slice(1))
  const at = input === undefined || path === "" ? undefined : positionIn(input, path)
  const place = at === undefined ? path : `Line ${at.line}, column ${at.column} (${path})`
  return place === "" ? told : `${place}: ${told}`
}
