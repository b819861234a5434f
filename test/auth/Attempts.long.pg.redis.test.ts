/** Wrong passwords by the ten thousand: a service as a process, because its memory is measured. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { residentBytes } from "./Users.ts"

let api: Api<ServiceProcess>

beforeAll(async () => {
  api = await startApiProcess({
    LOGIN_ATTEMPTS_PER_USER: "4",
    LOGIN_ATTEMPTS_PER_ADDRESS: "12",
    TRUSTED_PROXIES: "127.0.0.1"
  })
})
afterAll(() => api.stop())

/** A guess of a client at this address, which our proxy forwards; returns the status of the answer. */
const provision = async (url: string, address: string, username: string) => {
  const response = await fetch(`${url}/api/users/tokens/provision/`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ username, password: "wrong" })
  })
  await response.text()
  return response
}

describe("wrong passwords", () => {
  it(
    "by the ten thousand cost no more memory and no more hashes than the bound lets through",
    { timeout: 900_000 },
    async () => {
      const guess = async (worker: number, guesses: number) => {
        let refused = 0
        for (let n = 0; n < guesses; n++) {
          const { status } = await provision(api.service.url, `2001:db8:${worker}:${n % 8}::1`, `guessed ${n % 40}`)
          if (status === 429) refused += 1
        }
        return refused
      }
      const guesses = async (each: number) => {
        const refused = await Promise.all(Array.from({ length: 8 }, (_, worker) => guess(worker, each)))
        return refused.reduce((sum, count) => sum + count)
      }
      // Forty names, four guesses each. When memory is measured the heap has its usual size, and what hashes need is held.
      expect(await guesses(750)).toBe(6000 - 160)
      const before = residentBytes(api.service.process.pid!)
      expect(await guesses(1250)).toBe(10_000)
      expect(residentBytes(api.service.process.pid!) - before).toBeLessThan(100 * 1024 * 1024)
    }
  )
})
