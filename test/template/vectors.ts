/** The rows of jinja-vectors.json and jinja-details.json: what Jinja2 3.1.2 makes of a template, as it was recorded. */
import { readFileSync } from "node:fs"
import type { FaultReason } from "../../src/jinja/runtime/Fault.ts"
import type { EnvironmentOptions } from "../../src/jinja/Environment.ts"
import type { Extension } from "../../src/jinja/syntax/Parser.ts"

/** Python's name of each reason. */
export const pythonNames: Readonly<Partial<Record<FaultReason, ReadonlyArray<string>>>> = {
  Syntax: ["TemplateSyntaxError", "SyntaxError"],
  Assertion: ["TemplateAssertionError"],
  Undefined: ["UndefinedError"],
  Security: ["SecurityError"],
  Runtime: ["TemplateRuntimeError", "RuntimeError"],
  Type: ["TypeError"],
  Value: ["ValueError", "UnicodeEncodeError", "UnicodeDecodeError", "LookupError"],
  Key: ["KeyError"],
  Index: ["IndexError"],
  Attribute: ["AttributeError"],
  ZeroDivision: ["ZeroDivisionError"],
  Overflow: ["OverflowError"],
  FilterArgument: ["FilterArgumentError"],
  AssertionFailed: ["AssertionError"],
  Limit: ["MemoryError", "RecursionError", "Late"]
}

export interface Vector {
  readonly template: string
  /** JSON text: numbers as they stand in the file. */
  readonly context: string
  readonly options: EnvironmentOptions
  readonly expected: string | undefined
  readonly error: string | undefined
  readonly message: string | undefined
  /** Our words for the error, where they are others. */
  readonly ours: string | undefined
}

interface Row {
  readonly template: string
  readonly context: unknown
  readonly env?: PythonOptions
  readonly expected?: string
  readonly error?: string
  readonly message?: string
  readonly ours?: string
}

interface PythonOptions {
  readonly trim_blocks?: boolean
  readonly lstrip_blocks?: boolean
  readonly keep_trailing_newline?: boolean
  readonly line_statement_prefix?: string
  readonly line_comment_prefix?: string
  readonly extensions?: ReadonlyArray<string>
}

/** A number together with how it was written. */
class Written {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** TypeScript does not know yet that a reviver sees the source. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown

const keepSource = (_key: string, value: unknown, { source }: { readonly source: string }): unknown =>
  typeof value === "number" ? new Written(source) : value

const parseWritten = (json: string): unknown => JSON.parse(json, keepSource as Reviver)

/** The value as JSON text, with its numbers as they were written. */
const written = (value: unknown): string => {
  if (value instanceof Written) return value.source
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${written(item)}`)
    .join(",")}}`
}

export const optionsOf = (python: PythonOptions | undefined): EnvironmentOptions => ({
  trimBlocks: python?.trim_blocks === true,
  lstripBlocks: python?.lstrip_blocks === true,
  keepTrailingNewline: python?.keep_trailing_newline === true,
  ...(python?.line_statement_prefix === undefined ? {} : { lineStatementPrefix: python.line_statement_prefix }),
  ...(python?.line_comment_prefix === undefined ? {} : { lineCommentPrefix: python.line_comment_prefix }),
  extensions: new Set((python?.extensions ?? []).map((name) => name.replace("jinja2.ext.", "") as Extension))
})

interface Recorded {
  readonly contexts?: { readonly BASE: unknown }
  readonly rows: ReadonlyArray<Row>
}

const recorded = (name: string): Recorded =>
  parseWritten(readFileSync(new URL(name, import.meta.url), "utf8")) as Recorded

const file = recorded("jinja-vectors.json")

/** The context that most rows share, as JSON text. */
export const baseContext = written(file.contexts!.BASE)

const vectorOf = (row: Row): Vector => ({
  template: row.template,
  context: row.context === "BASE" ? baseContext : written(row.context),
  options: optionsOf(row.env),
  expected: row.expected,
  error: row.error,
  message: row.message,
  ours: row.ours
})

export const vectors: ReadonlyArray<Vector> = file.rows.map(vectorOf)

/** Methods, operators, formats and errors, each of Python's that we have. */
export const details: ReadonlyArray<Vector> = recorded("jinja-details.json").rows.map(vectorOf)
