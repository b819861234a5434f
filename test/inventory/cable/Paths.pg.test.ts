/** Paths over cables and panels, written by plain SQL: the scenarios of NetBox's own suite. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Net } from "./Net.ts"
import { thorough } from "../../support/Seed.ts"

let net: Net

beforeEach(async () => {
  net = await Net.make()
})
afterEach(() => net.close())

const sql = (statement: string) => net.database.sql.query<Record<string, unknown>>(statement)
describe("a path", () => {
  it.each([
    ["i1 i2", "i1-i2", { i1: "i1-i2 complete", i2: "i2-i1 complete" }],
    ["c1 s1", "c1-s1", { c1: "c1-s1 complete", s1: "s1-c1 complete" }],
    ["p1 o1", "p1-o1", { p1: "p1-o1 complete", o1: "o1-p1 complete" }],
    ["p1 w1", "w1-p1", { p1: "p1-w1 complete", w1: "w1-p1 complete" }],
    ["i1 i2 i3", "i1-i2+i3", { i1: "i1-i2+i3 complete", i3: "i2+i3-i1 complete" }],
    ["i1 i2 i3 i4", "i1+i2-i3+i4", { i1: "i1+i2-i3+i4 complete", i4: "i3+i4-i1+i2 complete" }],
    ["i1", "", { i1: "none" }]
  ])("over one cable between %s", async (ports, cables, paths) => {
    await net.ports(ports)
    if (cables !== "") await net.cables(cables)
    for (const [port, path] of Object.entries(paths)) expect(await net.path(port)).toBe(path)
  })

  it("leads through a front and a rear port, and ends where nothing is connected", async () => {
    await net.ports("i1 i2 r1 f1@r1")
    await net.cables("i1-f1")
    expect(await net.pathsOf("i1")).toEqual(["i1-f1 r1 open"])
    expect(await net.stored("i1")).toEqual(["", true])
    await net.cables("r1-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual(["i1-f1 r1-i2 complete", "i2-r1 f1-i1 complete"])
    expect([await net.stored("i1"), await net.stored("i2")]).toEqual([
      ["i2", true],
      ["i1", true]
    ])
  })

  it("leads through breakouts on one side", async () => {
    await net.ports("i1 i2 i3 i4 r1:2 f1@r1:1 f2@r1:2 r2:2 f3@r2:1 f4@r2:2")
    await net.cables("i1-f1+f2, r1-r2, f3+f4-i3+i4")
    expect(await net.pathsOf("i1", "i3")).toEqual([
      "i1-f1+f2 r1-r2 f3+f4-i3+i4 complete",
      "i3+i4-f3+f4 r2-r1 f1+f2-i1 complete"
    ])
    await sql("delete from dcim_cable where b_type = 'dcim.interface'")
    await net.cables("f3-i3, f4-i4")
    // The two ends of the first cable lead to two cables.
    expect(await net.pathsOf("i1", "i3", "i4")).toEqual([
      "i1-f1+f2 r1-r2 split",
      "i3-f3 r2-r1 f1-i1 complete",
      "i4-f4 r2-r1 f2-i1 complete"
    ])
  })

  it("keeps several paths through rear ports of many positions apart", async () => {
    await net.ports("i1 i2 i3 i4 r1:4 f1@r1:1 f2@r1:2 r2:4 f3@r2:1 f4@r2:2")
    await net.cables("i1-f1, i2-f2, r1-r2, f3-i3, f4-i4")
    expect(await net.pathsOf("i1", "i2", "i3", "i4")).toEqual([
      "i1-f1 r1-r2 f3-i3 complete",
      "i2-f2 r1-r2 f4-i4 complete",
      "i3-f3 r2-r1 f1-i1 complete",
      "i4-f4 r2-r1 f2-i2 complete"
    ])
  })

  it("leads through trunks in trunks", async () => {
    await net.ports("i1 i2 r1:4 f1@r1:1 r2:4 f2@r2:1 r3:2 f3@r3:2 r4:2 f4@r4:2 r5 f5@r5 r6 f6@r6")
    await net.cables("i1-f1, r1-f3, r3-f5, r5-r6, f6-r4, f4-r2, f2-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual([
      "i1-f1 r1-f3 r3-f5 r5-r6 f6-r4 f4-r2 f2-i2 complete",
      "i2-f2 r2-f4 r4-f6 r6-r5 f5-r3 f3-r1 f1-i1 complete"
    ])
  })

  it("leads through two panels in a row, and over patch cables between them", async () => {
    await net.ports("i1 i2 r1 f1@r1 r2 f2@r2 r3 f3@r3 r4 f4@r4")
    await net.cables("i1-f1, r1-r2, f2-f3, r3-r4, f4-i2")
    expect(await net.pathsOf("i1")).toEqual(["i1-f1 r1-r2 f2-f3 r3-r4 f4-i2 complete"])
  })

  it("is split at a rear port of many positions that faces an endpoint, and complete the other way", async () => {
    await net.ports("i1 i2 i3 r1:4 f1@r1:1 f2@r1:2")
    await net.cables("i1-r1, f1-i2, f2-i3")
    expect(await net.pathsOf("i1", "i2", "i3")).toEqual(["i1-r1 split", "i2-f1 r1-i1 complete", "i3-f2 r1-i1 complete"])
    expect(await net.stored("i1")).toEqual(["", true])
  })

  it("ends at a rear port without front ports, and continues when one is made, moved and deleted", async () => {
    await net.ports("i1 i2 i3 r1:1 r2:2 f2@r2:1 r3:2")
    await net.cables("i1-f2, r2-r3")
    expect(await net.pathsOf("i1")).toEqual(["i1-f2 r2-r3 open"])
    await net.ports("f3@r3:2")
    await net.cables("f3-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual(["i1-f2 r2-r3 open", "i2-f3 r3-r2 open"])
    await sql(`update dcim_frontport set rear_port_position = 1 where id = ${net.idOf("f3")}`)
    expect(await net.stored("i1")).toEqual(["i2", true])
    await net.ports("f4@r3:2")
    expect(await net.stored("i1")).toEqual(["i2", true])
    await sql(`delete from dcim_frontport where id = ${net.idOf("f3")}`)
    expect([await net.stored("i1"), await net.stored("i2")]).toEqual([
      ["", true],
      ["", null]
    ])
  })

  it("leads from rear port to rear port", async () => {
    await net.ports("i1 i2 r1 f1@r1 r2 f2@r2")
    await net.cables("i1-r1, f1-f2, r2-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual(["i1-r1 f1-f2 r2-i2 complete", "i2-r2 f2-f1 r1-i1 complete"])
  })

  thorough("leads through four positions in two groups of two", async () => {
    await net.ports("i1 i2 i3 i4 r1:4 f1@r1:1 f2@r1:2 f3@r1:3 f4@r1:4 r2:4 f5@r2:1 f6@r2:2 f7@r2:3 f8@r2:4")
    await net.cables("i1-f1+f2, i2-f3+f4, r1-r2, f5+f6-i3, f7+f8-i4")
    expect(await net.pathsOf("i1", "i4")).toEqual([
      "i1-f1+f2 r1-r2 f5+f6-i3 complete",
      "i4-f7+f8 r2-r1 f3+f4-i2 complete"
    ])
  })

  it("leads through several rear ports of one position each, and is split at several of more", async () => {
    await net.ports("i1 i2 r1 f1@r1 r2 f2@r2 r3:2 f3@r3 r4:2 f4@r4")
    await net.cables("i1-f1+f2, r1+r2-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual(["i1-f1+f2 r1+r2-i2 complete", "i2-r1+r2 f1+f2-i1 complete"])
    await net.ports("i3")
    await net.cables("i3-f3+f4")
    expect(await net.pathsOf("i3")).toEqual(["i3-f3+f4 split"])
  })

  it("is as active as its cables", async () => {
    await net.ports("i1 i2 r1 f1@r1 r2 f2@r2")
    const [, trunk] = await net.cables("i1-f1, r1-r2, f2-i2")
    await sql(`update dcim_cable set status = 'planned' where id = ${trunk}`)
    expect(await net.pathsOf("i1")).toEqual(["i1-f1 r1-r2 f2-i2 complete inactive"])
    expect(await net.stored("i2")).toEqual(["i1", false])
    await sql(`update dcim_cable set status = 'connected' where id = ${trunk}`)
    expect(await net.stored("i2")).toEqual(["i1", true])
  })

  thorough("follows a cable that loses an end, gets other ends, and is deleted", async () => {
    await net.ports("i1 i2 i3 r1 f1@r1 r2 f2@r2")
    const [first, trunk] = await net.cables("i1+i2-f1, r1-r2, f2-i3")
    expect(await net.stored("i3")).toEqual(["i1+i2", true])
    await sql(`delete from dcim_interface where id = ${net.idOf("i2")}`)
    expect(await net.stored("i3")).toEqual(["i1", true])
    await net.ports("i4")
    await sql(`update dcim_cable set a_terminations = '{${net.idOf("i4")}}' where id = ${first}`)
    expect([await net.stored("i3"), await net.stored("i1")]).toEqual([
      ["i4", true],
      ["", null]
    ])
    await sql(`delete from dcim_cable where id = ${trunk}`)
    expect([await net.pathsOf("i3"), await net.stored("i3")]).toEqual([["i3-f2 r2 open"], ["", true]])
  })

  thorough("continues where a rear port has one position instead of many", async () => {
    await net.ports("i1 i2 r1:2 f1@r1:1")
    await net.cables("i1-r1, f1-i2")
    expect(await net.pathsOf("i1")).toEqual(["i1-r1 split"])
    await sql(`update dcim_rearport set positions = 1 where id = ${net.idOf("r1")}`)
    expect(await net.stored("i1")).toEqual(["i2", true])
  })

  it("leads through a circuit, and ends where it has no other end", async () => {
    await net.ports("i1 i2 a1")
    await net.cables("i1-a1")
    expect([await net.path("i1"), await net.stored("i1")]).toEqual(["i1-a1 open", ["", true]])
    await net.ports("z1")
    expect(await net.path("i1")).toBe("i1-a1 z1>site open")
    expect(await net.stored("i1")).toEqual(["", true])
    await net.cables("z1-i2")
    expect(await net.pathsOf("i1", "i2")).toEqual(["i1-a1 z1-i2 complete", "i2-z1 a1-i1 complete"])
    expect([await net.stored("i1"), await net.stored("i2")]).toEqual([
      ["i2", true],
      ["i1", true]
    ])
    await sql(`delete from circuits_circuittermination where id = ${net.idOf("a1")}`)
    expect([await net.stored("i1"), await net.path("i2")]).toEqual([["", null], "i2-z1 open"])
  })

  it("ends in the network of a provider", async () => {
    await net.ports("i1 a1 n1 a2 z2")
    await net.cables("i1-a1")
    expect([await net.path("i1"), await net.stored("i1")]).toEqual(["i1-a1 n1>network complete", ["network", true]])
    await sql(
      `update circuits_circuittermination set provider_network_id = null, site_id = 1 where id = ${net.idOf("n1")}`
    )
    expect([await net.path("i1"), await net.stored("i1")]).toEqual(["i1-a1 n1>site open", ["", true]])
    // The other end moves to another circuit, and this one gets that circuit's end.
    await sql(`delete from circuits_circuittermination where id = ${net.idOf("z2")}`)
    await sql(
      `update circuits_circuittermination set circuit_id = 2, provider_network_id = 1, site_id = null where id = ${net.idOf("n1")}`
    )
    expect(await net.stored("i1")).toEqual(["", true])
    await sql("update circuits_circuittermination set circuit_id = 3 - circuit_id where term_side = 'Z'")
    expect(await net.stored("i1")).toEqual(["network", true])
    await sql("delete from circuits_circuit where id = 1")
    expect([await net.path("i1"), await net.stored("i1")]).toEqual(["none", ["", null]])
  })

  thorough("leads through two circuits in a row, ports and breakouts between them", async () => {
    await net.ports("i1 i2 a1 z1 a2 z2 r1 f1@r1 r2:2 f2@r2:1 f3@r2:2 i3")
    await net.cables("i1-a1, z1-a2, z2-i2")
    expect(await net.path("i1")).toBe("i1-a1 z1-a2 z2-i2 complete")
    expect(await net.stored("i2")).toEqual(["i1", true])
    await sql("delete from dcim_cable where a_type = 'circuits.circuittermination'")
    await net.cables("z1-f1, r1-r2, f2-i2, f3-i3")
    // The circuit leads to one cable, and the trunk behind it to two positions.
    expect(await net.pathsOf("i1", "i2")).toEqual(["i1-a1 z1-f1 r1-r2 split", "i2-f2 r2-r1 f1-z1 a1-i1 complete"])
    await net.ports("i4 a3 z3 a4 z4")
    await net.cables("i4-a3+a4")
    expect(await net.path("i4")).toBe("i4-a3+a4 split")
  })

  it("keeps the ends of a circuit in its row, and no cable in the network of a provider", async () => {
    await net.ports("a1 z1 n2 a3")
    const ends = async () =>
      (await sql("select termination_a_id as a, termination_z_id as z from circuits_circuit order by id")).map(
        ({ a, z }) => [
          ...[a, z].map((id) => (id === null ? null : net.nameOf("circuits.circuittermination", Number(id))))
        ]
      )
    expect(await ends()).toEqual([
      ["a1", "z1"],
      [null, "n2"],
      ["a3", null]
    ])
    await sql(`update circuits_circuittermination set circuit_id = 2 where id = ${net.idOf("a1")}`)
    await sql(`update circuits_circuittermination set term_side = 'Z' where id = ${net.idOf("a3")}`)
    await sql(`delete from circuits_circuittermination where id = ${net.idOf("z1")}`)
    expect(await ends()).toEqual([
      [null, null],
      ["a1", "n2"],
      [null, "a3"]
    ])
    await net.ports("i1")
    await expect(net.cables("i1-n2")).rejects.toThrow("network")
  })

  thorough("has 12 hops", async () => {
    const numbers = Array.from({ length: 12 }, (_, at) => at + 1)
    await net.ports(`i1 i2 ${numbers.map((n) => `r${n} f${n}@r${n}`).join(" ")}`)
    const between = numbers.slice(1).map((n) => (n % 2 === 0 ? `r${n - 1}-r${n}` : `f${n - 1}-f${n}`))
    await net.cables(["i1-f1", ...between, "f12-i2"].join(", "))
    expect((await net.trace("i1")).steps).toHaveLength(13)
    expect(await net.stored("i2")).toEqual(["i1", true])
  })
})
