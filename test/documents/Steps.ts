/**
 * Promises of the documents, as steps: a `sh` block is run, a `text` block behind it is its output (`…` stands for
 * anything), and words in italics behind a link to the service are on that page.
 */
import { readFileSync } from "node:fs"

export type Step =
  | { readonly kind: "run"; readonly script: string }
  | { readonly kind: "output"; readonly lines: ReadonlyArray<string> }
  | Page

export interface Page {
  readonly kind: "page"
  readonly path: string
  readonly words: ReadonlyArray<string>
}

const root = new URL("../../", import.meta.url)

/** The text of a document, by its path from the root. */
export const documentAt = (path: string): string => readFileSync(new URL(path, root), "utf8")

/** Where the examples expect the service. */
const service = "localhost:8000"

const fence = /^```(.*)\n((?:.*\n)*?)```$/gm

/** A text without its fenced blocks. */
export const proseOf = (text: string): string => text.replace(fence, "")

/** The steps of a document, in their order. A block `sh by-hand` is none: it needs what a test does not have. */
export const stepsOf = (text: string): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let after = 0
  for (const { index, 0: whole, 1: info, 2: body = "" } of text.matchAll(fence)) {
    steps.push(...pagesIn(text.slice(after, index)))
    after = index + whole.length
    if (info === "sh") steps.push({ kind: "run", script: body })
    if (info === "text" && steps.at(-1)?.kind === "run") {
      steps.push({ kind: "output", lines: body.split("\n").filter((line) => line !== "") })
    }
  }
  return [...steps, ...pagesIn(text.slice(after))]
}

const pagesIn = (prose: string): ReadonlyArray<Page> =>
  prose.split("\n\n").flatMap((paragraph) =>
    paragraph
      .split(/(?=\]\(http:\/\/)/)
      .filter((part) => part.startsWith(`](http://${service}/`))
      .map((part) => ({
        kind: "page" as const,
        path: part.slice(`](http://${service}`.length, part.indexOf(")")),
        words: [...part.matchAll(/(?<![*\w])\*([^*]+)\*(?!\*)/g)].map(([, words = ""]) => words)
      }))
  )

/** Whether an output has these lines, in this order. */
export const hasLines = (output: string, lines: ReadonlyArray<string>): boolean => {
  const pattern = lines.map((line) => `^${line.split("…").map(RegExp.escape).join(".*")}$`).join("(?:.|\n)*?")
  return new RegExp(pattern, "m").test(output)
}
