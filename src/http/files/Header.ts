/** The header of a table: its separator, and the columns that it names. Pure; runs in a worker. */
import type { Kind } from "./Columns.ts"
import { type Separator, csvLines, separators } from "./Csv.ts"
import { FileFault } from "./FileFault.ts"

export interface Header {
  readonly separator: Separator
  readonly columns: ReadonlyArray<string>
  /** Cells of each line, with the empty one behind a separator at the end. */
  readonly cells: number
}

/** Most characters of the file that an error message repeats. */
const shownCharsMax = 500

/**
 * Reads the first line. The separator is the one that gives the most known columns. A separator at the end of the line
 * is ignored. Throws a `FileFault` for columns that are unknown or named twice.
 */
export const headerOf = (text: string, known: Readonly<Record<string, Kind>>, cellCharsMax: number): Header => {
  const columnNamed = columnsBy(known)
  const faults: Array<unknown> = []
  const read = separators.flatMap((separator) => {
    try {
      const headings = headingsOf(text, separator, cellCharsMax)
      return [{ separator, headings, found: headings.filter(columnNamed).length }]
    } catch (error) {
      faults.push(error)
      return []
    }
  })
  const [best] = read.sort((a, b) => b.found - a.found || b.headings.length - a.headings.length)
  if (best === undefined || (best.found === 0 && faults.length > 0)) throw faults[0]
  const { separator, headings } = best
  const isClosed = headings.length > 1 && headings.at(-1) === ""
  const named = isClosed ? headings.slice(0, -1) : headings
  const unknown = named.filter((heading) => columnNamed(heading) === undefined)
  if (unknown.length > 0) throw new FileFault(`Unknown columns: ${unknown.join(", ").slice(0, shownCharsMax)}.`)
  const names = named.map((heading) => columnNamed(heading)!)
  const twice = names.find((name, at) => names.indexOf(name) < at || names.some((each) => each.startsWith(`${name}.`)))
  if (twice !== undefined) throw new FileFault(`The column ${twice} is given twice.`)
  return { separator, columns: names, cells: headings.length }
}

const headingsOf = (text: string, separator: Separator, cellCharsMax: number): ReadonlyArray<string> => {
  const first = csvLines(text, cellCharsMax, separator).next()
  return first.done === true ? [] : first.value.map((heading) => heading.trim())
}

/** The column of a heading: by name or by title, whatever the case; `device.name` for an attribute of a reference. */
const columnsBy = (columns: Readonly<Record<string, Kind>>): ((heading: string) => string | undefined) => {
  const names = new Map(Object.keys(columns).map((name) => [keyOf(name), name] as const))
  return (heading) => {
    const [first = "", ...attributes] = heading.split(".")
    const name = names.get(keyOf(first))
    if (name === undefined || attributes.length === 0) return name
    const isNamed = columns[name] === "reference" && attributes.every((each) => each.trim() !== "")
    return isNamed ? [name, ...attributes.map(keyOf)].join(".") : undefined
  }
}

/** `Primary IPv4` and `primary_ip4` alike. */
const keyOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_")
    .replaceAll(/ipv(?=[46])/g, "ip")
