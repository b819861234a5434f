/** Answers to OPTIONS: the endpoint's name, and the fields that the sender may write there. */
import { Effect } from "effect"
import type { Settings } from "../../Config.ts"
import { authorize } from "../../auth/Permission.ts"
import type { Principal } from "../../auth/Principal.ts"
import { holdsTypes } from "../../inventory/Grammar.ts"
import type { Action } from "../../inventory/Clearance.ts"
import { type Field, emptyRecord } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { viewOf } from "../../inventory/derive/represent/Representation.ts"
import { titled } from "./Title.ts"
import { type Reply, type Route, methodsOf } from "../Route.ts"

/** Fields are listed only for methods that the sender may use. */
export const metadata = Effect.fnUntraced(function* ({ access, methods, path }: Route, principal: Principal) {
  const own = typeof access === "string" ? undefined : access
  const written = [["POST", "add"] as const, ["PUT", "change"] as const].filter(
    ([method]) => methods[method] !== undefined
  )
  const actions = emptyRecord<unknown>()
  if (own !== undefined) {
    for (const [method, action] of written) {
      if (yield* may(principal, method, action, own)) {
        const inputs = action === "add" ? named(own.creation.inputs ?? {}) : {}
        actions[method] = { ...fieldsOf(own), ...inputs }
      }
    }
  }
  return {
    status: 200,
    headers: { allow: allowed(methods) },
    json: {
      name: capitalised(own === undefined ? titled(path.split("/").at(-2) ?? "") : own.label),
      description: "",
      renders: ["application/json"],
      parses: ["application/json"],
      ...(Object.keys(actions).length > 0 && { actions })
    }
  } satisfies Reply
})

/** `site group` -> `Site Group`. */
const capitalised = (name: string): string => name.replaceAll(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase())

export const allowed = (methods: Route["methods"]): string => {
  const named = methodsOf(methods)
  return [...named, ...(named.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
}

const may = (
  principal: Principal,
  method: string,
  action: Action,
  type: ObjectType
): Effect.Effect<boolean, never, Settings> =>
  authorize(principal, method, action, type).pipe(
    Effect.as(true),
    Effect.catchTag("Denied", () => Effect.succeed(false))
  )

const heading = {
  id: { type: "integer", required: false, read_only: true, label: "ID" },
  url: { type: "field", required: false, read_only: true, label: "Url" },
  display: { type: "field", required: false, read_only: true, label: "Display" }
}

const fieldsOf = (type: ObjectType): object => ({
  ...heading,
  ...named(type.fields),
  ...Object.fromEntries(Object.entries(type.derived).map(([name]) => [name, readOnly(name, "field")])),
  ...Object.fromEntries(Object.keys(type.counts).map((name) => [name, readOnly(name, "integer")])),
  ...Object.fromEntries(Object.keys(type.pointedBy).map((name) => [name, readOnly(name, "field")]))
})

const named = (fields: ObjectType["fields"]): object =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.wire !== "none")
      .map(([name, field]) => [name, fieldOf(name, field)])
  )

const readOnly = (name: string, type: string) => ({ type, required: false, read_only: true, label: titled(name) })

const fieldOf = (name: string, field: Field): object => ({
  type: typeOf(field),
  required: field.wire !== "read" && field.initial === undefined,
  read_only: field.wire === "read",
  label: titled(name),
  ...(field.maxLength !== undefined && { max_length: field.maxLength }),
  ...(isNested(field) && { children: childrenOf(objectType(field.reference!.type), field.reference!.shows) }),
  ...(field.choices !== undefined &&
    field.wire !== "read" && {
      choices: Object.entries(field.choices).map(([value, label]) => ({ value, display_name: label }))
    })
})

/** Whether it is written and shown as an object of its own. */
const isNested = ({ reference }: Field): boolean => reference?.many === false && reference.bare !== true

/** The fields of a nested object; those of objects inside it are left out. */
const childrenOf = (type: ObjectType, shows = type.brief): object => ({
  ...heading,
  ...Object.fromEntries(
    shows.map((name) => {
      const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
      if (field === undefined) return [name, readOnly(name, Object.hasOwn(type.counts, name) ? "integer" : "field")]
      return [name, field.reference === undefined ? fieldOf(name, field) : readOnly(name, "field")]
    })
  )
})

/** Names of types in Django REST framework, by the Postgres type of the column. */
const typeNames: ReadonlyArray<readonly [type: RegExp, name: string]> = [
  [/\[\]$/, "list"],
  [/^(bigint|integer|smallint)/, "integer"],
  [/^numeric/, "decimal"],
  [/^(real|double)/, "float"],
  [/^boolean/, "boolean"],
  [/^timestamp/, "datetime"],
  [/^date/, "date"],
  [/^(text|uuid|inet|cidr|macaddr)/, "string"]
]

/**
 * The name of the field's type in Django REST framework. NetBox's choices with labels, its content types, lists of
 * objects and JSON are fields of their own there.
 */
const typeOf = (field: Field): string => {
  if (field.reference !== undefined) return isNested(field) ? "nested object" : "field"
  if (field.choices !== undefined) return isLabelled(field) ? "field" : "choice"
  const isContentType = field.generic !== undefined || holdsTypes(field)
  if (isContentType) return "field"
  if (field.format === "image") return "image upload"
  return field.format ?? typeNames.find(([type]) => type.test(field.type))?.[1] ?? "field"
}

/** Whether a choice is shown with its label. */
const isLabelled = ({ choices, represent }: Field): boolean =>
  typeof represent(Object.keys(choices!)[0], viewOf("", { row: () => undefined }), "") === "object"
