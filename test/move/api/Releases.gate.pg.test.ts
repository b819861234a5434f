/** Answers of NetBox 4.2 and 3.1: names that changed since or before 3.5. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"
import { apiAt, moveInto, verifyInto } from "../Source.ts"
import { netBoxToken, startNetBox } from "./NetBox.ts"
import { newer } from "./NetBox42.ts"
import { choice, device, nested, port, stamps, usual } from "./Objects.ts"
import { thorough } from "../../support/Seed.ts"

let target: TestDatabase
const opened: Array<{ readonly stop: () => Promise<void> }> = []
beforeEach(async () => {
  target = await makeDatabase()
})
afterEach(async () => {
  await target.drop()
  for (const each of opened.splice(0)) await each.stop()
})

const start = async (netBox: Parameters<typeof startNetBox>[0]) => {
  const server = await startNetBox(netBox)
  opened.push(server)
  return { server, both: { from: apiAt(server.url, netBoxToken), to: target.databaseUrl } }
}

const rowsOf = async (columns: string, table: string) => {
  const rows = await target.superuser.query<{ readonly row: unknown }>(
    `select to_jsonb(t) as row from (select ${columns} from ${table} order by id) t`
  )
  return rows.map(({ row }) => row)
}

/** The image of a device type, which is at another host. */
const withoutImage = [{ type: "dcim.devicetype", id: 1, fields: ["front_image"] }]

describe("release 4.2", () => {
  test("is moved with the names of 3.5", async () => {
    const { server, both } = await start(newer)
    const { report, findings } = await moveInto(both)
    expect(report.release).toBe("4.2")
    expect(findings.filter(({ kind }) => kind !== "homeless")).toEqual([])
    expect(report.unreadable).toEqual([])
    expect(await rowsOf("device_role_id, rack_id, position, tags, custom_fields", "dcim_device")).toEqual([
      {
        device_role_id: 1,
        rack_id: null,
        position: null,
        tags: [9],
        custom_fields: { owner: 1, colour: "red", raw: { id: 7, url: "kept" } }
      },
      { device_role_id: 1, rack_id: 1, position: 3, tags: [], custom_fields: {} },
      { device_role_id: 1, rack_id: null, position: null, tags: [], custom_fields: {} }
    ])
    expect(await rowsOf("id, site_id as site", "ipam_prefix")).toEqual([
      ...[
        { id: 1, site: 1 },
        { id: 2, site: 1 },
        { id: 3, site: null },
        { id: 4, site: null }
      ]
    ])
    expect(await rowsOf("type", "dcim_rack")).toEqual([{ type: "4-post-frame" }])
    expect(await rowsOf("units", "dcim_rackreservation")).toEqual([{ units: [3, 4] }])
    expect(await rowsOf("site_id as site", "virtualization_cluster")).toEqual([{ site: 1 }])
    expect(await rowsOf("disk", "virtualization_virtualmachine")).toEqual([{ disk: 21 }])
    expect(await rowsOf("min_vid, max_vid, scope_type", "ipam_vlangroup")).toEqual([
      { min_vid: 10, max_vid: 40, scope_type: "dcim.site" }
    ])
    expect(await rowsOf("mac_address, cable_id as cable", "dcim_interface")).toEqual([
      ...[
        { mac_address: "00:00:5e:00:53:01", cable: 7 },
        { mac_address: null, cable: 7 }
      ]
    ])
    expect(await rowsOf("id, cable_end as side, termination_id as port", "dcim_cabletermination")).toEqual([
      ...[
        { id: 31, side: "A", port: 1 },
        { id: 32, side: "B", port: 2 }
      ]
    ])
    expect(
      await rowsOf("name, type, content_types, object_type, choices, ui_visibility", "extras_customfield")
    ).toMatchObject([
      {
        name: "owner",
        type: "object",
        content_types: ["dcim.device"],
        object_type: "tenancy.tenant",
        ui_visibility: "hidden-ifunset"
      },
      { name: "colour", type: "select", choices: ["red", "blue"] },
      { name: "raw", type: "json", object_type: null }
    ])
    expect(
      await rowsOf("name, enabled, payload_url, type_create, type_update, content_types", "extras_webhook")
    ).toEqual([
      {
        name: "sites",
        enabled: false,
        payload_url: "https://example.com/",
        type_create: true,
        type_update: false,
        content_types: ["dcim.site"]
      }
    ])
    expect(await rowsOf("tags, sites", "extras_configcontext")).toEqual([{ tags: [9], sites: [1] }])
    expect(await rowsOf("object_types, groups, users", "users_objectpermission")).toEqual([
      { object_types: ["dcim.site"], groups: [2], users: [1] }
    ])
    expect(await rowsOf("username, password, is_superuser as root, groups", "users_user")).toEqual([
      { username: "ada", password: "!", root: false, groups: [2] }
    ])
    expect(await rowsOf("name, identifier", "ipam_l2vpn")).toEqual([{ name: "L", identifier: 5 }])
    expect(await rowsOf("id", "users_token")).toEqual([])
    const homeless = findings.filter(({ kind }) => kind === "homeless")
    expect(homeless.map(({ table, id }) => `${table} ${id}`).sort()).toEqual([
      ...[
        "dcim_devicetype 1",
        "dcim_macaddress 22",
        "dcim_rack 1",
        "extras_eventrule 11",
        "extras_eventrule 12",
        "ipam_prefix 2",
        "ipam_prefix 3"
      ],
      ...["ipam_vlangroup 1", "virtualization_virtualmachine 1", "vpn/tunnels 3"]
    ])
    expect(JSON.stringify([report, findings])).not.toMatch(/hidden"|0123456789abcdef/)
    expect((await verifyInto(both)).deviations).toMatchObject(withoutImage)
    // Pages begin behind the last id.
    const pages = server.requests.filter(({ path }) => path === "dcim/devices").map(({ search }) => search)
    expect(pages.slice(0, 2).map((search) => new URLSearchParams(search).get("id__gt"))).toEqual(["0", "2"])
    expect(server.requests.some(({ path }) => path === "users/tokens")).toBe(false)
  })

  thorough("keeps passwords that were set here, and follows changes", async () => {
    const { both } = await start(newer)
    await moveInto(both)
    await target.superuser.query("update users_user set password = '$argon2id$v=19$here'")
    const users = newer.objects["users/users"].map((user) => ({ ...user, email: "ada@example.com" }))
    const later = await start({
      ...newer,
      objects: { ...newer.objects, "users/users": users, "extras/webhooks": [], "extras/event-rules": [] }
    })
    const { report, findings } = await moveInto(later.both)
    expect(findings.filter(({ kind }) => kind !== "homeless")).toEqual([])
    expect(report.types.find(({ type }) => type === "extras.webhook")).toMatchObject({ deleted: 1 })
    expect(await rowsOf("email, password", "users_user")).toEqual([
      { email: "ada@example.com", password: "$argon2id$v=19$here" }
    ])
    expect((await verifyInto(later.both)).deviations).toMatchObject(withoutImage)
  })
})

describe("release 3.1", () => {
  const older = {
    version: "3.1.11",
    pageMax: 2,
    objects: {
      "dcim/sites": [3, 1, 2].map((id) => ({
        ...{ id, ...usual, status: choice("active"), asns: [] },
        name: `S${id}`,
        slug: `s${id}`
      })),
      "dcim/manufacturers": newer.objects["dcim/manufacturers"],
      "dcim/device-types": newer.objects["dcim/device-types"],
      "dcim/device-roles": newer.objects["dcim/device-roles"],
      "dcim/devices": [device(1, { role: undefined, device_role: nested(1) })],
      "dcim/interfaces": [port(1, {}), port(2, {})],
      "dcim/cables": [
        {
          ...{
            id: 7,
            ...usual,
            type: "cat6",
            status: choice("connected"),
            label: "",
            color: "",
            termination_a: nested(1)
          },
          ...{ termination_a_type: "dcim.interface", termination_a_id: 1, termination_b: nested(2) },
          ...{ termination_b_type: "dcim.interface", termination_b_id: 2 }
        }
      ],
      "extras/custom-links": [
        {
          id: 1,
          ...stamps,
          url: "u",
          display: "d",
          content_type: "dcim.site",
          name: "link",
          link_text: "t",
          link_url: "https://x/"
        }
      ]
    }
  }

  test("is read in the order of its links, with cables of one end a side", async () => {
    const { both } = await start(older)
    const { findings } = await moveInto(both)
    const host = new URL(both.from.url).host
    const reason = `front_image: The file is at another host than ${host}.`
    const image = { front_image: "http://x/media/m.png", reason }
    expect(findings).toEqual([{ kind: "homeless", table: "dcim_devicetype", id: 1, values: image }])
    expect(await rowsOf("id", "dcim_site")).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(await rowsOf("a_type, a_terminations as a, b_terminations as b", "dcim_cable")).toEqual([
      { a_type: "dcim.interface", a: [1], b: [2] }
    ])
    expect(await rowsOf("content_types", "extras_customlink")).toEqual([{ content_types: ["dcim.site"] }])
    expect((await verifyInto(both)).deviations).toMatchObject(withoutImage)
  })

  test("is refused where a link leads to another origin", async () => {
    const other = await start(older)
    const { both } = await start({
      ...older,
      instead: (path, response) => {
        if (path !== "dcim/sites") return false
        response.end(
          JSON.stringify({ count: 2, results: [{ id: 1 }], next: `${other.server.url}/api/dcim/sites/?offset=1` })
        )
        return true
      }
    })
    await expect(moveInto(both)).rejects.toMatchObject({
      reason: "UnknownSource",
      message: expect.stringMatching(
        /^GET \/api\/dcim\/sites\/ continues at http:\/\/127\.0\.0\.1:\d+, another origin than http/
      )
    })
    expect(other.server.requests).toEqual([])
  })
})

afterAll(async () => {
  for (const each of opened.splice(0)) await each.stop()
})
