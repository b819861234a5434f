/** Import files made to occupy the process, in full size or just beyond the limits, and the refusal that each gets. */
import type { Api } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"

export interface ImportAttack {
  readonly title: string
  readonly format: keyof typeof mediaTypes
  readonly body: () => string
  readonly status: number
  readonly detail: RegExp
}

interface Size {
  /** Bytes of files with one long part. */
  readonly bytes: number
  /** Rows of files with too many. */
  readonly rows: number
  readonly keys: number
  readonly manyKeys: number
  readonly lists: number
  readonly nesting: number
}

const mebibyte = 1 << 20

/** As large as a file may be. */
export const full: Size = {
  bytes: 15 * mebibyte,
  rows: 200_000,
  keys: 70_000,
  manyKeys: 1_000_000,
  lists: 5 * mebibyte,
  nesting: 8 * mebibyte
}

/** Just beyond the limits. */
export const reduced: Size = {
  bytes: mebibyte + 1,
  rows: 100_001,
  keys: 1_001,
  manyKeys: 100_000,
  lists: 100_001,
  nesting: 10_000
}

const mediaTypes = { csv: "text/csv", json: "application/json", yaml: "application/yaml" }

const manyKeys = (count: number) => `- ${Array.from({ length: count }, (_, n) => `key${n}: 1`).join("\n  ")}\n`

export const importAttacks = (size: Size): ReadonlyArray<ImportAttack> => {
  const { bytes, rows, keys, lists } = size
  const attack = (
    title: string,
    format: ImportAttack["format"],
    body: () => string,
    status: number,
    detail: RegExp
  ) => ({ title, format, body, status, detail })
  return [
    attack(
      "YAML with too many keys in a row",
      "yaml",
      () => manyKeys(keys),
      413,
      new RegExp(`^Row 1 has ${keys} keys`)
    ),
    attack(
      "YAML with a row too long for its keys",
      "yaml",
      () => manyKeys(size.manyKeys),
      413,
      /^Row 1 has \d+ characters/
    ),
    attack("YAML in one line", "yaml", () => `[${"[],".repeat(lists)}]`, 413, /begins? with "- "/),
    attack("YAML full of small lists", "yaml", () => `- ${"[],".repeat(300_000)}`, 400, /cannot be read/),
    attack("YAML nested deeply", "yaml", () => `- ${"[".repeat(50_000)}`, 400, /cannot be read|nested/),
    attack("YAML with too many rows", "yaml", () => "- a\n".repeat(rows), 413, /more than 100000 rows/),
    attack("JSON nested deeply", "json", () => `[${"[".repeat(size.nesting)}`, 400, /^Row 1 is nested more than/),
    attack("JSON full of small lists", "json", () => `[${"[],".repeat(lists)}0]`, 413, /more than 100000 rows/),
    attack("JSON with a long row", "json", () => `["${"x".repeat(bytes)}"]`, 413, /^Row 1 has/),
    attack("JSON that never ends", "json", () => `["${'\\"'.repeat(bytes / 2)}`, 400, /the list does not end/),
    attack("CSV with a long cell", "csv", () => `name,slug\n${"x".repeat(bytes)},y`, 413, /^Line 2, cell 1/),
    attack("CSV with a long quoted cell", "csv", () => `name,slug\n"${'""'.repeat(bytes / 2 + 1)}",y`, 413, /cell 1/),
    attack("CSV full of commas", "csv", () => `name,slug\n${",".repeat(bytes)}`, 400, /^Line 2 has more than/),
    attack("CSV with too many rows", "csv", () => `name,slug\n${"a,b\n".repeat(rows)}`, 413, /more than 100000 rows/),
    attack("CSV with a wide header", "csv", () => `${"a,".repeat(bytes / 2)}a\n`, 400, /^Line 1 has more than/)
  ]
}

export interface Imported {
  readonly status: number
  readonly retryAfter: string | null
  readonly json: Json
}

/** Imports a file of sites. */
export const importSites = async (
  { service }: Api,
  token: string,
  format: ImportAttack["format"],
  body: string,
  query = ""
): Promise<Imported> => {
  const headers = { authorization: `Token ${token}`, "content-type": mediaTypes[format] }
  const response = await fetch(`${service.url}/api/dcim/sites/import/${query}`, { method: "POST", headers, body })
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    json: (await response.json()) as Json
  }
}

/** A file whose rows have a wrong value of so many characters each. */
export const wrongRows = (rows: number, characters: number): string =>
  `name,slug,status\n${Array.from({ length: rows }, (_, n) => `Wrong ${n},wrong-${n},${"!".repeat(characters)}\n`).join("")}`

/** A file with new sites as CSV. */
export const goodRows = (rows: number): string => {
  const row = (n: number) => `Row ${n},row-${n},${"d".repeat(100)}\n`
  return `name,slug,description\n${Array.from({ length: rows }, (_, n) => row(n)).join("")}`
}

/** The same as YAML; `n` tells the files apart. */
export const goodYaml = (n: number, rows: number): string =>
  Array.from({ length: rows }, (_, row) => `- name: Many ${n} ${row}\n  slug: many-${n}-${row}\n`).join("")
