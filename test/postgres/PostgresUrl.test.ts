/** Goal: an address of Postgres has the meaning that libpq gives it; parameters that are not supported are refused by name. */
import { describe, expect, it } from "vitest"
import { addressOf, shownHosts, unfitness, urlProblem } from "../../src/postgres/PostgresUrl.ts"

const hostsOf = (url: string) => addressOf(url).hosts.map(({ host, port }) => [host, port])

describe("an address of Postgres", () => {
  it("is read as libpq reads it", () => {
    const url = "postgresql://al%40ice:p%2Fw@[::1]:6000/in%20ventory?sslmode=disable"
    expect(addressOf(url)).toEqual({
      hosts: [{ host: "::1", port: 6000 }],
      user: "al@ice",
      password: "p/w",
      database: "in ventory",
      tls: undefined,
      connectMillis: undefined,
      target: "read-write",
      options: undefined,
      applicationName: "rackwire"
    })
    expect(shownHosts(addressOf(url))).toBe("[::1]:6000")
  })

  it.each([
    ["postgres://u@one/d", [["one", 5432]]],
    [
      "postgres://u@one:5433,two,[::2]:5434/d",
      [
        ["one", 5433],
        ["two", 5432],
        ["::2", 5434]
      ]
    ],
    [
      "postgres://u@/d?host=one,two&port=5433",
      [
        ["one", 5433],
        ["two", 5433]
      ]
    ],
    [
      "postgres://u@/d?host=one,two&port=5433,5434",
      [
        ["one", 5433],
        ["two", 5434]
      ]
    ],
    ["postgres://u@/d", [["127.0.0.1", 5432]]],
    ["postgres:///d?user=u", [["127.0.0.1", 5432]]],
    ["postgres://u@:5433/d", [["127.0.0.1", 5433]]],
    ["postgres:///d?host=/run/postgresql&user=u", [["/run/postgresql", 5432]]],
    ["postgres://u@/d?host=/run/postgresql&sslmode=require", [["/run/postgresql", 5432]]],
    ["postgres://u:p@%2Frun%2Fpostgresql:5433/d", [["/run/postgresql", 5433]]]
  ])("names hosts: %s", (url, hosts) => {
    expect(hostsOf(url)).toEqual(hosts)
  })

  it("has the parameters of sessions", () => {
    const parameters = "target_session_attrs=primary&connect_timeout=3&application_name=a+b"
    expect(addressOf(`postgres://u:a%2Bb+c@h/d?${parameters}&options=-c%20search_path%3Dinventory`)).toMatchObject({
      password: "a+b+c",
      connectMillis: 3000,
      target: "primary",
      options: "-c search_path=inventory",
      applicationName: "a+b"
    })
  })

  it.each([
    ["mysql://u@h/d", "must begin with postgresql://"],
    ["nonsense", "must begin with postgresql://"],
    ["postgres://h/d", "must name a user and a database"],
    ["postgres://u@h", "must name a user and a database"],
    ["postgres://u@h/d?sslmode=prefer", "sslmode=prefer is not one of disable, require"],
    ["postgres://u@h/d?sslmode=verify-ca&sslrootcert=/no/such", "/no/such"],
    ["postgres://u@h/d?target_session_attrs=any", "target_session_attrs=any is not one of read-write, primary"],
    ["postgres://u@h/d?connect_timeout=0", "connect_timeout=0 is not a number of seconds from 1 to 9999"],
    ["postgres://u@one,two/d?port=1,2,3", "names 2 hosts and 3 ports"],
    ["postgres://u@h:70000/d", "has a port that is not a number from 1 to 65535"],
    ["postgres://u@h/d?pgbouncer=true", "has the parameter pgbouncer, which is not supported; supported are host, port"]
  ])("is refused with the reason: %s", (url, problem) => {
    expect(urlProblem(url)).toContain(problem)
  })

  it.each(["p@ss", "p/ss", "p?ss", "1?s&t", "p%ss", "1@2", "p:/ss", "p%"])(
    "with the password %s is refused without it, and the way to write it is named",
    (password) => {
      const problem = urlProblem(`postgres://u:${password}@h/d`)
      expect(problem).toContain("in a user name or password write @ : / ? % as %40 %3A %2F %3F %25")
      expect(problem).not.toContain(password)
    }
  )

  it.each(["p:ss", "p#ss", "p&ss", "p%40ss", ""])("takes the password %s", (password) => {
    expect(addressOf(`postgres://u:${password}@h/d`).password).toBe(decodeURIComponent(password))
  })
})

describe("a server", () => {
  it.each([
    ["read-write", false, false, undefined],
    ["read-write", false, true, "takes no writes: default_transaction_read_only is on"],
    ["read-write", true, true, "is a standby"],
    ["primary", false, true, undefined],
    ["primary", true, false, "is a standby"]
  ] as const)("for %s, standby %s, read-only %s: %s", (target, isStandby, isReadOnly, fault) => {
    expect(unfitness({ target }, { isStandby, isReadOnly })).toBe(fault)
  })
})
