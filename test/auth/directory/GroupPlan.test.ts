/** The groups of a user after a directory has named some: the rules, and laws of every plan. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type GroupPlan,
  type GroupRules,
  type Member,
  changesNothing,
  groupsMax,
  plainRules,
  planGroups,
  sentNamesMax,
  usedNames
} from "../../../src/auth/directory/GroupPlan.ts"
import { nameCharsMax } from "../../../src/auth/directory/PlainName.ts"

const used = (sent: ReadonlyArray<string>, rules: Partial<GroupRules> = {}) =>
  usedNames(sent, { ...plainRules, ...rules })

const namesOf = (sent: ReadonlyArray<string>, rules: Partial<GroupRules> = {}) => used(sent, rules)?.names

const nobody: Member = { username: "ann", superuser: false, staff: false, groups: [], given: [], existing: [] }

const plan = (member: Partial<Member>, names: ReadonlyArray<string>, rules: Partial<GroupRules> = {}): GroupPlan =>
  planGroups({ ...nobody, ...member }, used(names, rules)!, "oidc", { ...plainRules, ...rules })

describe("names of a directory", () => {
  it("are used once, in form NFC and without spaces at their ends", () => {
    expect(namesOf(["b", " a ", "b", "", "  "])).toEqual(["a", "b"])
    expect(namesOf(["Cafe\u0301", "Caf\u00e9"])).toEqual(["Caf\u00e9"])
    expect(namesOf(["NetOps", "netops", "constructor", "__proto__"])).toEqual([
      "NetOps",
      "__proto__",
      "constructor",
      "netops"
    ])
  })

  it("count with their prefix only, which is removed; the mapping overrides it", () => {
    const mapping = new Map([
      ["CN=Admins,DC=example", ["admins", "staff"]],
      ["/net/interns", []]
    ])
    const sent = ["/net/ops", "/net/interns", "/hr", "CN=Admins,DC=example", "/net/"]
    expect(namesOf(sent, { prefix: "/net/", mapping })).toEqual(["admins", "ops", "staff"])
  })

  it.each([
    ["a".repeat(nameCharsMax + 1), "has more than 150 characters"],
    ["ops\0", "has characters that cannot be stored"],
    ["ops\ud800", "has characters that cannot be stored"],
    ["op\u200bs", "has invisible characters"],
    ["op\u202es", "has invisible characters"],
    ["op\u00ads", "has invisible characters"],
    ["op\u3164s", "has invisible characters"],
    ["net\u00a0ops", "has invisible characters"],
    ["net\nops", "has invisible characters"]
  ])("are not used if they are too long or have hidden parts: %j", (name, fault) => {
    expect(used([name, "ops"])).toEqual({ names: ["ops"], faults: [{ name, fault }] })
  })

  it("are limited in number, before and after the rules choose", () => {
    const many = (count: number, before = "") => Array.from({ length: count }, (_, at) => `${before}${at}`)
    expect(namesOf(many(groupsMax))).toHaveLength(groupsMax)
    expect(namesOf(many(groupsMax + 1))).toBeUndefined()
    expect(namesOf([...many(sentNamesMax - 1), "net-ops"], { prefix: "net-" })).toEqual(["ops"])
    expect(namesOf(many(sentNamesMax + 1), { prefix: "net-" })).toBeUndefined()
    expect(namesOf(many(100_000))).toBeUndefined()
    expect(namesOf(["a".repeat(1_000_000)])).toEqual([])
  })
})

describe("a plan", () => {
  const existing = [
    { id: 1, name: "ops" },
    { id: 2, name: "night shift" }
  ]

  it("creates missing groups only if the rules say so, and none that differs from another in its case alone", () => {
    expect(plan({ existing }, ["ops", "new"])).toMatchObject({ add: [1], create: [], faults: [] })
    expect(plan({ existing }, ["Ops", "ops", "new", "New"], { creates: true })).toMatchObject({
      add: [1],
      create: ["New"],
      faults: [
        { name: "Ops", fault: "differs only in its letters' case from ops" },
        { name: "new", fault: "differs only in its letters' case from New" }
      ]
    })
  })

  it("gives a role by the names of the directory, and never by a membership that somebody gave by hand", () => {
    const superusers = { groups: ["ops"], users: [] }
    expect(plan({ existing, groups: [1] }, [], { superusers }).superuser).toBe(false)
    expect(plan({ existing }, ["ops"], { superusers }).superuser).toBe(true)
    expect(plan({}, ["ops"], { superusers }).superuser).toBe(true)
    expect(plan({}, ["ops"], { superusers: { groups: [], users: ["ann"] } }).superuser).toBe(true)
    expect(plan({}, ["ops"], { superusers: { groups: ["Ops"], users: ["Ann"] } }).superuser).toBe(false)
  })

  it("ends a role that the source gave, and one given by hand only if the source replaces it", () => {
    const rules = { superusers: { groups: ["ops"], users: [] } }
    const given = [{ source: "oidc", groups: [], superuser: true, staff: false }]
    expect(plan({ superuser: true, given }, [], rules).superuser).toBe(false)
    expect(plan({ superuser: true, given }, []).superuser).toBe(false)
    expect(plan({ superuser: true }, [], rules).superuser).toBe(true)
    expect(plan({ superuser: true }, [], { ...rules, replaces: true }).superuser).toBe(false)
    expect(plan({ superuser: true }, [], { replaces: true }).superuser).toBe(true)
  })

  it("gives default groups, which are no reason for a role", () => {
    const rules = { defaults: ["night shift"], superusers: { groups: ["night shift"], users: [] } }
    expect(plan({ existing }, [], rules)).toMatchObject({ add: [2], superuser: false })
  })
})

const ids = [1, 2, 3, 4, 5] as const
const existing = ids.map((id) => ({ id, name: `g${id}` }))
const sources = ["oidc", "proxy"] as const

const someIds = fc.subarray([...ids])

/** A user with memberships by hand and by two sources, some of which were removed by hand since. */
const members = fc.record({
  username: fc.constant("ann"),
  superuser: fc.boolean(),
  staff: fc.boolean(),
  groups: someIds,
  given: fc
    .array(
      fc.record({ source: fc.constantFrom(...sources), groups: someIds, superuser: fc.boolean(), staff: fc.boolean() }),
      {
        maxLength: 4
      }
    )
    .map((all) => sources.flatMap((source) => all.find((given) => given.source === source) ?? [])),
  existing: fc.constant(existing)
})

const names = fc.subarray(["g1", "g2", "g3", "g4", "g5", "new", "other"])

const role = fc.record({ groups: names, users: fc.subarray(["ann", "bob"]) })

const rulesOf = (replaces: fc.Arbitrary<boolean>) =>
  fc.record({
    mapping: fc.constant(new Map()),
    prefix: fc.constant(""),
    creates: fc.boolean(),
    defaults: fc.subarray(["g5", "new"]),
    superusers: role,
    staff: role,
    replaces
  })

/** The user after the plan is stored. */
const after = (member: Member, { add, remove, create, given, superuser, staff }: GroupPlan): Member => {
  const made = create.map((name, at) => ({ id: 100 + at, name }))
  const all = [...member.groups.filter((id) => !remove.includes(id)), ...add, ...made.map(({ id }) => id)]
  const own = { ...given, groups: [...given.groups, ...made.map(({ id }) => id)] }
  return {
    ...member,
    superuser,
    staff,
    groups: all,
    given: [...member.given.filter(({ source }) => source !== given.source), own],
    existing: [...member.existing, ...made]
  }
}

const align = (member: Member, sent: ReadonlyArray<string>, source: string, rules: GroupRules) =>
  after(member, planGroups(member, usedNames(sent, rules)!, source, rules))

describe("every plan", () => {
  it("changes nothing once it is stored", () => {
    fc.assert(
      fc.property(members, names, fc.constantFrom(...sources), rulesOf(fc.boolean()), (member, sent, source, rules) => {
        const stored = align(member, sent, source, rules)
        expect(changesNothing(planGroups(stored, usedNames(sent, rules)!, source, rules), stored)).toBe(true)
      })
    )
  })

  it("adds each named group that exists, once, and leaves no group of its source alone that is not named", () => {
    fc.assert(
      fc.property(members, names, rulesOf(fc.boolean()), (member, sent, rules) => {
        const stored = align(member, sent, "oidc", rules)
        const nameOf = new Map(stored.existing.map(({ id, name }) => [id, name]))
        const wanted = [...sent, ...rules.defaults]
        const has = stored.groups.map((id) => nameOf.get(id)!)
        expect(new Set(has).size).toBe(has.length)
        expect(has).toEqual(
          expect.arrayContaining(
            wanted.filter((name) => rules.creates || existing.some((group) => group.name === name))
          )
        )
        const of = (source: string) => member.given.find((given) => given.source === source)?.groups ?? []
        const alone = of("oidc").filter((id) => !of("proxy").includes(id) && !wanted.includes(nameOf.get(id)!))
        expect(stored.groups.filter((id) => (alone as ReadonlyArray<number>).includes(id))).toEqual([])
      })
    )
  })

  it("keeps memberships by hand unless it replaces them, and memberships of other sources always", () => {
    fc.assert(
      fc.property(members, names, rulesOf(fc.boolean()), (member, sent, rules) => {
        const stored = align(member, sent, "oidc", rules)
        const of = (source: string) => member.given.find((given) => given.source === source)?.groups ?? []
        const byHand = member.groups.filter((id) => !of("oidc").includes(id))
        const kept = byHand.filter((id) => !rules.replaces || of("proxy").includes(id))
        expect(stored.groups).toEqual(expect.arrayContaining(kept))
      })
    )
  })

  it("is undone when the source names nothing any more", () => {
    const sorted = ({ groups, superuser, staff }: Member) => ({
      groups: groups.toSorted((one, other) => Number(one) - Number(other)),
      superuser,
      staff
    })
    fc.assert(
      fc.property(members, names, rulesOf(fc.constant(false)), (before, sent, rules) => {
        // Another source still gives a right that somebody took away by hand: such rights would stay.
        const given = before.given.filter(({ source }) => source !== "oidc")
        const groups = [...new Set<number>([...before.groups, ...given.flatMap((each) => each.groups)])]
        const has = (name: "superuser" | "staff") => before[name] || given.some((each) => each[name])
        const member = { ...before, given, groups, superuser: has("superuser"), staff: has("staff") }
        const ended = align(align(member, sent, "oidc", rules), [], "oidc", plainRules)
        expect(sorted(ended)).toEqual(sorted(member))
      })
    )
  })

  it("makes a superuser only of a user that the directory names, or that was one", () => {
    fc.assert(
      fc.property(members, names, rulesOf(fc.boolean()), (member, sent, rules) => {
        const isNamed =
          rules.superusers.groups.some((name) => sent.includes(name)) || rules.superusers.users.includes("ann")
        const { superuser } = align(member, sent, "oidc", rules)
        expect([isNamed && !superuser, superuser && !isNamed && !member.superuser]).toEqual([false, false])
      })
    )
  })
})
