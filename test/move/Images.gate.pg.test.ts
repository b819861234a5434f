/** Images are moved with their files, each checked as an upload is; a hostile name or file reads nothing else. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { imageBytesMax } from "../../src/inventory/image/ImageField.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { png } from "../support/Images.ts"
import { moveInto, schema, verifyInto } from "./Source.ts"

let source: TestDatabase
let target: TestDatabase
let folder: string

const files = ["rack.png", "missing.png", "../secret.png", "link.png", "drawing.svg", "large.png", "."]

beforeAll(async () => {
  source = await makeEmptyDatabase()
  target = await makeDatabase()
  folder = mkdtempSync(join(tmpdir(), "rackwire-media-"))
  const images = join(folder, "media", "image-attachments")
  mkdirSync(images, { recursive: true })
  writeFileSync(join(images, "rack.png"), png(640, 480))
  writeFileSync(join(folder, "secret.png"), png(1, 1))
  writeFileSync(join(folder, "media", "secret.png"), png(1, 1))
  symlinkSync(join(folder, "secret.png"), join(images, "link.png"))
  writeFileSync(join(images, "drawing.svg"), "<svg onload='alert(1)'/>")
  writeFileSync(join(images, "large.png"), png(1, 1))
  truncateSync(join(images, "large.png"), imageBytesMax + 1)
  const rows = files.map((file, at) => `(${at + 1}, 1, 1, 'image-attachments/${file}', 1, 1, 'Image ${at + 1}', now())`)
  for (const statement of [
    ...schema,
    "create table extras_imageattachment (id bigint primary key, content_type_id int, object_id bigint, image text, image_height int, image_width int, name text, created timestamptz, last_updated timestamptz)",
    "insert into dcim_site (id, name, slug, status, time_zone, facility) values (1, 'One', 'one', 'active', '', '')",
    `insert into extras_imageattachment (id, content_type_id, object_id, image, image_height, image_width, name, created) values ${rows.join(", ")}`
  ]) {
    await source.sql.query(statement)
  }
})
// As if nothing had been moved.
beforeEach(() => target.sql.query("with w as (delete from dcim_site) delete from rackwire_moved"))
afterAll(async () => {
  await Promise.all([source.drop(), target.drop()])
  rmSync(folder, { recursive: true })
})

const moved = (media?: string) => moveInto({ from: source.databaseUrl, to: target.databaseUrl, media })
const reasons = ({ findings }: Awaited<ReturnType<typeof moved>>) =>
  findings.flatMap((each) => (each.kind === "refused" ? [[each.id, each.reason]] : [])).toSorted()

describe("an image", () => {
  test("is stored with the size and the bytes of its file; other files are refused, each with the reason", async () => {
    expect(reasons(await moved(join(folder, "media")))).toEqual([
      [2, "The file cannot be read: ENOENT."],
      [4, "The file is outside of the media folder."],
      [5, expect.stringContaining("Upload a valid image.")],
      [6, `The image has more than ${imageBytesMax} bytes.`],
      [7, "The file is no file."]
    ])
    const stored = await target.sql.query(
      `select i.id::int as id, image_width::int as width, image_height::int as height, octet_length(p.bytes) as bytes
         from extras_imageattachment i join rackwire_image_part p on p.attachment_id = i.id order by 1`
    )
    expect(stored).toEqual([
      { id: 1, width: 640, height: 480, bytes: png(640, 480).length },
      // Inside of the media folder, though not in the folder of images.
      { id: 3, width: 1, height: 1, bytes: png(1, 1).length }
    ])
    const { deviations } = await verifyInto({ from: source.databaseUrl, to: target.databaseUrl })
    expect(deviations.map(({ id, kind, fields }) => [id, kind, fields])).toEqual(
      [2, 4, 5, 6, 7].map((id) => [id, "missing here", []])
    )
  })

  test("is refused without the media folder", async () => {
    expect(reasons(await moved())).toEqual(files.map((_, at) => [at + 1, "Its file is not moved without --media."]))
    expect(await target.sql.query("select id from extras_imageattachment")).toEqual([])
  })
})
