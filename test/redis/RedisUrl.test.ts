import { describe, expect, it } from "vitest"
import { redisAddressOf, redisUrlProblem } from "../../src/redis/RedisUrl.ts"

describe("an address", () => {
  it.each([
    ["redis://host", { kind: "server", hosts: [{ host: "host", port: 6379 }], database: 0, tls: undefined }],
    ["redis://[::1]:7000/3", { hosts: [{ host: "::1", port: 7000 }], database: 3 }],
    ["redis://:pa%2Fss%40%25@host:6380", { username: "", password: "pa/ss@%", hosts: [{ host: "host", port: 6380 }] }],
    ["redis://me:p@ss:word@host", { username: "me", password: "p@ss:word" }],
    ["redis://host?db=4&family=6", { database: 4, family: 6 }],
    ["/run/redis.sock?db=2", { kind: "server", path: "/run/redis.sock", hosts: [], database: 2 }],
    ["rediss://host", { tls: {} }],
    [
      "redis+cluster://me:secret@one:6379,two",
      {
        kind: "cluster",
        username: "me",
        hosts: [
          { host: "one", port: 6379 },
          { host: "two", port: 6379 }
        ]
      }
    ],
    [
      "rediss+sentinel://me:secret@one,two:26380/my%20primary/5?sentinel_username=s&sentinel_password=x%40y",
      {
        ...{ kind: "sentinel", primary: "my primary", database: 5, tls: {}, username: "me", password: "secret" },
        ...{ sentinelUsername: "s", sentinelPassword: "x@y" },
        hosts: [
          { host: "one", port: 26_379 },
          { host: "two", port: 26_380 }
        ]
      }
    ]
  ])("%s is read", (url, expected) => {
    expect(redisAddressOf(url)).toMatchObject(expected)
  })

  it.each([
    ["http://host", /^the value is not an address like redis:/],
    ["redis://:s3cret/x@host", /must be percent-encoded: %40, %2F, %3F, %23/],
    ["redis://:s3cret#x@host", /must be percent-encoded/],
    ["redis://:s3cret?x@host", /must be percent-encoded/],
    ["redis://:s3cret%x@host", /a % .* must be percent-encoded: %25/],
    ["redis://host/0#x", /no part behind #/],
    ["redis://host/first", /the database "first" is not a number/],
    ["redis://one,two", /several hosts need redis\+cluster:\/\/ or redis\+sentinel:\/\//],
    ["redis+cluster://one,two/3", /a cluster has no other database than 0/],
    ["redis+sentinel://one,two", /the name of the primary is missing/],
    ["redis://host:99999999", /is no host/],
    ["redis://host?family=5", /family=5 is not 4 or 6/],
    ["redis://host?keyPrefix=x", /the parameter keyPrefix is not known here/],
    ["redis://host?sentinel_password=x", /the parameter sentinel_password is not known here/],
    ["redis://host?ssl_certfile=x", /the parameter ssl_certfile is not known here/],
    ["rediss://host?ssl_ca_certs=/nowhere/ca.pem", /ssl_ca_certs: ENOENT/],
    [`rediss://host?ssl_certfile=${import.meta.filename}`, /needs both ssl_certfile and ssl_keyfile/]
  ])("%s is refused, without its secrets", (url, problem) => {
    expect(redisUrlProblem(url)).toMatch(problem)
    expect(redisUrlProblem(url)).not.toContain("s3cret")
  })
})
