/**
 * Declaration and the constraints of an object permission -> an SQL condition, or what is wrong with them. Pure.
 *
 * `{"status": "active", "site__region__name__startswith": "Ber"}`: an object is all of it, a list is any of its objects,
 * null is every object. A path goes over references; its last word may be a lookup. `$user` is the id of who asks. Values
 * are read as a write reads them, so a constraint that could never hold is refused when it is saved.
 */
import { typeName } from "../Field.ts"
import type { Field } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType, registry } from "../Registry.ts"
import type { Where } from "./Filter.ts"
import { everything } from "./Where.ts"

/** A constraint that cannot be compiled, told with its key. */
export class ConstraintError extends Error {}

/** What stands for who asks. */
const userToken = "$user"

/** The condition over the type's table under the alias `t`. Throws `ConstraintError`. */
export const constraintWhere = (type: ObjectType, constraints: unknown, user: number): Where => {
  if (constraints === null) return everything
  const alternatives = Array.isArray(constraints) ? constraints : [constraints]
  if (alternatives.length === 0) throw new ConstraintError("An empty list allows no object; null allows all.")
  const parameters: Array<unknown> = []
  const bind = (value: unknown) => `$${parameters.push(value)}`
  const compile = new Compiler(user, bind)
  const sql = alternatives.map((each) => `(${compile.object(type, each)})`).join(" or ")
  return { sql, parameters }
}

/** What is wrong with constraints for objects of these types, or undefined where nothing is. */
export const constraintsProblem = (constraints: unknown, types: ReadonlyArray<string>): string | undefined => {
  try {
    for (const id of types) if (registry.has(id)) constraintWhere(objectType(id), constraints, 0)
    return undefined
  } catch (error) {
    if (error instanceof ConstraintError) return error.message
    throw error
  }
}

interface Column {
  readonly sql: string
  /** Postgres type of one value. */
  readonly type: string
  readonly field: Field | undefined
}

type Lookup = (column: Column, values: Values) => string

/** Reads values of the constraint, and gives the placeholders for them. */
interface Values {
  readonly one: () => string
  readonly all: () => string
  readonly text: (before: string, after: string) => string
  readonly flag: () => boolean
}

const like =
  (operator: "like" | "ilike", before: string, after: string): Lookup =>
  ({ sql }, values) =>
    `${sql}::text ${operator} ${values.text(before, after)}`

const compared =
  (operator: string): Lookup =>
  ({ sql }, values) =>
    `${sql} ${operator} ${values.one()}`

/** The lookups of Django, by which NetBox's permissions are written. */
const lookups: Readonly<Record<string, Lookup>> = {
  exact: compared("="),
  iexact: like("ilike", "", ""),
  contains: like("like", "%", "%"),
  icontains: like("ilike", "%", "%"),
  startswith: like("like", "", "%"),
  istartswith: like("ilike", "", "%"),
  endswith: like("like", "%", ""),
  iendswith: like("ilike", "%", ""),
  in: ({ sql }, values) => `${sql} = any (${values.all()})`,
  gt: compared(">"),
  gte: compared(">="),
  lt: compared("<"),
  lte: compared("<="),
  isnull: ({ sql }, values) => `${sql} is ${values.flag() ? "" : "not "}null`
}

class Compiler {
  private readonly user: number
  private readonly bind: (value: unknown) => string

  constructor(user: number, bind: (value: unknown) => string) {
    this.user = user
    this.bind = bind
  }

  object(type: ObjectType, constraint: unknown): string {
    if (typeof constraint !== "object" || constraint === null || Array.isArray(constraint)) {
      throw new ConstraintError(`A constraint is an object, not ${typeName(constraint)}.`)
    }
    const parts = Object.entries(constraint).map(
      ([key, value]) => `(${this.clause(type, key.split("__"), key, value)})`
    )
    return parts.length === 0 ? "true" : parts.join(" and ")
  }

  /** The condition of the path over the table of the type under the alias `t`. */
  private clause(type: ObjectType, path: ReadonlyArray<string>, key: string, value: unknown): string {
    const [name = "", ...rest] = path
    if (name === "id" || name === "pk")
      return this.lookup({ sql: "t.id", type: "bigint", field: undefined }, rest, key, value)
    const fieldName = Object.hasOwn(type.fields, name) ? name : name.replace(/_id$/, "")
    const field = Object.hasOwn(type.fields, fieldName) ? type.fields[fieldName]! : undefined
    const reference = field?.reference
    if (field === undefined || (fieldName !== name && reference === undefined)) {
      throw new ConstraintError(`${key}: ${type.id} has no field ${name}.`)
    }
    if (field.store !== undefined || field.wire === "write" || field.wire === "once") {
      throw new ConstraintError(`${key}: ${name} is secret.`)
    }
    const column = `t.${type.columns[fieldName]}`
    if (reference === undefined) return this.lookup({ sql: column, type: field.type, field }, rest, key, value)
    if (!reference.many && (rest.length === 0 || isLookup(rest))) {
      return this.lookup({ sql: column, type: "bigint", field: undefined }, rest, key, value)
    }
    if (rest.length === 1 && rest[0] === "isnull")
      return `(${column} = '{}') = ${this.values("boolean", undefined, key, value).flag()}`
    const target = objectType(reference.type)
    const inner = this.clause(target, rest.length === 0 || isLookup(rest) ? ["id", ...rest] : rest, key, value)
    const ids = `select t.id from ${target.table} t where ${inner}`
    return reference.many ? `${column} && array(${ids})` : `${column} in (${ids})`
  }

  private lookup(column: Column, rest: ReadonlyArray<string>, key: string, value: unknown): string {
    if (rest.length > 1 || (rest.length === 1 && !isLookup(rest))) {
      throw new ConstraintError(`${key}: there is no lookup ${rest.join("__")}.`)
    }
    if (column.type.endsWith("[]") || column.type.startsWith("json"))
      throw new ConstraintError(`${key}: it cannot be compared.`)
    if (rest.length === 0 && value === null) return `${column.sql} is null`
    return lookups[rest[0] ?? "exact"]!(column, this.values(column.type, column.field, key, value))
  }

  private values(type: string, field: Field | undefined, key: string, value: unknown): Values {
    const cast = type.replace(/\(.*/, "")
    const read = (each: unknown): string => {
      const parsed = each === userToken && type === "bigint" ? this.user : canonical(type, field, each)
      if (parsed === undefined) throw new ConstraintError(`${key}: ${JSON.stringify(each)} is no value of it.`)
      return String(parsed)
    }
    return {
      one: () => `${this.bind(read(value))}::text::${cast}`,
      all: () => {
        if (!Array.isArray(value)) throw new ConstraintError(`${key}: a list is expected.`)
        return `${this.bind(value.map(read))}::text[]::${cast}[]`
      },
      text: (before, after) => {
        if (typeof value !== "string" && typeof value !== "number")
          throw new ConstraintError(`${key}: a text is expected.`)
        return `${this.bind(`${before}${String(value).replaceAll(/[\\%_]/g, "\\$&")}${after}`)}::text`
      },
      flag: () => {
        if (typeof value !== "boolean") throw new ConstraintError(`${key}: true or false is expected.`)
        return value
      }
    }
  }
}

const isLookup = (rest: ReadonlyArray<string>): boolean => rest.length === 1 && Object.hasOwn(lookups, rest[0]!)

/** The value as a write of the field would keep it; undefined when it is none. A text may be blank. */
const canonical = (type: string, field: Field | undefined, value: unknown): unknown => {
  if (type === "text" && field?.choices === undefined)
    return typeof value === "string" || typeof value === "number" ? value : undefined
  if (field === undefined) return /^\d{1,18}$/.test(String(value)) ? value : undefined
  const parsed = field.parse(value)
  return "value" in parsed && parsed.value !== null ? parsed.value : undefined
}
