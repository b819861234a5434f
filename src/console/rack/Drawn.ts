/** The pages that draw objects, and the ways to them from the pages of places and from lists. */
import { Effect } from "effect"
import { type Visible, isNothing } from "../../inventory/derive/filter/Where.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { deviceType, rackType } from "../../rack/Elevation.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { filtersOf, withQuery } from "../list/Query.ts"

/** As NetBox has it. */
export const elevationsPath = "/dcim/rack-elevations/"
export const topologyPath = "/dcim/topology/"

/** The filter by which racks and devices are those of an object of the type. */
const placeFilters: ReadonlyMap<string, string> = new Map([
  ["dcim.region", "region_id"],
  ["dcim.sitegroup", "site_group_id"],
  ["dcim.site", "site_id"],
  ["dcim.location", "location_id"],
  [rackType.id, "rack_id"]
])

/** Links to the racks and the topology of a place; nothing for other objects, and for what the reader may not view. */
export const drawnOf = ({ id: type }: ObjectType, id: number) =>
  Effect.map(visibleToSender, (visible): Html => {
    const name = placeFilters.get(type)
    if (name === undefined) return html``
    const query = new URLSearchParams({ [name]: `${id}` })
    return html`${type === rackType.id ? "" : elevationsLink(visible, query)}${topologyLink(visible, query)}`
  })

/** The links from the list of racks and of devices, with its filters. */
export const drawnList = ({ id }: ObjectType, query: URLSearchParams) =>
  Effect.map(visibleToSender, (visible): Html => {
    const filters = filtersOf(query)
    if (id === rackType.id) return elevationsLink(visible, filters)
    return id === deviceType.id ? topologyLink(visible, filters) : html``
  })

const elevationsLink = (visible: Visible, query: URLSearchParams): Html =>
  isNothing(visible(rackType)) || isNothing(visible(deviceType))
    ? html``
    : html`<a class="btn btn-sm" href="${withQuery(elevationsPath, query)}">${icon("columns-3")}Elevations</a>`

const topologyLink = (visible: Visible, query: URLSearchParams): Html =>
  isNothing(visible(deviceType))
    ? html``
    : html`<a class="btn btn-sm" href="${withQuery(topologyPath, query)}">${icon("route")}Topology</a>`
