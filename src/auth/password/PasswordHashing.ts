/**
 * Hashes of passwords, few at a time, so that many logins at once take neither all memory nor all threads of
 * the process.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { hashOfNobody, hashPassword, passwordLength } from "../../inventory/Vault.ts"
import { verifyStored } from "./DjangoPassword.ts"
import { TooManyAttempts } from "../Attempts.ts"

/** Hashes computed at a time, each on a thread and in memory of its own. */
const hashesMax = 2

/** Most hashes that wait or are computed; further logins are refused. */
const waitingMax = 50

export class PasswordHashing extends Context.Service<
  PasswordHashing,
  {
    /** Whether the password has this hash. Without a hash it has not, which takes as long to find out. */
    readonly verify: (password: string, hash: string | undefined) => Effect.Effect<boolean, TooManyAttempts>
    readonly hash: (password: string) => Effect.Effect<string, TooManyAttempts>
  }
>()("rackwire/auth/password/PasswordHashing") {
  static readonly layer = Layer.sync(PasswordHashing, () => {
    const turns = Semaphore.makeUnsafe(hashesMax)
    let waiting = 0
    const inTurn = Effect.fnUntraced(function* <A>(work: () => Promise<A>) {
      if (waiting >= waitingMax) return yield* new TooManyAttempts({ seconds: 1 })
      waiting += 1
      return yield* turns.withPermit(Effect.promise(work)).pipe(Effect.ensuring(Effect.sync(() => (waiting -= 1))))
    })
    /** A hash to verify against where there is no user, for the same time. */
    const nobody = hashOfNobody()
    return PasswordHashing.of({
      verify: (password, hash) =>
        inTurn(async () => password.length <= passwordLength.max * 2 && verifyStored(password, hash ?? nobody)),
      hash: (password) => inTurn(() => hashPassword(password))
    })
  })
}
