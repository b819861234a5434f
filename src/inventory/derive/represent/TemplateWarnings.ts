/**
 * Warnings about templates that read what no event has, such as `data.site.nmae`: a template engine prints nothing there.
 * They are found in the text, alike for all engines, and only where the declaration of every object type lacks the name;
 * a name that one of the types has may be meant for that type. Pure, in linear time: templates are hostile input.
 */
import { registry } from "../../Registry.ts"
import { eventNames, eventPath } from "./EventPaths.ts"

interface TemplateWarning {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Most warnings of a template, and most paths that are checked. */
const warningsMax = 20
const pathsMax = 500

/** The expressions and tags of a template, with their offsets; without comments and raw text. */
function* blocksOf(source: string): Generator<{ readonly at: number; readonly text: string }> {
  const ends: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}", "{#": "#}" }
  for (let at = source.indexOf("{"); at >= 0; at = source.indexOf("{", at)) {
    const end = ends[source.slice(at, at + 2)]
    if (end === undefined) {
      at += 1
      continue
    }
    const close = source.indexOf(end, at + 2)
    if (close < 0) return
    const text = source.slice(at + 2, close)
    if (end !== "#}") yield { at: at + 2, text }
    at = close + 2
    if (end === "%}" && /^[-+]?\s*raw\s*[-+]?$/.test(text)) {
      const endOfRaw = source.indexOf("endraw", at)
      if (endOfRaw < 0) return
      at = endOfRaw
    }
  }
}

/** A path from a root of the context. A call may follow the path: its name is not a field. */
const chain = /(?<![\w.|'"$-])(data|snapshots|request)((?:\s*\.\s*\w+|\[\s*(?:'[^'\n]*'|"[^"\n]*")\s*\])+)(\s*\()?/g

const step = /\.\s*(\w+)|\[\s*(?:'([^'\n]*)'|"([^"\n]*)")/g

/** The texts of an expression, but for those that name a part: they hold no paths. */
const text = /(\[\s*)?("[^"\n]*"|'[^'\n]*')/g

const blank = (found: string, subscript: string | undefined): string =>
  subscript === undefined ? " ".repeat(found.length) : found

interface Path {
  readonly at: number
  readonly names: ReadonlyArray<string>
}

function* pathsIn(source: string): Generator<Path> {
  for (const block of blocksOf(source)) {
    for (const found of block.text.replace(text, blank).matchAll(chain)) {
      const [, root = "", rest = "", call] = found
      const steps = [...rest.matchAll(step)].map(([, name, one, other]) => name ?? one ?? other ?? "")
      yield { at: block.at + found.index, names: [root, ...(call === undefined ? steps : steps.slice(0, -1))] }
    }
  }
}

/** Whether a template gives a root of the context another meaning. */
const isRedefined = (source: string, root: string): boolean =>
  new RegExp(
    `\\{%[-+]?\\s*(?:set|assign|capture|with)\\s+${root}\\b|\\bfor\\s+(?:\\w+\\s*,\\s*)?${root}\\b|\\bmacro\\b`
  ).test(source)

/** The path as conditions have it. */
const eventPathOf = ([root, ...names]: ReadonlyArray<string>): ReadonlyArray<string> =>
  root === "data" ? names : root === "request" ? ["context", "request", ...names] : ["snapshots", ...names]

/** Whether it is a value that templates get and events do not have: the config context of a machine. */
const isRendered = (type: string, [root, name = ""]: ReadonlyArray<string>): boolean =>
  root === "data" && registry.get(type)?.derived[name]?.isApart === true

/** How many names of a path all events of the type have; undefined if no declaration has the next one. */
const lackingAt = (type: string, names: ReadonlyArray<string>): number | undefined => {
  if (isRendered(type, names)) return undefined
  const first = names[0] === "snapshots" ? 3 : 2
  for (let length = first; length <= names.length; length++) {
    const path = eventPathOf(names.slice(0, length))
    if (eventPath(type, path, false) !== undefined) continue
    const before = eventPath(type, eventPathOf(names.slice(0, length - 1)), false)
    return before === "object" ? length - 1 : undefined
  }
  return undefined
}

export const templateWarnings = (types: ReadonlyArray<string>, source: string): ReadonlyArray<TemplateWarning> => {
  const warnings: Array<TemplateWarning> = []
  const told = new Set<string>()
  const redefined = new Map<string, boolean>()
  let looked = 0
  for (const { at, names } of pathsIn(source)) {
    looked += types.length
    if (looked > pathsMax || warnings.length >= warningsMax) break
    const lacking = types.map((type) => lackingAt(type, names))
    const [known] = lacking
    if (known === undefined || lacking.includes(undefined)) continue
    const most = Math.max(...lacking.map(Number))
    const path = names.slice(0, most + 1).join(".")
    if (told.has(path)) continue
    told.add(path)
    const [root = ""] = names
    if (!redefined.has(root)) redefined.set(root, isRedefined(source, root))
    if (redefined.get(root) === true) continue
    const there = [...new Set(types.flatMap((type) => eventNames(type, eventPathOf(names.slice(0, most)))))]
    warnings.push({ ...positionOf(source, at), message: lackingText(types, names.slice(0, most), names[most]!, there) })
  }
  return warnings
}

const positionOf = (source: string, at: number) => {
  const before = source.slice(0, at).split("\n")
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

/** Most object types, and most names of parts, that a warning lists. */
const typesMax = 3
const namesMax = 20

const listed = (all: ReadonlyArray<string>, max: number): string =>
  all.slice(0, max).join(", ") + (all.length > max ? ` and ${all.length - max} more` : "")

const lackingText = (
  types: ReadonlyArray<string>,
  before: ReadonlyArray<string>,
  name: string,
  there: ReadonlyArray<string>
): string => {
  const path = before.join(".")
  const [nearest] = there
    .map((each) => [each, distance(each, name)] as const)
    .filter(([each, edits]) => edits <= Math.max(1, Math.floor(Math.min(each.length, name.length) / 2)) && edits <= 2)
    .sort(([, a], [, b]) => a - b)
  const advice =
    nearest !== undefined
      ? `Did you mean ${path}.${nearest[0]}?`
      : there.length === 0
        ? ""
        : `${path} has: ${listed(there, namesMax)}.`
  return `Events of ${listed(types, typesMax)} have no ${path}.${name}, so nothing is printed there. ${advice}`.trim()
}

/** Longest name that is compared, characters: the comparison takes their product. */
const comparedMax = 40

/** Edits from one name to the other: a letter more, less, another one, or two that changed places. */
const distance = (one: string, other: string): number => {
  if (one.length > comparedMax || other.length > comparedMax) return Infinity
  const rows: Array<Array<number>> = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let at = 1; at <= one.length; at++) {
    const row = [at]
    for (let to = 1; to <= other.length; to++) {
      const isSame = one[at - 1] === other[to - 1]
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      row[to] = Math.min(
        rows[at - 1]![to]! + 1,
        row[to - 1]! + 1,
        rows[at - 1]![to - 1]! + (isSame ? 0 : 1),
        isSwapped ? rows[at - 2]![to - 2]! + 1 : Infinity
      )
    }
    rows.push(row)
  }
  return rows[one.length]![other.length]!
}
