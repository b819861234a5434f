/** The rows of jinja-vectors.json: what Jinja2 3.1.2 makes of a template, written down by running it. */
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
  Value: ["ValueError", "UnicodeEncodeError", "UnicodeDecodeError"],
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
}

interface Row {
  readonly template: string
  readonly context: unknown
  readonly env?: PythonOptions
  readonly expected?: string
  readonly error?: string
  readonly message?: string
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

const file = parseWritten(readFileSync(new URL("jinja-vectors.json", import.meta.url), "utf8")) as {
  readonly contexts: { readonly BASE: unknown }
  readonly rows: ReadonlyArray<Row>
}

/** The context that most rows share, as JSON text. */
export const baseContext = written(file.contexts.BASE)

export const vectors: ReadonlyArray<Vector> = file.rows.map((row) => ({
  template: row.template,
  context: row.context === "BASE" ? baseContext : written(row.context),
  options: optionsOf(row.env),
  expected: row.expected,
  error: row.error,
  message: row.message
}))
