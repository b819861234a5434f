/**
 * The permissions that every user has without a grant: `DEFAULT_PERMISSIONS`, an object from NetBox's names of
 * permissions (`users.add_token`) to constraints. `REMOTE_AUTH_DEFAULT_PERMISSIONS` has the same form, and is checked here.
 *
 * To decide user by user who may keep tokens, leave the names of tokens out and grant them.
 */
import { Context, Effect, Layer } from "effect"
import { Settings } from "../Config.ts"
import { OptionRefused } from "../Setting.ts"
import { registry } from "../inventory/Registry.ts"
import { constraintsProblem } from "./Constraint.ts"
import type { Permission } from "./Principal.ts"

/** Users keep their own tokens and see themselves. */
const usual = {
  "users.view_token": { user: "$user" },
  "users.add_token": { user: "$user" },
  "users.change_token": { user: "$user" },
  "users.delete_token": { user: "$user" },
  "users.view_user": { id: "$user" }
}

export class UsualRights extends Context.Service<UsualRights, ReadonlyArray<Permission>>()(
  "rackwire/auth/UsualRights"
) {
  /** Fails if the option names no permission, or if constraints are wrong. */
  static readonly layer = Layer.effect(
    UsualRights,
    Effect.gen(function* () {
      const { defaultPermissions = usual, remoteAuthDefaultPermissions = {} } = yield* Settings
      yield* rightsOf("REMOTE_AUTH_DEFAULT_PERMISSIONS", remoteAuthDefaultPermissions)
      return yield* rightsOf("DEFAULT_PERMISSIONS", defaultPermissions)
    })
  )
}

const rightsOf = (option: string, permissions: Readonly<Record<string, unknown>>) =>
  Effect.forEach(Object.entries(permissions), ([name, constraints]) => rightOf(option, name, constraints))

const rightOf = Effect.fnUntraced(function* (option: string, name: string, constraints: unknown) {
  const [, app, action, model] = /^(\w+)\.([a-z]+)_(\w+)$/.exec(name) ?? []
  const type = `${app}.${model}`
  if (action === undefined || !registry.has(type)) return yield* refused(option, `${name} is not a permission`)
  const problem = constraintsProblem(constraints, [type])
  if (problem !== undefined) return yield* refused(option, `${name}: ${problem}`)
  return { types: [type], actions: [action], constraints } satisfies Permission
})

const refused = (option: string, problem: string) => new OptionRefused({ message: `${option}: ${problem}` })
