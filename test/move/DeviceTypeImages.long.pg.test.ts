/** Device types are moved with their images, and without those whose files are missing or refused. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { gif, png } from "../support/Images.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase
let folder: string

const images = (file: string) => `devicetype-images/${file}`

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  folder = mkdtempSync(join(tmpdir(), "rackwire-media-"))
  const below = join(folder, "devicetype-images")
  mkdirSync(below)
  writeFileSync(join(below, "front.png"), png(640, 480))
  writeFileSync(join(below, "rear.gif"), gif(3, 4))
  writeFileSync(join(below, "drawing.svg"), "<svg onload='alert(1)'/>")
  for (const statement of [
    ...schema,
    "alter table dcim_devicetype add column rear_image text",
    "insert into dcim_manufacturer (id, name, slug) values (1, 'Acme', 'acme')",
    `insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, last_updated, front_image, rear_image)
     select n, 1, 'Model ' || n, 'model-' || n, 1, '2026-01-01', front, rear
       from (values (1, '${images("front.png")}', '${images("rear.gif")}'),
                    (2, '${images("drawing.svg")}', '${images("front.png")}'),
                    (3, '', ''),
                    (4, '${images("gone.png")}', null)) v (n, front, rear)`
  ])
    await source.sql.query(statement)
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
  rmSync(folder, { recursive: true })
})

const moved = async (media?: string) => {
  const { report, findings } = await moveInto({ from: source.databaseUrl, to: target.databaseUrl, media })
  const counts = report.types.find(({ type }) => type === "dcim.devicetype")!
  const left = findings.flatMap((each) => (each.kind === "homeless" ? [[each.id, each.values] as const] : []))
  const others = findings.filter(({ kind }) => kind !== "homeless")
  return { counts, left: left.toSorted((a, b) => Number(a[0]) - Number(b[0])), others }
}

/** The images of each device type: F of the front and R of the rear, `-` for a name without bytes. */
const stored = async () => {
  const rows = await target.sql.query<Readonly<Record<"id" | "front" | "rear", string>>>(
    `select id::text as id, coalesce(front_image, '') as front, coalesce(rear_image, '') as rear from dcim_devicetype order by id`
  )
  const parts = await target.sql.query<{ readonly front: number | null; readonly rear: number | null }>(
    `select dcim_devicetype_front_image::int as front, dcim_devicetype_rear_image::int as rear from rackwire_image_part`
  )
  const has = (side: "front" | "rear", id: string) => parts.some((part) => part[side] === Number(id))
  const sides = [["front", "F"] as const, ["rear", "R"] as const]
  expect(parts.length).toBe(rows.flatMap((row) => sides.filter(([side]) => row[side] !== "")).length)
  return rows.map((row) =>
    sides.map(([side, sign]) => (row[side] === "" ? "" : has(side, row.id) ? sign : "-")).join("")
  )
}

const apart = async () =>
  (await verifyInto({ from: source.databaseUrl, to: target.databaseUrl })).deviations.map(({ id, fields, since }) => [
    ...[id, ...fields],
    since
  ])

describe("a device type", () => {
  test("is moved without its images where there is no folder, and the report names them", async () => {
    const { counts, left, others } = await moved()
    expect(counts).toMatchObject({ rows: 4, created: 4, refused: 0, homeless: 3 })
    const reason = "Its file is not moved without --media."
    const both = { front_image: images("front.png"), rear_image: images("rear.gif") }
    expect(left[0]).toEqual([1, { ...both, reason: `front_image: ${reason} rear_image: ${reason}` }])
    expect([left.map(([id]) => id), others]).toEqual([[1, 2, 4], []])
    expect(await stored()).toEqual(["", "", "", ""])
    expect(await apart()).toEqual([
      [1, "front_image", "rear_image", "neither"],
      [2, "front_image", "rear_image", "neither"],
      [4, "front_image", "neither"]
    ])
    expect(await moved()).toMatchObject({ counts: { unchanged: 4, homeless: 0 }, left: [] })
  })

  test("gets them from a later run with the folder, also where it was changed here", async () => {
    await target.sql.query("update dcim_devicetype set description = 'here' where id in (1, 4)")
    const { counts, left, others } = await moved(folder)
    expect(counts).toMatchObject({ updated: 2, unchanged: 2, homeless: 2, conflicts: 0 })
    expect([left, others]).toEqual([
      [
        [2, { front_image: images("drawing.svg"), reason: expect.stringContaining("Upload a valid image") as string }],
        [4, { front_image: images("gone.png"), reason: "front_image: The file cannot be read: ENOENT." }]
      ],
      []
    ])
    expect(await stored()).toEqual(["FR", "R", "", ""])
    const described = await target.sql.query("select description from dcim_devicetype where id = 1")
    expect(described).toEqual([{ description: "here" }])
    expect(await apart()).toEqual([
      [1, "last_updated", "here"],
      [2, "front_image", "neither"],
      [4, "last_updated", "front_image", "here"]
    ])
    expect(await moved(folder)).toMatchObject({ counts: { updated: 0, unchanged: 4, homeless: 2 } })
  })

  test("follows what is replaced and removed there, and keeps an image whose file is missing now", async () => {
    await source.sql.query(
      `update dcim_devicetype set last_updated = '2026-02-02', front_image = '', rear_image = '${images("front.png")}' where id = 2`
    )
    await source.sql.query(`update dcim_devicetype set front_image = '${images("rear.gif")}' where id = 3`)
    expect((await moved(folder)).counts).toMatchObject({ updated: 2, homeless: 1 })
    expect(await stored()).toEqual(["FR", "R", "F", ""])
    await source.sql.query("update dcim_devicetype set front_image = '', rear_image = 'lost.gif' where id = 3")
    await source.sql.query(`update dcim_devicetype set front_image = '${images("rear.gif")}' where id = 1`)
    // As if it had not been changed here.
    await target.sql.query("update rackwire_moved set state = null")
    await source.sql.query("update dcim_devicetype set model = 'Other' where id = 2")
    const { counts, left } = await moved()
    expect(counts).toMatchObject({ updated: 3 })
    expect(left.map(([id]) => id)).toEqual([1, 2, 3])
    // Another file than the one that is here would be a wrong image.
    expect(await stored()).toEqual(["R", "R", "", ""])
    await moved(folder)
    expect(await stored()).toEqual(["FR", "R", "", ""])
    await target.sql.query(
      "update dcim_devicetype set front_image = 'other_0123456789.png', last_updated = now() where id = 1"
    )
    expect(await apart()).toContainEqual([1, "last_updated", "front_image", "here"])
    await source.sql.query("delete from dcim_devicetype where id = 2")
    await moved(folder)
    expect(await stored()).toEqual(["FR", "", ""])
  })
})
