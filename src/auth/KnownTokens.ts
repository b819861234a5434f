/** Tokens as this process last found them. A later read starts from one and checks it; it never trusts one. */
import { Context, Layer } from "effect"
import { keepNewest } from "../KeepNewest.ts"
import type { Where } from "../inventory/derive/filter/Where.ts"
import type { Principal } from "./Principal.ts"

interface KnownToken {
  /** The condition that the token still gives the same. */
  readonly where: Where
  /** Networks that the token may come from. */
  readonly allowed: ReadonlyArray<string>
  readonly principal: Principal
}

/** Most tokens that are kept; the oldest goes first. */
const keptMax = 1000

export class KnownTokens extends Context.Service<
  KnownTokens,
  {
    /** The token of this digest; undefined if it is not kept. */
    readonly get: (digest: string) => KnownToken | undefined
    readonly keep: (digest: string, token: KnownToken) => void
    readonly forget: (digest: string) => void
  }
>()("rackwire/auth/KnownTokens") {
  static readonly layer = Layer.sync(KnownTokens, () => {
    const kept = new Map<string, KnownToken>()
    return KnownTokens.of({
      get: (digest) => kept.get(digest),
      forget: (digest) => void kept.delete(digest),
      keep: (digest, token) => {
        kept.set(digest, token)
        keepNewest(kept, keptMax)
      }
    })
  })
}
