/**
 * Parts of documents that are made from the code. Each stands between `<!-- name: npm run docs -->` and
 * `<!-- end of name -->`; `RACKWIRE_WRITE_DOCS=1` writes it anew.
 */
import { readFileSync, writeFileSync } from "node:fs"

/** The part of a document of `docs/` as it stands there; with RACKWIRE_WRITE_DOCS `made` is written there first. */
export const generatedPart = (document: string, name: string, made: string): string | undefined => {
  const file = new URL(`../../docs/${document}`, import.meta.url)
  const part = new RegExp(`(?<=<!-- ${name}: npm run docs -->\n\n)[^]*?(?=\n\n<!-- end of ${name} -->)`)
  if (process.env["RACKWIRE_WRITE_DOCS"] === "1") {
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(part, () => made)
    )
  }
  return part.exec(readFileSync(file, "utf8"))?.[0]
}

/** A table in Markdown; a bar in a cell does not end it. */
export const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows.map((row) => row.map((cell) => cell.replaceAll("|", String.raw`\|`)))]
    .map((cells) => `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`)
    .join("\n")
