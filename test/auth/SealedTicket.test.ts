/** Tickets count for one use and one time, and not when they were changed. */
import { expect, it } from "vitest"
import { openTicket, sealTicket } from "../../src/auth/SealedTicket.ts"

/** A vault that only marks what it has sealed. */
const vault = {
  seal: (text: string) => `sealed ${text}`,
  open: (text: string) => (text.startsWith("sealed ") ? text.slice(7) : undefined)
}

const ticket = sealTicket(vault, "log in with a second factor", { user: 7 }, 1000)

it("opens before it expires", () => {
  expect(openTicket(vault, "log in with a second factor", ticket, 999)).toMatchObject({ user: 7 })
  expect(openTicket(vault, "log in with a second factor", ticket, 1000)).toBeUndefined()
})

it("does not open for another use, and its content names none", () => {
  expect(openTicket(vault, "set up an authenticator app", ticket, 0)).toBeUndefined()
  const forged = sealTicket(vault, "log in with a second factor", { purpose: "set up an authenticator app" }, 1000)
  expect(openTicket(vault, "set up an authenticator app", forged, 0)).toBeUndefined()
})

it.each([
  undefined,
  "",
  "{}",
  "sealed ",
  "sealed null",
  "sealed []",
  "sealed {}",
  'sealed {"purpose":1,"expires":9e9}'
])("does not open %j", (text) => {
  expect(openTicket(vault, "log in with a second factor", text, 0)).toBeUndefined()
})
