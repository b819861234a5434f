/** The cookie of a sign-in under way. */
import { expect, it } from "vitest"
import { newState, openState, sealState } from "../../../src/auth/oidc/SignInState.ts"

/** A vault that anybody can open. */
const vault = { seal: (text: string) => `sealed ${text}`, open: (text: string) => text.split("sealed ")[1] }

const state = newState("corp", "/dcim/sites/?q=a", 1000)

it("keeps a sign-in for ten minutes, and no longer", () => {
  const cookie = sealState(vault, state)
  expect(openState(vault, cookie, 1000 + 599_999)).toMatchObject(state)
  expect(openState(vault, cookie, 1000 + 600_000)).toBeUndefined()
})

it("is none if it is absent, changed, no state, or another text of the same vault", () => {
  const others = [undefined, "", "changed", "sealed no JSON", "sealed null", vault.seal(JSON.stringify(state))]
  expect(others.map((cookie) => openState(vault, cookie, 1000))).toEqual(others.map(() => undefined))
})

it("has secrets of 256 bits, which differ, and a cookie that browsers accept", () => {
  const secrets = [state, newState("corp", "/", 1000)].flatMap(({ state: id, nonce, verifier }) => [
    id,
    nonce,
    verifier
  ])
  expect(new Set(secrets).size).toBe(6)
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/)
  expect(newState("corp", `/${"a".repeat(1500)}`, 1000).next).toBe("/")
  expect(sealState(vault, newState("corp", `/${"a".repeat(1499)}`, 1000)).length).toBeLessThan(2500)
})
