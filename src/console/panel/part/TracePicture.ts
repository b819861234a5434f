/** The steps of a path -> what is at each hop -> a picture of it. Pure. */
import type { Dictionary, View } from "../../../inventory/Field.ts"
import { type Step, cableType, endpointTypes, linkOf, outsideIds, parentOf } from "../../../inventory/read/Paths.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { type Html, html } from "../../Html.ts"
import { icon } from "../../frame/Icon.ts"
import { capital, inSentence, nameOf, pathOf, pluralOf } from "../../value/Title.ts"
import { badge, valueOf } from "../../value/Value.ts"

/** Ports of one device, power panel or circuit that the path leads through. */
interface Place {
  readonly kind: "place"
  readonly parent: Dictionary | undefined
  readonly ports: ReadonlyArray<Port>
}

interface Port {
  readonly type: string
  readonly id: number
  readonly shown: Dictionary
}

/** A cable, or a wireless link. */
interface Link {
  readonly kind: "link"
  readonly type: ObjectType
  readonly id: number
  readonly label: string
  readonly status: string
  readonly color: string
  /** Its type and length. */
  readonly about: string
}

/** A path without an end: nothing is connected there. */
interface Break {
  readonly kind: "break"
}

type Hop = Place | Link | Break

const portsOf = (type: string | null, ids: ReadonlyArray<number> | null, view: View): ReadonlyArray<Port> =>
  type === null
    ? []
    : (ids ?? []).flatMap((id) => {
        const shown = view.nested(type, id)
        return shown === null ? [] : [{ type, id, shown }]
      })

/** Most ports of a hop that are named. */
const portsMax = 8

/** Places and links in turn: ports of the same device that follow each other are one place. */
export const hopsOf = (steps: ReadonlyArray<Step>, view: View): ReadonlyArray<Hop> => {
  const hops: Array<Hop> = []
  const arrive = (ports: ReadonlyArray<Port>) => {
    for (const [, group] of Map.groupBy(ports, (port) => parentOf(port.shown)?.["url"])) {
      const parent = parentOf(group[0]!.shown)
      const last = hops.at(-1)
      if (last?.kind === "place" && parent !== undefined && last.parent?.["url"] === parent["url"]) {
        const known = new Set(last.ports.map(({ type, id }) => `${type} ${id}`))
        const more = group.filter(({ type, id }) => !known.has(`${type} ${id}`))
        hops[hops.length - 1] = { ...last, ports: [...last.ports, ...more] }
      } else hops.push({ kind: "place", parent, ports: group })
    }
  }
  for (const step of steps) {
    const [nearType, near, , farType, far] = step
    arrive(portsOf(nearType, near, view))
    const link = linkOf(step, view)
    if (link !== undefined) hops.push(linkHop(link))
    // An end of a circuit without a link has its site or network at the other side.
    arrive(portsOf(farType, far, view))
  }
  const farType = steps.at(-1)?.[3] ?? null
  const isEnd = farType !== null && (endpointTypes.some(({ id }) => id === farType) || outsideIds.includes(farType))
  return isEnd ? hops : [...hops, { kind: "break" }]
}

const linkHop = ({ type, row }: NonNullable<ReturnType<typeof linkOf>>): Link => {
  const { label, ssid, status, color, type: kind, length, length_unit: unit } = row as Dictionary
  const name = type === cableType ? label : ssid
  const of = typeof kind === "string" ? (type.fields["type"]?.choices?.[kind] ?? kind) : ""
  const size = typeof length === "number" ? `${length} ${String(unit ?? "")}`.trim() : ""
  return {
    ...{ kind: "link", type, id: row.id, label: typeof name === "string" && name !== "" ? name : `#${row.id}` },
    ...{ status: String(status), color: String(color ?? "") },
    about: [of, size].filter((text) => text !== "").join(", ")
  }
}

/** `own`: the port whose page shows the picture. */
export const pictured = (hops: ReadonlyArray<Hop>, own: { readonly type: string; readonly id: number }): Html => {
  const isBroken = hops.some((hop) => hop.kind === "break")
  const planned = hops.filter((hop): hop is Link => hop.kind === "link" && hop.status !== "connected")
  const verdict = isBroken
    ? "The path ends without another endpoint."
    : planned.length === 0
      ? "Connected from end to end."
      : `Complete, but not connected: ${planned.length} of its ${inSentence(pluralOf(planned[0]!.type))} ${planned.length === 1 ? "is" : "are"} not in use.`
  return html`<div class="path">
    <p class="note">${verdict}</p>
    <ol class="hops">
      ${hops.map((hop) => hopDrawn(hop, own))}
    </ol>
  </div>`
}

const hopDrawn = (hop: Hop, own: { readonly type: string; readonly id: number }): Html => {
  switch (hop.kind) {
    case "place":
      return html`<li class="hop-place">
        ${hop.parent === undefined ? "" : html`<b>${valueOf(hop.parent)}</b>`}
        <ul>
          ${hop.ports
            .slice(0, portsMax)
            .map(
              ({ type, id, shown }) =>
                html`<li${type === own.type && id === own.id ? html` class="own" aria-current="true"` : ""}>${valueOf(shown)}</li>`
            )}
          ${hop.ports.length > portsMax ? html`<li class="sub">and ${hop.ports.length - portsMax} more</li>` : ""}
        </ul>
      </li>`
    case "link":
      return html`<li class="hop-cable">
        ${cableLine(hop)}
        <span
          ><a href="${pathOf(hop.type, hop.id)}">${capital(nameOf(hop.type))} ${hop.label}</a>${statusBadge(hop)}<span
            class="sub below"
            >${hop.about}</span
          ></span
        >
      </li>`
    case "break":
      return html`<li class="hop-break">${icon("x")}<span>Nothing is connected here</span></li>`
  }
}

const statusBadge = ({ type, status }: Link): Html =>
  html` ${badge(status, type.fields["status"]?.choices?.[status] ?? status)}`

/** Dashed where the cable is not in use. */
const cableLine = ({ color, status }: Link): Html =>
  html`<svg class="cable-line" width="16" height="52" aria-hidden="true">
    <line class="edge" x1="8" y1="0" x2="8" y2="52" stroke-width="6" />
    <line
      x1="8"
      y1="0"
      x2="8"
      y2="52"
      stroke-width="4"
      ${/^[0-9a-f]{6}$/.test(color) ? html`stroke="#${color}"` : html`class="plain"`}
      ${status === "connected" ? "" : html`stroke-dasharray="6 5"`}
    />
  </svg>`
