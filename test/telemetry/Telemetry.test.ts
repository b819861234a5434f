/** Errors in words. */
import { type LookupFunction, connect } from "node:net"
import { SqlError } from "effect/sql"
import { describe, expect, it } from "vitest"
import { inWords } from "../../src/telemetry/Telemetry.ts"

/** Node's error when no address of a name answers: nothing listens on port 1. */
const refused = new Promise<Error>((resolve) => {
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "127.0.0.2", family: 4 }
  ]
  const lookup: LookupFunction = (_, __, found) => found(null, addresses)
  connect({ host: "a.test", port: 1, autoSelectFamily: true, lookup }).once("error", resolve)
})

const sqlError = (cause: unknown) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, message: "PgConnection: Failed to connect" }) })

describe("an error in words", () => {
  it("names every address of a host that does not answer", async () => {
    const words = "connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1"
    const error = await refused
    expect(error.message).toBe("")
    expect(inWords(error)).toBe(words)
    expect(inWords(sqlError(error))).toBe(words)
  })

  it("is the message of the server, with its detail", () => {
    const said = Object.assign(new Error("duplicate key"), { detail: "Key (id)=(1) exists." })
    expect(inWords(sqlError(said))).toBe("duplicate key (Key (id)=(1) exists.)")
  })

  it("is the message of the cause if its own is empty, and its name if there is no cause", () => {
    expect(inWords(new Error("", { cause: new Error("", { cause: new RangeError("too far") }) }))).toBe("too far")
    expect(inWords(new RangeError())).toBe("RangeError")
    expect(inWords("a text")).toBe("a text")
  })
})
