/** Random expressions that give texts. */
import { type Expressions, attributes } from "./Expressions.ts"

export const makeText = (expressions: Expressions, depth: number): string => {
  const { random } = expressions
  const d = depth - 1
  const text = () => expressions.of("str", d)
  return random.pick<() => string>([
    () => `${text()} ~ ${expressions.any(d)}`,
    () =>
      `${expressions.any(d)} ~ ${expressions.any(d)} ${random.pick(["+", "-", "*", "~"])} ${expressions.of("num", d)}`,
    () => `${text()} + ${expressions.any(d)}`,
    () =>
      `(${text()}) | ${random.pick(["upper", "lower", "capitalize", "title", "trim", "string", "reverse", "escape", "e", "safe", "forceescape", "nl2br", "urlencode", "urlize", "striptags", "striptags(true)", "indent", "indent(2)", "indent(2, true)", "center(12)", "center", "truncate(5)", "truncate(7, true)", "truncate(6, false, '…')", "urlize(5, true)", "first", "last", "list"])}`,
    () =>
      `(${text()}) | replace(${random.pick(["'a', 'b'", "'o', ''", "'', '-'", "'l', 'L', 1", "1, 2", "r/[aeiou]/g, '_'", "r/o/, '[$&]'", "r/(l)(.)/i, '$2$1'", "nul, 'x'"])})`,
    () =>
      `(${expressions.of("list", d)}) | join(${random.pick(["", "', '", "'-'", `'; ', ${random.pick(attributes)}`])})`,
    () => `(${expressions.any(d)}) | ${random.pick(["dump", "dump(2)", "dump('-')", "string", "safe | dump"])}`,
    () => `(${expressions.of("obj", d)}) | urlencode`,
    () =>
      `(${text()}).${random.pick(["toUpperCase()", "toLowerCase()", "trim()", "slice(1, 3)", "slice(-2)", "substring(2)", "substr(1, 2)", "charAt(1)", "padStart(8, '*')", "padEnd(6)", "repeat(2)", "replace('a', '$&$&')", "replace(r/[a-z]/g, '.')", "replaceAll('o', '0')", "concat('x', 1)", "at(-1)", "trimEnd()", "toString()"])}`,
    () =>
      `(${expressions.of("num", d)}).${random.pick(["toFixed(2)", "toString()", "toFixed()", "toPrecision(3)", "toString(2)"])}`,
    () => `(${expressions.of("list", d)}).join(${random.pick(["", "'-'"])})`,
    () => `(${text()})[${random.pick(["0", "1", "-1", "'length'"])}]`
  ])()
}
