/** The table of the ports of one kind: its columns follow from the fields of the type. Pure. */
import { type Row, type View, isDictionary } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { type PortsOfType, isFree } from "../../../inventory/read/Ports.ts"
import { type Html, html } from "../../Html.ts"
import { shortened } from "../../list/Cell.ts"
import { selectAll, selectCell } from "../../list/ObjectTable.ts"
import { peer } from "../../value/Peer.ts"
import { swatch } from "../../value/Swatch.ts"
import { fieldTitle, pathOf, pluralOf } from "../../value/Title.ts"
import { badge, none, referenceIn, valueOf } from "../../value/Value.ts"

/** A port with a way to each of its values: an interface may have thousands of VLANs that no cell shows. */
interface Port {
  readonly row: Row
  readonly view: View
  readonly value: (name: string) => unknown
  /** The form that connects it; undefined for readers who may not, and for ports without a socket. */
  readonly connect: string | undefined
}

interface PortColumn {
  readonly title: string
  readonly cell: (port: Port) => Html
  /** Hidden on small screens. */
  readonly isLess?: boolean
}

/** Most peers, addresses and VLANs of a port that are named. */
const namedMax = 4

export const columnsFor = (type: ObjectType, addresses: PortsOfType["addresses"]): ReadonlyArray<PortColumn> => {
  const has = (name: string) => Object.hasOwn(type.fields, name)
  const optional = (name: string, column: PortColumn) => (has(name) ? [column] : [])
  const plain = (name: string): PortColumn => ({
    title: fieldTitle(name),
    cell: ({ value }) => valueOf(value(name)),
    isLess: true
  })
  return [
    ...optional("type", { ...plain("type") }),
    ...optional("enabled", { title: "Enabled", cell: ({ row }) => enabled(row["enabled"] === true), isLess: true }),
    ...optional("mode", { title: "VLANs", cell: vlans, isLess: true }),
    ...optional("mac_address", {
      title: "Addresses",
      cell: ({ row }) => addressLinks(addresses.get(row.id) ?? []),
      isLess: true
    }),
    ...optional("rear_port", { title: "Rear port", cell: rearPort, isLess: true }),
    ...["positions", "power_port", "feed_leg", "speed"]
      .filter((name) => has(name) && !has("mode"))
      .map((name) => plain(name)),
    ...optional("cable", { title: "Peer", cell: peers }),
    ...optional("cable", { title: "Cable", cell: cable, isLess: true })
  ]
}

interface RowParts {
  readonly type: ObjectType
  readonly row: Row
  readonly view: View
  readonly columns: ReadonlyArray<PortColumn>
  readonly isSelectable: boolean
  /** Whether the reader may add cables. */
  readonly mayConnect: boolean
}

export const portRow = ({ type, row, view, columns, isSelectable, mayConnect }: RowParts): Html => {
  const value = (name: string): unknown => {
    const field = type.fields[name]
    return field === undefined ? type.derived[name]?.of(row, view) : field.represent(row[name], view, type.id, row)
  }
  const display = shortened(type.display(row, view))
  const connect = mayConnect ? connectPath(type, row) : undefined
  const description = String(row["description"] ?? "")
  return html`<tr data-row>
    ${isSelectable ? selectCell(row.id, display) : ""}
    <th scope="row">
      <a href="${pathOf(type, row.id)}">${display}</a>${
        description === "" ? "" : html`<span class="sub below">${shortened(description, descriptionMax)}</span>`
      }
    </th>
    ${columns.map(({ cell, isLess }) => html`<td${lessClass(isLess)}>${cell({ row, view, value, connect })}</td>`)}
  </tr>`
}

/** Most characters of a description that a table shows. */
const descriptionMax = 60

const lessClass = (isLess: boolean | undefined): Html => (isLess === true ? html` class="lo"` : html``)

interface TableParts extends Pick<RowParts, "type" | "columns" | "isSelectable"> {
  readonly rows: ReadonlyArray<Html>
}

export const portTable = ({ type, columns, isSelectable, rows }: TableParts): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter card-table dense">
      <caption class="visually-hidden">
        ${pluralOf(type)}
      </caption>
      <thead>
        <tr>
          ${isSelectable ? selectAll : ""}
          <th scope="col">Name</th>
          ${columns.map(({ title, isLess }) => html`<th scope="col" ${lessClass(isLess)}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

const enabled = (is: boolean): Html => (is ? html`Yes` : badge("disabled", "No"))

const vlans = ({ row, value, view }: Port): Html => {
  const mode = value("mode")
  if (!isDictionary(mode)) return none
  const [untagged, tagged] = [value("untagged_vlan"), row["tagged_vlans"] as ReadonlyArray<number>]
  const shown = tagged.slice(0, namedMax).flatMap((id) => view.nested("ipam.vlan", id) ?? [])
  return html`<span class="links"
    >${String(mode["label"])}${untagged === null ? "" : html` ${valueOf(untagged)}`}${
      shown.length === 0 ? "" : html`, tagged ${listed(shown.map(valueOf), tagged.length)}`
    }</span
  >`
}

/** Items with commas, and how many more there are. */
const listed = (items: ReadonlyArray<Html>, total: number): Html =>
  html`${items.map((item, at) => html`${at === 0 ? "" : ", "}${item}`)}${total > items.length ? ` and ${total - items.length} more` : ""}`

const addressLinks = (addresses: ReadonlyArray<Row>): Html =>
  addresses.length === 0
    ? none
    : stacked(
        addresses
          .slice(0, namedMax)
          .map(({ id, address }) => html`<a class="mono" href="/ipam/ip-addresses/${id}/">${String(address)}</a>`),
        addresses.length
      )

/** Items below each other, and how many more there are. */
const stacked = (items: ReadonlyArray<Html>, total: number): Html =>
  html`${items.map((item) => html`<span class="stacked">${item}</span>`)}${total > items.length ? html`<span class="sub below">and ${total - items.length} more</span>` : ""}`

const rearPort = ({ row, value }: Port): Html =>
  html`<span class="links">${valueOf(value("rear_port"))}, position ${String(row["rear_port_position"])}</span>`

/** The form of a cable at the port, if its socket is free. */
const connectPath = (type: ObjectType, row: Row): string | undefined => {
  if (!isFree(type, row)) return undefined
  const ends = {
    a_type: type.id,
    a_terminations: `${row.id}`,
    ...(type.id === "dcim.interface" && { b_type: type.id })
  }
  return `/dcim/cables/add/?${new URLSearchParams(ends)}`
}

/** The ends of the path, else the ports at the other end of the cable. */
const peers = ({ row, value, connect }: Port): Html => {
  const ends = value("connected_endpoints")
  const far = (Array.isArray(ends) && ends.length > 0 ? ends : value("link_peers")) as ReadonlyArray<unknown>
  const named = far.filter(isDictionary)
  if (named.length === 0) {
    if (row["mark_connected"] === true) return html`Marked as connected`
    return connect === undefined ? none : html`<a class="connect" href="${connect}">Connect</a>`
  }
  const isBroken = value("connected_endpoints_reachable") === false
  const shown = listed(named.slice(0, namedMax).map(peer), named.length)
  return named.length === 1 && !isBroken
    ? shown
    : html`<span class="links">${shown}${isBroken ? html` ${badge("failed", "Not reachable")}` : ""}</span>`
}

const cable = ({ row, view, value }: Port): Html => {
  const shown = value("cable")
  if (!isDictionary(shown)) return none
  const known = view.row("dcim.cable", Number(row["cable"]))
  const status = known?.["status"]
  const link = referenceIn(shown)
  return html`${swatch(known?.["color"])}${link === undefined ? "" : html`<a href="${link.path}">${link.display}</a>`}${
    status === undefined || status === "connected" ? "" : html` ${badge(String(status), fieldTitle(String(status)))}`
  }`
}
