/** Images of a running NetBox are fetched from its own host with the token; hostile files are left out, each with the reason. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest"
import { imageBytesMax } from "../../../src/inventory/image/ImageField.ts"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"
import { gif, png } from "../../support/Images.ts"
import { apiAt, moveInto, verifyInto } from "../Source.ts"
import { type Instead, netBoxToken, reply, startNetBox } from "./NetBox.ts"
import { choice, usual } from "./Objects.ts"

let target: TestDatabase
beforeAll(async () => {
  target = await makeDatabase()
})
// As if nothing had been moved.
beforeEach(async () => {
  for (const table of ["dcim_devicetype", "dcim_manufacturer", "dcim_site", "rackwire_moved"])
    await target.superuser.query(`delete from ${table}`)
})
afterAll(() => target.drop())

const manufacturer = { id: 1, ...usual, name: "Acme", slug: "acme" }
const site = { id: 1, ...usual, name: "A", slug: "a", status: choice("active"), asns: [] }

/** A device type of a NetBox, with this front image. */
const deviceType = (id: number, front_image: string | null) => ({
  ...{ id, ...usual, manufacturer, model: `M${id}`, slug: `m${id}`, u_height: 1, is_full_depth: true },
  ...{ front_image, rear_image: null }
})

/** A NetBox whose device types have these images, and which answers requests below `/media/` so. */
const start = async (images: ReadonlyArray<string | null>, media: Instead = () => false, attached: object = {}) => {
  const server = await startNetBox({
    version: "3.5.9",
    objects: {
      "dcim/manufacturers": [manufacturer],
      "dcim/sites": [site],
      "dcim/device-types": images.map((image, at) => deviceType(at + 1, image)),
      ...attached
    },
    instead: (path, response, url) => url.pathname.startsWith("/media/") && media(path, response, url)
  })
  onTestFinished(server.stop)
  const limits = { answerMillis: 500, answerBytesMax: 100_000 }
  return { server, both: { from: apiAt(server.url, netBoxToken, { limits }), to: target.databaseUrl } }
}

const bytes: (content: Uint8Array) => Instead = (content) => (_, response) => {
  response.writeHead(200, { "content-type": "image/png" })
  response.end(content)
  return true
}

const rows = (statement: string) => target.superuser.query<Readonly<Record<string, unknown>>>(statement)

/** The reasons of the images that are left out. */
const reasonsOf = (findings: Awaited<ReturnType<typeof moveInto>>["findings"]) =>
  findings.map((each) =>
    each.kind === "homeless" ? (each.values as { readonly reason: string }).reason : `${each.kind}!`
  )

test("images are stored as they are, of attachments too", async () => {
  const { server, both } = await start(["/media/devicetype-images/front%20view.png", null], bytes(png(640, 480)), {
    "extras/image-attachments": [
      {
        ...{ id: 7, url: "x", display: "Hall", content_type: "dcim.site", object_id: 1, parent: { id: 1, url: "x" } },
        ...{ name: "Hall", image: "/media/image-attachments/hall.png", image_height: 1, image_width: 1 },
        ...{ created: "2026-01-01T00:00:00Z", last_updated: "2026-01-01T00:00:00Z" }
      }
    ]
  })
  const { findings } = await moveInto(both)
  expect(findings).toEqual([])
  expect(await rows("select id::int as id, front_image as image from dcim_devicetype order by id")).toEqual([
    { id: 1, image: expect.stringMatching(/^front_20view_\w{10}\.png$/) as string },
    { id: 2, image: null }
  ])
  expect(
    await rows(
      "select id::int as id, name, content_type as of, image_width::int as w, image_height::int as h from extras_imageattachment"
    )
  ).toEqual([{ id: 7, name: "Hall", of: "dcim.site", w: 640, h: 480 }])
  const stored = await rows(
    "select attachment_id::int as a, dcim_devicetype_front_image::int as f, bytes from rackwire_image_part order by a"
  )
  expect(stored.map((row) => ({ ...row, bytes: new Uint8Array(row["bytes"] as Uint8Array) }))).toEqual([
    { a: 7, f: null, bytes: png(640, 480) },
    { a: null, f: 1, bytes: png(640, 480) }
  ])
  expect((await verifyInto(both)).deviations).toEqual([])
  const fetched = server.requests.filter(({ path }) => path.startsWith("/media/"))
  expect(fetched.map(({ path }) => path).toSorted()).toEqual([
    "/media/devicetype-images/front%20view.png",
    "/media/image-attachments/hall.png"
  ])
  expect(new Set(fetched.map(({ token }) => token))).toEqual(new Set([`Token ${netBoxToken}`]))
  // A later run fetches none that it has.
  await moveInto(both)
  expect(server.requests.filter(({ path }) => path.startsWith("/media/"))).toHaveLength(fetched.length)
})

test("the token and requests are for the host of NetBox alone", async () => {
  const received: Array<string | undefined> = []
  const other = createServer((request, response) => {
    received.push(request.url)
    response.end(Buffer.from(gif(1, 1)))
  })
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())))
  const away = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const addresses = [
    `http://${away}/media/a.png`,
    `//${away}/media/a.png`,
    "/media/away.png",
    "ftp://x/a.png",
    `data:image/gif;base64,${Buffer.from(gif(1, 1)).toString("base64")}`,
    "file:///etc/passwd",
    "http://[",
    `http://user@${away}/a.png`
  ]
  const { both } = await start(addresses, (_, response) =>
    reply(response, "", 302, { location: `http://${away}/media/a.png` })
  )
  const { report, findings } = await moveInto(both)
  const { host } = new URL(both.from.url)
  const elsewhere = `front_image: The file is at another host than ${host}.`
  const redirected = expect.stringContaining("another origin, where the token is not sent") as string
  expect(reasonsOf(findings)).toEqual(addresses.map((_, at) => (at === 2 ? redirected : elsewhere)))
  expect(report.types.find(({ type }) => type === "dcim.devicetype")).toMatchObject({ created: 8, homeless: 8 })
  expect(JSON.stringify(findings)).not.toContain(netBoxToken)
  expect(received).toEqual([])
})

test("a file that is missing when it is stored ends the run, and the next one has its bytes", async () => {
  let fetches = 0
  // Two types have one file: it is fetched for the sizes of both, and again to store it.
  const { both } = await start(["/media/a.png", "/media/a.png"], (path, response, url) => {
    fetches += 1
    return fetches === 2 ? reply(response, {}, 404) : bytes(png(640, 480))(path, response, url)
  })
  await expect(moveInto(both)).rejects.toThrow(
    "The file /media/a.png of dcim.devicetype 1 was read, and then not again: GET /media/a.png answers with 404. Run the move again."
  )
  expect(await rows("select from dcim_devicetype")).toEqual([])
  expect((await moveInto(both)).findings).toEqual([])
  expect(
    await rows(
      "select dcim_devicetype_front_image::int as id, length(bytes)::int as bytes from rackwire_image_part order by id"
    )
  ).toEqual([1, 2].map((id) => ({ id, bytes: png(640, 480).length })))
})

test("a file that is no image, too large, missing or never complete is left out", async () => {
  const answers: Readonly<Record<string, Instead>> = {
    "svg.png": bytes(Buffer.from("<svg onload='alert(1)'/>")),
    "large.png": bytes(Buffer.concat([png(1, 1), Buffer.alloc(imageBytesMax)])),
    "missing.png": (_, response) => reply(response, {}, 404),
    "secret.png": (_, response) => reply(response, {}, 403),
    "slow.png": (_, response) => response.write("x") || true,
    "cut.png": (_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("x")
      response.destroy()
      return true
    },
    "good.gif": bytes(gif(3, 4))
  }
  const names = Object.keys(answers)
  const { both } = await start(
    names.map((name) => `/media/${name}`),
    (path, response, url) => answers[url.pathname.split("/").at(-1)!]!(path, response, url)
  )
  const { findings } = await moveInto(both)
  expect(reasonsOf(findings)).toEqual(
    [
      "Upload a valid image",
      `The image has more than ${imageBytesMax} bytes.`,
      "GET /media/missing.png answers with 404.",
      "GET /media/secret.png answers with 403.",
      "GET /media/slow.png cannot be read: no complete answer in time.",
      "GET /media/cut.png cannot be read: "
    ].map((reason) => expect.stringContaining(`front_image: ${reason}`) as string)
  )
  expect(await rows("select id::int as id from dcim_devicetype where front_image is not null")).toEqual([{ id: 7 }])
  expect(await rows("select dcim_devicetype_front_image::int as id from rackwire_image_part")).toEqual([{ id: 7 }])
})
