/** Content of a document: its fenced blocks and tables, for tests that carry them out. */
import { readFileSync } from "node:fs"

export interface Block {
  /** The first word behind the fence, and the second, which says what it is for: "json", "webhook". */
  readonly language: string
  readonly role: string
  readonly text: string
}

export const readDocument = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8")

/** The fenced blocks, in their order. */
export const blocksOf = (document: string): ReadonlyArray<Block> =>
  [...document.matchAll(/^```(\w+) ?([\w./-]*)\n([^]*?)^```$/gm)].map(([, language = "", role = "", text = ""]) => ({
    ...{ language, role, text }
  }))

/** The rows of every table with this header, as Markdown: `| a | b |` has the header "a | b". */
export const rowsOf = (document: string, header: string): ReadonlyArray<ReadonlyArray<string>> =>
  document.split(`\n| ${header} |\n`).flatMap((part, at) => {
    if (at === 0) return []
    const [, ...lines] = part.split("\n")
    const end = lines.findIndex((line) => !line.startsWith("|"))
    return lines.slice(0, end).map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|"))
    )
  })

/** The text of a cell that is code; the word "nothing" is the empty one. */
export const codeOf = (cell: string): string => {
  const code = /^`(.+)`$/.exec(cell)?.[1] ?? (cell === "nothing" ? "" : undefined)
  if (code === undefined) throw new Error(`no code in backquotes: ${cell}`)
  return code
}

export interface Message {
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

/** Requests as `.http` files write them: separated by lines that begin with `###`. */
export const messagesOf = (text: string): ReadonlyArray<Message> =>
  text.split(/^###.*\n/m).map((message) => {
    const [head = "", ...body] = message.trim().split("\n\n")
    const [first = "", ...headers] = head.split("\n")
    const [method = "", path = ""] = first.split(" ")
    const pairs = headers.map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
    return { method, path, headers: pairs, body: body.join("\n\n") }
  })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The value that the document shows, with the parts that it leaves open taken from the actual value: `…` within a
 * text stands for any text, a text that is `…` for anything, and a member `…` for further members. It equals the
 * actual value if that is as shown.
 */
export const filled = (shown: unknown, actual: unknown): unknown => {
  if (typeof shown === "string" && shown.includes("…")) {
    const pattern = shown.split("…").map((part) => part.replaceAll(/[^\w ]/g, String.raw`\$&`))
    return shown === "…" || new RegExp(`^${pattern.join("[^]*")}$`).test(String(actual)) ? actual : shown
  }
  if (Array.isArray(shown)) return shown.map((item, at) => filled(item, Array.isArray(actual) ? actual[at] : undefined))
  if (!isObject(shown)) return shown
  const there = isObject(actual) ? actual : {}
  const { "…": more, ...members } = shown
  const known = Object.fromEntries(Object.entries(members).map(([name, item]) => [name, filled(item, there[name])]))
  return more === undefined ? known : { ...there, ...known }
}
