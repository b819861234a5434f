/** Answers to OPTIONS: the endpoint's name, and the fields that the sender may write there. */
import { Effect } from "effect"
import type { Settings } from "../../Config.ts"
import { authorize } from "../../auth/Permission.ts"
import type { Principal } from "../../auth/Principal.ts"
import type { Action } from "../../inventory/Clearance.ts"
import { type Field, emptyRecord } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { kindOf } from "../../inventory/derive/filter/Lookup.ts"
import { titled } from "./Title.ts"
import { type Reply, type Route, methodsOf } from "../Route.ts"

/** Fields are listed only for methods that the sender may use. */
export const metadata = Effect.fnUntraced(function* ({ access, methods, path }: Route, principal: Principal) {
  const own = typeof access === "string" ? undefined : access
  const name = own === undefined ? titled(path.split("/").at(-2) ?? "") : titled(own.label)
  const one = path.endsWith(":id/")
  const written = [["POST", "add"] as const, ["PUT", "change"] as const].filter(
    ([method]) => methods[method] !== undefined
  )
  const actions = emptyRecord<unknown>()
  if (own !== undefined) {
    for (const [method, action] of written) {
      if (yield* may(principal, method, action, own)) actions[method] = fieldsOf(own)
    }
  }
  return {
    status: 200,
    headers: { allow: allowed(methods) },
    json: {
      name: own === undefined || one ? name : `${name} List`,
      description: "",
      renders: ["application/json"],
      parses: ["application/json"],
      ...(Object.keys(actions).length > 0 && { actions })
    }
  } satisfies Reply
})

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

const fieldsOf = (type: ObjectType): object => ({
  id: { type: "integer", required: false, read_only: true, label: "ID" },
  url: { type: "field", required: false, read_only: true, label: "Url" },
  display: { type: "field", required: false, read_only: true, label: "Display" },
  ...Object.fromEntries(
    Object.entries(type.fields)
      .filter(([, field]) => field.wire !== "none")
      .map(([name, field]) => [name, fieldOf(name, field)])
  )
})

const fieldOf = (name: string, field: Field): object => {
  return {
    type: typeOf(field),
    required: field.wire !== "read" && field.initial === undefined,
    read_only: field.wire === "read",
    label: titled(name),
    ...(field.maxLength !== undefined && { max_length: field.maxLength }),
    ...(field.choices !== undefined && {
      choices: Object.entries(field.choices).map(([value, label]) => ({ value, display_name: label }))
    })
  }
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["flag", "boolean"],
  ["time", "datetime"],
  ["date", "date"],
  ["list", "list"],
  ["text", "string"]
])

/** The name of the field's type in Django REST framework, where a choice is a type of its own. */
const typeOf = (field: Field): string => {
  if (field.reference !== undefined || field.choices !== undefined) return "field"
  const kind = kindOf(field)
  if (kind === "number") return field.type.startsWith("numeric") ? "decimal" : "integer"
  return (kind === undefined ? undefined : typeNames.get(kind)) ?? "field"
}
