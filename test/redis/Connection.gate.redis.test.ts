/** Why a connection fails, as the commands say it, and connections that succeed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { isDatabaseRefused, open } from "../../src/redis/Connection.ts"
import { redisAddressOf } from "../../src/redis/RedisUrl.ts"
import { command } from "../../src/redis/Redis.ts"
import { hasOpenssl } from "../support/Certificate.ts"
import { type ClientAuthority, makeClientAuthority } from "../support/ClientAuthority.ts"
import { type RedisProcess, startRedisProcess } from "../support/RedisProcess.ts"

/** The reply of a command on the address, or the words of its failure. */
const ping = async (url: string): Promise<string> => {
  const client = open(redisAddressOf(url), {
    protocol: 2,
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    connectTimeout: 1000,
    retryStrategy: () => 10
  })
  client.on("error", () => {})
  const pinged = command(() => client.ping())
  const told = await Effect.runPromise(
    Effect.catch(pinged, ({ reason, message }) => Effect.succeed(`${reason}: ${message}`))
  )
  const refused = isDatabaseRefused(client)
  client.disconnect()
  return refused ? `database refused, ${told}` : told
}

describe("a connection", () => {
  let server: RedisProcess
  beforeAll(async () => {
    server = await startRedisProcess({ requirepass: "s3cret/@", databases: "4" })
  })
  afterAll(() => server.stop())

  const at = (credentials: string, rest = "") => `redis://${credentials}127.0.0.1:${server.port}${rest}`
  const right = ":s3cret%2F%40@"

  it("succeeds", async () => {
    expect(await ping(at(right, "/3"))).toBe("PONG")
  })

  it("says that the password is wrong, or missing", async () => {
    const wrong = await ping(at(":guess@"))
    expect(wrong).toMatch(/^Unavailable: Redis refuses the user name or the password; .*%/)
    expect(await ping(at(""))).toMatch(/^Unavailable: Redis requires a password/)
  })

  it("says that the server lacks the database, and works on no other", async () => {
    expect(await ping(at(right, "/99"))).toMatch(
      /^database refused, Unavailable: Redis has no database 99 for us: ERR DB index/
    )
  })

  it("says that nobody listens", async () => {
    const [port] = await freePorts(1)
    expect(await ping(`redis://127.0.0.1:${port}`)).toMatch(/Redis cannot be reached: connect ECONNREFUSED/)
    expect(await ping(`redis+cluster://127.0.0.1:${port}`)).toBe(
      "Unavailable: Redis cannot be reached: no node of the cluster answers"
    )
    expect(await ping(`redis+sentinel://127.0.0.1:${port}/primary`)).toMatch(
      /^Unavailable: Redis cannot be reached: no Sentinel answers: failed to connect to sentinel 127/
    )
  })

  it("says that the server has as many clients as it takes", async () => {
    const full = await startRedisProcess({ maxclients: "1" })
    try {
      await full.client.ping()
      for (const url of ["", "/1"]) {
        // Its words may be lost with the connection.
        expect(await ping(`redis://127.0.0.1:${full.port}${url}`)).toMatch(
          /^Unavailable: Redis .*has as many clients as it takes \(maxclients\)/
        )
      }
    } finally {
      await full.stop()
    }
  })
})

describe.runIf(hasOpenssl)("a connection by TLS", () => {
  let folder: string
  let authority: ClientAuthority
  let server: RedisProcess
  const file = (name: string) => join(folder, name)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "rackwire-redis-tls-"))
    authority = makeClientAuthority()
    writeFileSync(file("ca.pem"), authority.certificate)
    for (const [name, { cert, key }] of [
      ["server", authority.server],
      ["client", authority.issue("client")]
    ] as const) {
      writeFileSync(file(`${name}.pem`), cert)
      writeFileSync(file(`${name}.key`), key)
    }
    server = await startRedisProcess(
      {
        ...{ "tls-cert-file": file("server.pem"), "tls-key-file": file("server.key") },
        ...{ "tls-ca-cert-file": file("ca.pem"), "tls-auth-clients": "yes" }
      },
      { tls: true }
    )
  })

  afterAll(async () => {
    await server.stop()
    authority.remove()
    rmSync(folder, { recursive: true })
  })

  const at = (query: string) => `rediss://localhost:${server.port}?${query}`
  const own = () => `ssl_certfile=${file("client.pem")}&ssl_keyfile=${file("client.key")}`

  it("succeeds with a client certificate, and with another one that takes its place", async () => {
    const url = at(`family=4&ssl_ca_certs=${file("ca.pem")}&${own()}`)
    expect(await ping(url)).toBe("PONG")
    const { cert, key } = authority.issue("another")
    writeFileSync(file("client.pem"), cert)
    writeFileSync(file("client.key"), key)
    expect(await ping(url)).toBe("PONG")
  })

  it("says that a client certificate is required", async () => {
    expect(await ping(at(`family=4&ssl_ca_certs=${file("ca.pem")}`))).toMatch(
      /Redis cannot be reached: TLS: it requires a client certificate \(ssl_certfile, ssl_keyfile\)/
    )
  })

  it("says that the authority of the server's certificate is unknown", async () => {
    expect(await ping(at(`family=4&${own()}`))).toMatch(
      /Redis cannot be reached: TLS: the authority of its certificate is unknown \(ssl_ca_certs\)/
    )
  })

  it("says that one side speaks TLS and the other does not", async () => {
    expect(await ping(`redis://127.0.0.1:${server.port}`)).toMatch(/Redis cannot be reached: .*TLS/)
    const plain = await startRedisProcess()
    try {
      expect(await ping(`rediss://127.0.0.1:${plain.port}`)).toMatch(/Redis cannot be reached: .* not speak TLS/)
    } finally {
      await plain.stop()
    }
  })
})
