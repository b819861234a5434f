/**
 * How long a login takes, by its outcome: somebody who measures from outside must not learn which user names exist.
 *
 * The kinds take turns request by request, so that all meet the same machine. `told apart` is how much better than
 * chance somebody who knows both distributions would guess which of two requests had the wrong password: 0 is never, 1
 * is always.
 */
import { request } from "undici"
import { password } from "../../test/support/Client.ts"
import { startRackwire } from "../Rackwire.ts"
import { type Sample, type Suite, quantile } from "../Suite.ts"

/** Logins of each kind in a round. */
const logins = 100

const token = "x".repeat(43)

const kinds = {
  "unknown user": (n: number) => [`nobody ${n}`, "wrong"],
  "wrong password": () => ["admin", "wrong"],
  "inactive user, right password": () => ["left", password],
  "right password": () => ["admin", password]
} as const

type Kind = keyof typeof kinds

const names = Object.keys(kinds) as ReadonlyArray<Kind>

/** The share of pairs in which the first is the larger one, from -1 to 1, without its sign. */
const toldApart = (ones: ReadonlyArray<number>, others: ReadonlyArray<number>): number => {
  const signs = ones.flatMap((one) => others.map((other) => Math.sign(one - other)))
  return Math.abs(signs.reduce((sum, sign) => sum + sign, 0)) / signs.length
}

export default async (): Promise<Suite> => {
  const many = "1000000"
  const rackwire = await startRackwire({ LOGIN_ATTEMPTS_PER_USER: many, LOGIN_ATTEMPTS_PER_ADDRESS: many })
  const { service } = rackwire
  const left = await service.call("POST", "/api/users/users/", { username: "left", password, is_active: false })
  if (left.status !== 201) throw new Error(left.text)

  const logIn = async (username: string, secret: string): Promise<number> => {
    const began = performance.now()
    const { body } = await request(`${service.url}/login/`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", cookie: `csrftoken=${token}` },
      body: new URLSearchParams({ username, password: secret, csrfmiddlewaretoken: token }).toString()
    })
    await body.dump()
    return performance.now() - began
  }

  const rounds = new Map<number, Promise<Readonly<Record<Kind, ReadonlyArray<number>>>>>()
  const measure = async () => {
    const taken = Object.fromEntries(names.map((name) => [name, [] as Array<number>])) as Record<Kind, Array<number>>
    for (let n = 0; n < logins; n++) {
      // Another order each time, so that none is always the one after the same other.
      for (const name of names.map((_, at) => names[(at + n) % names.length]!)) {
        const [username, secret] = kinds[name](n)
        taken[name].push(await logIn(username!, secret!))
      }
    }
    return taken
  }
  const turn = async (name: Kind, round: number): Promise<Sample> => {
    const measured = rounds.get(round) ?? measure()
    rounds.set(round, measured)
    const taken = await measured
    const of = taken[name]
    return {
      "10%": quantile(of, 0.1),
      median: quantile(of, 0.5),
      "90%": quantile(of, 0.9),
      "told apart": toldApart(of, taken["wrong password"])
    }
  }
  return {
    title: `Login: ${logins} of each kind a round, one at a time, over HTTP`,
    figures: [
      { name: "10%", unit: "ms", more: false },
      { name: "median", unit: "ms", more: false },
      { name: "90%", unit: "ms", more: false },
      { name: "told apart", unit: "of 1", more: false }
    ],
    rounds: 3,
    contenders: names.map((name) => ({
      name,
      role: name === "wrong password" ? ("floor" as const) : ("ours" as const),
      turn: (round: number) => turn(name, round)
    })),
    close: rackwire.close
  }
}
