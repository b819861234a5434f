/**
 * What every user may do without being granted it: `DEFAULT_PERMISSIONS`, an object from NetBox's names of permissions
 * (`users.add_token`) to constraints.
 *
 * To say for each user who may keep tokens, leave the names of tokens out and grant them.
 */
import { Effect } from "effect"
import { Settings } from "../Config.ts"
import { registry } from "../inventory/Registry.ts"
import { constraintsProblem } from "./Constraint.ts"
import type { Permission } from "./Principal.ts"

/** Keep tokens of one's own, and see oneself. */
const usual = {
  "users.view_token": { user: "$user" },
  "users.add_token": { user: "$user" },
  "users.change_token": { user: "$user" },
  "users.delete_token": { user: "$user" },
  "users.view_user": { id: "$user" }
}

type Named = Readonly<Record<string, unknown>>

const read = new WeakMap<Named, ReadonlyArray<Permission>>()

/** Names that are not understood end the start. */
export const usualRights = Effect.gen(function* () {
  const { defaultPermissions: named = usual } = yield* Settings
  const rights = read.get(named) ?? Object.entries(named).map(([name, constraints]) => rightOf(name, constraints))
  const problem = rights.find((right) => typeof right === "string")
  if (problem !== undefined) return yield* Effect.die(new Error(`DEFAULT_PERMISSIONS: ${problem}`))
  const sound = rights.filter((right) => typeof right !== "string")
  read.set(named, sound)
  return sound
})

const rightOf = (name: string, constraints: unknown): Permission | string => {
  const [, app, action, model] = /^(\w+)\.([a-z]+)_(\w+)$/.exec(name) ?? []
  const type = `${app}.${model}`
  if (action === undefined || !registry.has(type)) return `${name} is no permission`
  const problem = constraintsProblem(constraints, [type])
  return problem === undefined ? { types: [type], actions: [action], constraints } : `${name}: ${problem}`
}
