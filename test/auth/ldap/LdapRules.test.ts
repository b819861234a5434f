/** The options of a directory, and what may be sent to it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { groupRules, isAdmitted, isAskable, ldapProblem } from "../../../src/auth/ldap/LdapRules.ts"
import { Settings } from "../../../src/Config.ts"
import { Environment } from "../../../src/Environment.ts"

const usable = { LDAP_URL: "ldaps://ldap.example.org", LDAP_USER_BASE: "ou=people,dc=example,dc=org" }

const optionsOf = (variables: Readonly<Record<string, string>>) =>
  Effect.runSync(
    Settings.pipe(Effect.provide(Settings.layer), Effect.provideService(Environment, { ...usable, ...variables }))
  )

describe("the options of a directory", () => {
  it.each([
    [{}],
    [{ LDAP_URL: "" }],
    [{ LDAP_URL: "ldaps://a,ldaps://b:1636/" }],
    [{ LDAP_URL: "ldap://a", LDAP_START_TLS: "true" }],
    [{ LDAP_URL: "ldap://127.0.0.1:389,ldap://localhost,ldap://[::1]" }],
    [{ LDAP_USER_BASE: "", LDAP_USER_DN_TEMPLATE: "uid=%(user)s,dc=example" }],
    [{ LDAP_GROUP_BASE: "dc=example", LDAP_REQUIRED_GROUP: "a", LDAP_GROUPS_MAP: '{"a": "b", "c": ["d", "e"]}' }]
  ])("may be %j", (variables) => {
    expect(ldapProblem(optionsOf(variables))).toBeUndefined()
  })

  it.each([
    [{ LDAP_URL: "ldap://ldap.example.org" }, "would send passwords that everybody on the way can read"],
    [{ LDAP_URL: "ldap://localhost.example.org" }, "would send passwords"],
    [{ LDAP_URL: "ldaps://a,ldap://127.example.org" }, "would send passwords"],
    [{ LDAP_START_TLS: "true" }, "is encrypted without StartTLS"],
    [{ LDAP_URL: "https://a" }, "is not an address like"],
    [{ LDAP_URL: "a.example" }, "is not an address like"],
    [{ LDAP_URL: "ldaps://u:p@a" }, "has more than a host and a port"],
    [{ LDAP_URL: "ldaps://a/dc=example?uid" }, "has more than a host and a port"],
    [{ LDAP_BIND_DN: "cn=reader" }, "LDAP_BIND_PASSWORD: is not set"],
    [{ LDAP_USER_BASE: "" }, "LDAP_USER_BASE: set it, or LDAP_USER_DN_TEMPLATE"],
    [{ LDAP_USER_DN_TEMPLATE: "uid=%(user)s,dc=a" }, "and not both"],
    [{ LDAP_USER_BASE: "", LDAP_USER_DN_TEMPLATE: "%(user)s@example.org" }, "could let one user log in as another"],
    [{ LDAP_USER_BASE: "", LDAP_USER_DN_TEMPLATE: "uid=ana,dc=a" }, "expected the name of an entry with %(user)s"],
    [{ LDAP_USER_FILTER: "(uid=ana)" }, "it would find the same entry for every name"],
    [{ LDAP_GROUP_BASE: "dc=a", LDAP_GROUPS_MAP: '{"a": 7}' }, 'LDAP_GROUPS_MAP: "a" must be the name of a group'],
    [{ LDAP_REQUIRED_GROUP: "staff" }, "LDAP_REQUIRED_GROUP: it has no effect without LDAP_GROUP_BASE"],
    [{ LDAP_SUPERUSER_GROUPS: "staff" }, "LDAP_SUPERUSER_GROUPS: it has no effect"]
  ])("are refused: %j", (variables, words) => {
    expect(ldapProblem(optionsOf(variables))).toContain(words)
  })

  it("make rules of groups", () => {
    const variables = {
      LDAP_GROUPS_MAP: '{"NetOps": "operators", "DC": ["operators", "sites"]}',
      LDAP_GROUPS_PREFIX: "rw-",
      LDAP_GROUPS_CREATE: "true",
      LDAP_SUPERUSER_GROUPS: "admins"
    }
    expect(groupRules(optionsOf(variables))).toMatchObject({
      mapping: new Map([
        ["NetOps", ["operators"]],
        ["DC", ["operators", "sites"]]
      ]),
      prefix: "rw-",
      creates: true,
      superusers: { groups: ["admins"], users: [] }
    })
  })

  it("may name a group whose members alone log in, whatever the case of its letters", () => {
    const options = optionsOf({ LDAP_REQUIRED_GROUP: "Staff" })
    expect([["staff"], ["STAFF", "b"], ["staffs"], []].map((groups) => isAdmitted(groups, options))).toEqual([
      ...[true, true, false, false]
    ])
    expect(isAdmitted([], optionsOf({}))).toBe(true)
  })
})

describe("a name and a password", () => {
  it.each([
    ["ana", "secret", true],
    ["ana", "", false],
    ["", "secret", false],
    ["ana", "a\0b", false],
    ["a\u200bna", "secret", false],
    ["a".repeat(151), "secret", false],
    ["ana", "x".repeat(1025), false]
  ])("%j and %j may be sent: %s", (name, password, may) => {
    expect(isAskable(name, password)).toBe(may)
  })
})
