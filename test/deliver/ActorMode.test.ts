import { expect, it } from "vitest"
import { ActorMode } from "../../src/deliver/actor/ActorMode.ts"

const after = (...transitions: ReadonlyArray<Parameters<ActorMode["turn"]>[0]>) => {
  const mode = new ActorMode()
  for (const transition of transitions) mode.turn(transition)
  return { mayRead: mode.mayRead, mayAttempt: mode.mayAttempt }
}

it("sends until its receiver wants no more, and again when the webhook's row changes", () => {
  expect(after()).toEqual({ mayRead: true, mayAttempt: true })
  expect(after("dismiss", "dismiss")).toEqual({ mayRead: false, mayAttempt: false })
  expect(after("dismiss", "redefine")).toEqual({ mayRead: true, mayAttempt: true })
})

it("finishes at its end what it has begun with, and reads no more, whatever a late answer says", () => {
  expect(after("end")).toEqual({ mayRead: false, mayAttempt: true })
  expect(after("end", "dismiss")).toEqual({ mayRead: false, mayAttempt: true })
})

it("refuses to follow a row or to end once more after its end", () => {
  for (const last of ["redefine", "end"] as const) {
    expect(() => after("end", last)).toThrow(`An actor that is ending cannot ${last}.`)
  }
})
