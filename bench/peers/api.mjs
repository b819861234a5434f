/**
 * The floor of the API benchmark: a hand-written `node:http` handler that runs the same SQL through `pg` and answers the
 * same bytes, with no authentication, no permissions and no validation.
 *
 * `node api.mjs <database url>`; its parent sends the statements and gets the port.
 */
import { createServer } from "node:http"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.argv[2], max: 16, options: "-c timezone=UTC" })

const utc = (time) => time.replace("+00:00", "Z")
const statuses = {
  planned: "Planned",
  staging: "Staging",
  active: "Active",
  decommissioning: "Decommissioning",
  retired: "Retired"
}

const uncounted = { device_count: 0, prefix_count: 0, rack_count: 0, virtualmachine_count: 0, vlan_count: 0 }

/** A site as the API shows it; `beside` holds the regions and the counts by id. */
const shown = (row, { regions, counts }, base) => {
  const region = row.region_id === null ? undefined : regions.get(row.region_id)
  return {
    id: row.id,
    url: `${base}/api/dcim/sites/${row.id}/`,
    display: row.name,
    name: row.name,
    slug: row.slug,
    status: { value: row.status, label: statuses[row.status] },
    region:
      region === undefined
        ? null
        : {
            id: region.id,
            url: `${base}/api/dcim/regions/${region.id}/`,
            display: region.name,
            name: region.name,
            slug: region.slug
          },
    group: null,
    tenant: null,
    facility: row.facility,
    time_zone: row.time_zone,
    description: row.description,
    physical_address: row.physical_address,
    shipping_address: row.shipping_address,
    latitude: row.latitude,
    longitude: row.longitude,
    comments: row.comments,
    asns: [],
    tags: [],
    custom_fields: {},
    created: utc(row.created),
    last_updated: utc(row.last_updated),
    ...(counts.get(row.id) ?? uncounted)
  }
}

let statements

/** Runs a read: rows of the type, of the regions, and counts, as `type` and `row`. */
const read = async (name, text, values, base) => {
  const { rows } = await pool.query({ name, text, values })
  const beside = { regions: new Map(), counts: new Map() }
  const sites = []
  for (const { type, row } of rows) {
    if (type === "") sites.push(row)
    else if (type === "dcim.region") beside.regions.set(row.id, row)
    else if (type === "#counts") beside.counts.set(row.id, row.counts)
  }
  return sites.map((row) => shown(row, beside, base))
}

const write = async (bodies, base) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    await client.query({
      name: "context",
      text: "select pg_logical_emit_message(true, 'rackwire:ctx:v1', $1)::text",
      values: [JSON.stringify({ user: "admin", request: "00000000-0000-0000-0000-000000000000" })]
    })
    const rows = bodies.map((body) => ({ ...statements.initial, ...body }))
    const inserted = await client.query({ name: "insert", text: statements.insert, values: [JSON.stringify(rows)] })
    await client.query("commit")
    return inserted.rows.map(({ row }) => shown(row, { regions: new Map(), counts: new Map() }, base))
  } finally {
    client.release()
  }
}

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

const answer = async (request) => {
  const base = `http://${request.headers.host}`
  if (request.method === "POST") {
    const body = await bodyOf(request)
    const made = await write([body].flat(), base)
    return [201, Array.isArray(body) ? made : made[0]]
  }
  const url = new URL(request.url, base)
  const id = /(\d+)\/$/.exec(url.pathname)?.[1]
  if (id !== undefined) return [200, (await read("detail", statements.detail, [id], base))[0]]
  const region = url.searchParams.get("region_id")
  const results =
    region === null
      ? await read("list", statements.list, [], base)
      : await read("filtered", statements.filtered, [region], base)
  const next = region === null ? `${base}/api/dcim/sites/?limit=50&offset=50` : null
  return [200, { count: region === null ? statements.count : results.length, next, previous: null, results }]
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, json]) => {
      const body = JSON.stringify(json)
      response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
      response.end(body)
    },
    (error) => {
      response.writeHead(500)
      response.end(String(error.stack))
    }
  )
})

process.on("message", (message) => {
  statements = message
  if (!server.listening) server.listen(0, "127.0.0.1", () => process.send(server.address().port))
})
process.on("disconnect", () => process.exit())
