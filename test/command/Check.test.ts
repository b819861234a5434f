import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { judgeRedis } from "../../src/command/Check.ts"
import { clockFault, judgeWays } from "../../src/command/check/ProviderFindings.ts"
import { proxyFindings } from "../../src/command/check/ProxyFindings.ts"
import { type PostgresFacts, judgePostgres } from "../../src/command/check/PostgresFindings.ts"
import type { RedisFacts } from "../../src/redis/Suitability.ts"

const soundPostgres: PostgresFacts = {
  version: 180_004,
  encoding: "UTF8",
  walLevel: "logical",
  slotsMax: 10,
  slotsUsed: 3,
  sendersMax: 10,
  sendersUsed: 2,
  slotExists: false,
  connectionsMax: 97,
  connectionsNeeded: 34,
  mayReplicate: true,
  mayCreate: true,
  schema: "public",
  user: "inventory",
  database: "rackwire"
}

/** A fact that is wrong, what it is found under, and the statement that mends it. */
interface Wrong<Facts> {
  readonly facts: Partial<Facts>
  readonly what: string
  readonly change: string
}

const wrongPostgres: ReadonlyArray<Wrong<PostgresFacts>> = [
  { facts: { version: 130_014 }, what: "Postgres version", change: "Use Postgres 14 or later." },
  { facts: { encoding: "LATIN1" }, what: "encoding", change: "Create another database:  create database" },
  { facts: { walLevel: "replica" }, what: "wal_level", change: "alter system set wal_level = 'logical';" },
  { facts: { slotsUsed: 10 }, what: "replication slots", change: "alter system set max_replication_slots = 15;" },
  { facts: { sendersUsed: 10 }, what: "WAL senders", change: "alter system set max_wal_senders = 15;" },
  {
    facts: { connectionsNeeded: 102 },
    what: "connections",
    change: "Raise max_connections, or the limit of the role or the database, to 112,"
  },
  { facts: { mayReplicate: false }, what: "right to replicate", change: `alter role "inventory" replication;` },
  {
    facts: { mayCreate: false },
    what: "right to create tables and publications",
    change: `grant create on database "rackwire" to "inventory"; grant create on schema public to "inventory";`
  }
]

const soundRedis: RedisFacts = { version: "6.2.0", eviction: "noeviction", refused: [] }

const wrongRedis: ReadonlyArray<Wrong<RedisFacts>> = [
  { facts: { version: "6.0.16" }, what: "Redis version", change: "Use Redis 6.2 or later, or Valkey." },
  {
    facts: { eviction: "allkeys-lru" },
    what: "Redis eviction",
    change: "config set maxmemory-policy noeviction; config rewrite"
  },
  { facts: { refused: ["XADD"] }, what: "rights in Redis", change: "acl setuser <user> +@all" }
]

/** Findings that ask for a change, and the beginning of the advice, as long as that of the expected one. */
const asked = (findings: ReturnType<typeof judgePostgres>, wrong: ReadonlyArray<Wrong<object>>) =>
  findings
    .filter(({ change }) => change !== undefined)
    .map(({ what, change }) => {
      const length = wrong.find((each) => each.what === what)?.change.length
      return [what, change!.slice(0, length)]
    })

const expected = (wrong: ReadonlyArray<Wrong<object>>) => wrong.map(({ what, change }) => [what, change])

describe("a Postgres", () => {
  test("that keeps the promises needs no change, and each check is reported", () => {
    expect(judgePostgres(soundPostgres)).toEqual([
      { what: "Postgres version", is: "18.4", change: undefined },
      { what: "encoding", is: "UTF8", change: undefined },
      { what: "wal_level", is: "logical", change: undefined },
      { what: "replication slots", is: "3 of 10 used", change: undefined },
      { what: "WAL senders", is: "2 of 10 used", change: undefined },
      { what: "connections", is: "the processes may open 34 of 97", change: undefined },
      { what: "right to replicate", is: "yes", change: undefined },
      { what: "right to create tables and publications", is: "yes", change: undefined }
    ])
  })

  test.each(wrongPostgres)("with one fault needs exactly the change that mends it: $what", (wrong) => {
    expect(asked(judgePostgres({ ...soundPostgres, ...wrong.facts }), wrongPostgres)).toEqual(expected([wrong]))
  })

  test("is asked for all that is wrong at once, and for nothing else", () => {
    fc.assert(
      fc.property(fc.subarray([...wrongPostgres]), (wrongs) => {
        const facts = Object.assign({}, soundPostgres, ...wrongs.map(({ facts }) => facts)) as PostgresFacts
        expect(asked(judgePostgres(facts), wrongPostgres)).toEqual(expected(wrongs))
      })
    )
  })

  test("passes at the limit of each bound", () => {
    const edge = { version: 140_000, slotsUsed: 9, sendersUsed: 9, connectionsNeeded: 97 }
    expect(asked(judgePostgres({ ...soundPostgres, ...edge }), [])).toEqual([])
  })

  test("needs no free slot if ours exists already", () => {
    const findings = judgePostgres({ ...soundPostgres, slotExists: true, slotsUsed: 10 })
    expect(asked(findings, [])).toEqual([])
    expect(findings[3]!.is).toBe("10 of 10 used, ours among them")
  })
})

describe("a Redis", () => {
  test("that keeps the promises needs no change", () => {
    const versions = ["6.2.0", "7.0.0", "7.2.5", "8.6.1", "10.0.0"]
    for (const version of versions) {
      for (const eviction of ["noeviction", "volatile-lru", undefined]) {
        expect(asked(judgeRedis({ version, eviction, refused: [] }), [])).toEqual([])
      }
    }
  })

  test.each(wrongRedis)("with one fault needs exactly the change that mends it: $what", (wrong) => {
    expect(asked(judgeRedis({ ...soundRedis, ...wrong.facts }), wrongRedis)).toEqual(expected([wrong]))
  })

  test("is asked for all that is wrong at once, and for nothing else", () => {
    fc.assert(
      fc.property(fc.subarray([...wrongRedis]), (wrongs) => {
        const facts = Object.assign({}, soundRedis, ...wrongs.map(({ facts }) => facts)) as RedisFacts
        expect(asked(judgeRedis(facts), wrongRedis)).toEqual(expected(wrongs))
      })
    )
  })

  test("is reported with its actual settings", () => {
    const told = judgeRedis({ version: "7.2.5", eviction: undefined, refused: ["XADD", "INFO"] })
    expect(told.map(({ is }) => is)).toEqual(["7.2.5", "not reported", "not XADD, INFO"])
  })
})

test("users whom a proxy names are a finding, with what to do where the service does not start", () => {
  const options = {
    remoteAuthEnabled: true,
    trustedProxies: ["10.0.0.1"],
    remoteAuthHeader: "HTTP_X_REMOTE_USER",
    remoteAuthCreateUsers: false,
    remoteAuthGroupSync: true,
    remoteAuthGroupHeader: "X-Groups",
    remoteAuthGroupSeparator: "|",
    remoteAuthSuperuserGroups: [],
    remoteAuthSuperusers: [],
    remoteAuthStaffGroups: [],
    remoteAuthStaff: []
  }
  expect(proxyFindings({ ...options, remoteAuthEnabled: false })).toEqual([])
  const is =
    "x-remote-user and x-groups from 10.0.0.1; unknown users are refused. The proxy must replace what clients send"
  expect(proxyFindings(options)).toEqual([{ what: "sign-in by a proxy", is, change: undefined }])
  const [wrong] = proxyFindings({ ...options, trustedProxies: [] })
  expect([wrong?.is, wrong?.change]).toEqual([
    "the service does not start",
    expect.stringContaining("Set TRUSTED_PROXIES to the address of the proxy.")
  ])
})

describe("the clock of a provider", () => {
  test("may differ by 30 seconds", () => {
    expect([clockFault(30), clockFault(-30), clockFault(0)]).toEqual([{}, {}, {}])
    expect(clockFault(31).is).toContain("31 seconds ahead of the one of this machine")
    expect(clockFault(-3600)).toEqual({
      is: "answers, and its clock is 3600 seconds behind the one of this machine",
      change: "Set both clocks by NTP: beyond 30 seconds its ID tokens are refused."
    })
  })
})

describe("ways to log in", () => {
  const off = { providers: 0, localLogin: "off", remoteAuthEnabled: false, ldapUrl: [] } as const

  test("are missing where passwords are off, without a provider, a directory and a proxy", () => {
    expect(judgeWays(off).map(({ change }) => change)).toEqual([
      "Set OIDC_ISSUER or LDAP_URL, or LOCAL_LOGIN=superusers."
    ])
    const ways = [
      { providers: 1 },
      { remoteAuthEnabled: true },
      { ldapUrl: ["ldaps://a"] },
      { localLogin: "superusers" },
      { localLogin: "on" }
    ] as const
    for (const way of ways) expect(judgeWays({ ...off, ...way })).toEqual([])
  })
})
