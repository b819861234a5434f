/** The forms that move a device without scripts: one chooses the rack, the other a place in it. Pure. */
import type { Request } from "../../http/wire/Request.ts"
import type { Row } from "../../inventory/Field.ts"
import { deviceType } from "../../rack/Elevation.ts"
import type { Face } from "../../rack/Units.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { pathOf } from "../value/Title.ts"
import { faceTitle } from "./RackFigure.ts"

export interface Place {
  /** Undefined for a device without a rack. */
  readonly rack: number | undefined
  readonly face: Face
  /** Undefined for a device that takes no unit. */
  readonly position: number | undefined
}

/** Free positions by face. */
export type Places = Readonly<Record<Face, ReadonlyArray<number>>>

/** The place that a form or an address names: `rack=7&place=front 12.5`. */
export const placeIn = (sent: URLSearchParams): Place => {
  const rack = /^\d{1,15}$/.exec(sent.get("rack") ?? "")?.[0]
  const [, face, position] = /^(front|rear) (\d{1,4}(?:\.\d{1,4})?)$/.exec(sent.get("place") ?? "") ?? []
  return {
    rack: rack === undefined ? undefined : Number(rack),
    face: face === "rear" ? "rear" : "front",
    position: position === undefined ? undefined : Number(position)
  }
}

interface Moving {
  readonly request: Request
  readonly id: number
  readonly version: string
  readonly racks: ReadonlyArray<Row>
  /** The rack whose places are offered. */
  readonly rack: Row | undefined
  readonly places: Places | undefined
  readonly now: Place
  readonly wanted: Place | undefined
  /** Why the device was not moved. */
  readonly reason: string | undefined
  readonly pictures: ReadonlyArray<{ readonly face: Face; readonly drawn: Html }>
  readonly nameOf: (rack: Row) => string
}

export const moveForms = (moving: Moving): Html => {
  const { id, racks, rack, reason, pictures, nameOf } = moving
  const path = `${pathOf(deviceType, id)}move/`
  if (racks.length === 0)
    return html`<div class="card">
      <div class="empty"><b>There is no rack at its site that you may view.</b></div>
    </div>`
  return html`${
      reason === undefined
        ? ""
        : html`<div class="alert-line alert-bad" role="alert" data-refusal>The device was not moved. ${reason}</div>`
    }
    <form class="card object-form" method="get" action="${path}">
      <div class="form-row">
        <label for="rack">Rack</label>
        <div>
          <select class="field-in" id="rack" name="rack">
            ${racks.map((each) => html`<option value="${each.id}" ${each.id === rack?.id ? html`selected` : ""}>${nameOf(each)}</option>`)}
          </select>
          <p class="sub">Racks of the site of the device.</p>
        </div>
      </div>
      <div class="form-end"><button class="btn btn-sm">Show its free units</button></div>
    </form>
    ${rack === undefined ? "" : placeForm(moving, rack, path)}
    ${
      pictures.length === 0
        ? ""
        : html`<section class="card" aria-labelledby="faces">
            <div class="ch"><h2 id="faces">${rack === undefined ? "" : nameOf(rack)}</h2></div>
            <div class="elevations natural">
              ${pictures.map(
                ({ face, drawn }) =>
                  html`<figure>
                    ${drawn}
                    <figcaption>${faceTitle(face)}</figcaption>
                  </figure>`
              )}
            </div>
          </section>`
    }`
}

const placeForm = (moving: Moving, rack: Row, path: string): Html => {
  const { request, id, version, places, now, wanted, nameOf } = moving
  const shown = wanted?.position === undefined && now.rack === rack.id ? now : wanted
  const options = (face: Face) => {
    const free = (places?.[face] ?? []).toReversed()
    return html`<optgroup label="${faceTitle(face)}">
      ${free.map((position) => {
        const isChosen = shown?.face === face && shown.position === position
        return html`<option value="${face} ${position}" ${isChosen ? html`selected` : ""}>
          ${faceTitle(face)}, unit ${position}
        </option>`
      })}
    </optgroup>`
  }
  return html`<form class="card object-form" method="post" action="${path}">
    ${csrfInput(request)}<input type="hidden" name="_version" value="${version}" /><input
      type="hidden"
      name="rack"
      value="${rack.id}"
    />
    <div class="form-row">
      <label for="place">Place in ${nameOf(rack)}</label>
      <div>
        <select class="field-in" id="place" name="place">
          <option value="">In the rack, without a unit</option>
          ${options("front")}${options("rear")}
        </select>
        <p class="sub">The free units in which it fits; a device takes units upwards from this one.</p>
      </div>
    </div>
    <div class="form-end">
      <button class="btn btn-sm btn-primary">Move</button>
      <a class="btn btn-sm" href="${pathOf(deviceType, id)}">Cancel</a>
    </div>
  </form>`
}
