/** Values as they are stored: secrets hashed or sealed. */
import { Effect } from "effect"
import { Vault } from "../Vault.ts"
import { hasHidden, withoutSecrets } from "./Hidden.ts"
import type { ObjectType } from "../ObjectType.ts"

type Values = Readonly<Record<string, unknown>>

export const stored = Effect.fnUntraced(function* <A extends Values>(type: ObjectType, values: ReadonlyArray<A>) {
  const secrets = Object.entries(type.fields).filter(([, field]) => field.store !== undefined)
  if (secrets.length === 0 && !hasHidden(type)) return values
  const vault = yield* Vault
  return yield* Effect.forEach(values, (value) =>
    Effect.promise(async () => {
      const stored: Record<string, unknown> = withoutSecrets(type, { ...value }, vault)
      for (const [name, field] of secrets) {
        if (typeof value[name] === "string") stored[name] = await field.store!(value[name], vault)
      }
      for (const [name, { copiedTo }] of secrets) {
        if (copiedTo !== undefined && typeof value[name] === "string") stored[copiedTo] = vault.copy(value[name])
      }
      return stored
    })
  )
})
