/** Ports and cables by plain SQL, in few words, and what is traced and stored of their paths. */
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"

/** The type of a port by the first letter of its name. */
const kinds = {
  i: "dcim.interface",
  c: "dcim.consoleport",
  s: "dcim.consoleserverport",
  p: "dcim.powerport",
  o: "dcim.poweroutlet",
  w: "dcim.powerfeed",
  f: "dcim.frontport",
  r: "dcim.rearport",
  // Ends of circuits: A, Z, and Z in the network of the provider.
  a: "circuits.circuittermination",
  z: "circuits.circuittermination",
  n: "circuits.circuittermination"
} as const

type Letter = keyof typeof kinds

export const endpoints = [
  ...["dcim.interface", "dcim.consoleport", "dcim.consoleserverport"],
  ...["dcim.powerport", "dcim.poweroutlet", "dcim.powerfeed"]
]

export const kindOf = (port: string): string => kinds[port[0] as Letter]
export const tableOf = (kind: string): string => kind.replace(".", "_")

export interface Trace {
  readonly steps: ReadonlyArray<
    readonly [string, ReadonlyArray<number>, number | null, string | null, ReadonlyArray<number> | null]
  > | null
  readonly is_active: boolean | null
  readonly is_complete: boolean
  readonly is_split: boolean
  readonly end_kind: string | null
  readonly end_ids: ReadonlyArray<number> | null
}

const place = [
  "insert into dcim_site (id, name, slug) values (1, 's', 's')",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'm', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug) values (1, 1, 't', 't')",
  "insert into dcim_devicerole (id, name, slug) values (1, 'r', 'r')",
  "insert into dcim_device (id, name, device_type_id, device_role_id, site_id) values (1, 'd', 1, 1, 1)",
  "insert into circuits_provider (id, name, slug) values (1, 'p', 'p')",
  "insert into circuits_circuittype (id, name, slug) values (1, 't', 't')",
  "insert into circuits_providernetwork (id, provider_id, name) values (1, 1, 'n')",
  "insert into dcim_powerpanel (id, name, site_id) values (1, 'p', 1)"
]

export class Net {
  private readonly ids = new Map<string, number>()
  private readonly names = new Map([
    ["dcim.site 1", "site"],
    ["circuits.providernetwork 1", "network"]
  ])

  readonly database: TestDatabase

  private constructor(database: TestDatabase) {
    this.database = database
  }

  static async make(): Promise<Net> {
    const net = new Net(await makeDatabase())
    for (const statement of place) await net.database.sql.query(statement)
    return net
  }

  idOf = (port: string): number => {
    const id = this.ids.get(port)
    if (id === undefined) throw new Error(`no port ${port}`)
    return id
  }

  nameOf = (kind: string, id: number): string => this.names.get(`${kind} ${id}`) ?? `${kind} ${id}`

  /** `i1 r1:4 f1@r1:2`: an interface, a rear port of four positions, and the front port at its second one; `a1 z1`: both ends of a circuit. */
  ports = async (text: string): Promise<void> => {
    for (const word of text.split(/\s+/).filter(Boolean)) {
      const [, name = "", rear, number = "1"] = /^(\w+)(?:@(\w+))?(?::(\d+))?$/.exec(word)!
      const kind = kindOf(name)
      if (kind === "circuits.circuittermination") {
        await this.terminate(name)
        continue
      }
      const more: Readonly<Record<string, string>> = {
        "dcim.interface": "device_id, type) values ($1, 1, '1000base-t')",
        "dcim.rearport": `device_id, type, positions) values ($1, 1, '8p8c', ${number})`,
        "dcim.frontport": `device_id, type, rear_port_id, rear_port_position) values ($1, 1, '8p8c', ${rear && this.idOf(rear)}, ${number})`,
        "dcim.powerfeed": "power_panel_id) values ($1, 1)"
      }
      const [row] = await this.database.sql.query<{ readonly id: string }>(
        `insert into ${tableOf(kind)} (name, ${more[kind] ?? "device_id) values ($1, 1)"} returning id::text as id`,
        [name]
      )
      this.ids.set(name, Number(row!.id))
      this.names.set(`${kind} ${row!.id}`, name)
    }
  }

  private terminate = async (name: string): Promise<void> => {
    const circuit = Number(name.slice(1))
    const columns = name.startsWith("n") ? "provider_network_id" : "site_id"
    await this.database.sql.query(
      "insert into circuits_circuit (id, cid, provider_id, type_id) values ($1::bigint, $1, 1, 1) on conflict do nothing",
      [`${circuit}`]
    )
    const [row] = await this.database.sql.query<{ readonly id: string }>(
      `insert into circuits_circuittermination (circuit_id, term_side, ${columns}) values ($1::bigint, $2, 1) returning id::text as id`,
      [`${circuit}`, name.startsWith("a") ? "A" : "Z"]
    )
    this.ids.set(name, Number(row!.id))
    this.names.set(`circuits.circuittermination ${row!.id}`, name)
  }

  /** The SQL that inserts `i1+i2-f1`. */
  cableSql = (text: string, status = "connected"): string => {
    const [a, b] = text.split("-").map((side) => {
      const ports = side.split("+")
      return `'${kindOf(ports[0]!)}', '{${ports.map(this.idOf).join(",")}}'`
    })
    return `insert into dcim_cable (a_type, a_terminations, b_type, b_terminations, status) values (${a}, ${b}, '${status}') returning id::text as id`
  }

  /** Cables, one by one: `i1-f1, r1-r2`; returns their ids. */
  cables = async (text: string, status?: string): Promise<ReadonlyArray<number>> => {
    const made: Array<number> = []
    for (const each of text.split(/,\s*/)) {
      const [row] = await this.database.sql.query<{ readonly id: string }>(this.cableSql(each, status))
      made.push(Number(row!.id))
    }
    return made
  }

  trace = async (...ports: ReadonlyArray<string>): Promise<Trace> => {
    const [row] = await this.database.sql.query<{ readonly trace: Trace }>(
      "select to_jsonb(t) as trace from rackwire_trace($1, rackwire_side($1, $2::bigint)) t",
      [kindOf(ports[0]!), `${this.idOf(ports[0]!)}`]
    )
    return row!.trace
  }

  /** `i1-f1 r1-r2 f2-i2 complete`. */
  path = async (port: string): Promise<string> => {
    const { steps, is_active, is_complete, is_split } = await this.trace(port)
    if (steps === null) return "none"
    const shown = steps.map(([nearKind, near, cable, farKind, far]) => {
      const first = near.map((id) => this.nameOf(nearKind, id)).join("+")
      return far === null
        ? first
        : `${first}${cable === null ? ">" : "-"}${far.map((id) => this.nameOf(farKind!, id)).join("+")}`
    })
    const state = is_complete ? "complete" : is_split ? "split" : "open"
    return [...shown, state, ...(is_active === false ? ["inactive"] : [])].join(" ")
  }

  pathsOf = async (...ports: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = []
    for (const port of ports) found.push(await this.path(port))
    return found
  }

  /** The path of a port by its row: where it leads, and whether it is active. */
  stored = async (port: string): Promise<readonly [string, boolean | null]> => {
    const [row] = await this.database.sql.query<{
      readonly type: string
      readonly ids: string
      readonly active: boolean | null
    }>(
      `select connected_type as type, connected_ids::text as ids, path_active as active from ${tableOf(kindOf(port))}
        where id = ${this.idOf(port)}`
    )
    const ids = row!.ids.slice(1, -1)
    const names = ids === "" ? [] : ids.split(",").map((id) => this.nameOf(row!.type, Number(id)))
    return [names.join("+"), row!.active]
  }

  /** The endpoints whose rows say something else of their path than a trace. */
  stale = async (): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = []
    for (const kind of endpoints) {
      const rows = await this.database.sql.query<{ readonly row: string }>(
        `select p.id || ': ' || jsonb_build_array(p.connected_type, p.connected_ids, p.path_active) || ' <> ' || jsonb_build_array(t.end_kind, t.end_ids, t.is_active) as row
           from ${tableOf(kind)} p
           left join dcim_cable c on c.id = p.cable_id
           left join lateral rackwire_trace($1, rackwire_side($1, p.id)) t
             on case when c.a_type = $1 and p.id = any (c.a_terminations) then c.b_type else c.a_type end in ('dcim.frontport', 'dcim.rearport', 'circuits.circuittermination')
          where (p.connected_type, p.connected_ids, p.path_active) is distinct from (t.end_kind, coalesce(t.end_ids, '{}'), t.is_active)`,
        [kind]
      )
      found.push(...rows.map(({ row }) => `${kind} ${row}`))
    }
    return found
  }

  /** Ports and terminations that say something else than the cables. */
  loose = async (): Promise<ReadonlyArray<string>> => {
    const ends = `select c.id as cable, 'A' as side, c.a_type as kind, e.id from dcim_cable c cross join unnest(c.a_terminations) e(id)
      union all select c.id, 'B', c.b_type, e.id from dcim_cable c cross join unnest(c.b_terminations) e(id)`
    const ports = [...new Set(Object.values(kinds))]
      .map((kind) => `select cable_id as cable, '${kind}' as kind, id from ${tableOf(kind)} where cable_id is not null`)
      .join(" union all ")
    const rows = await this.database.sql.query<{ readonly row: string }>(
      `select coalesce(e.*::text, '') || ' <> ' || coalesce(p.*::text, '') || ' <> ' || coalesce(t.*::text, '') as row
         from (${ends}) e
         full join (${ports}) p on p.kind = e.kind and p.id = e.id and p.cable = e.cable
         full join dcim_cabletermination t on t.termination_type = coalesce(e.kind, p.kind) and t.termination_id = coalesce(e.id, p.id)
           and t.cable_id = coalesce(e.cable, p.cable) and t.cable_end = e.side
        where e.id is null or p.id is null or t.id is null`
    )
    return rows.map(({ row }) => row)
  }

  /** Fails if rows say something else than the cables. */
  close = async (): Promise<void> => {
    const faults = [...(await this.loose()), ...(await this.stale())]
    await this.database.drop()
    if (faults.length > 0) throw new Error(faults.join("\n"))
  }
}
