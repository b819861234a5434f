/** The parameters of an elevation, with NetBox's names, defaults and messages. */
import { Effect } from "effect"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { type Errors, type Field, emptyRecord } from "../../inventory/Field.ts"
import { flag as flagField, integer as integerField } from "../../inventory/ObjectType.ts"
import { customPrefix } from "../../inventory/derive/filter/CustomFieldFilter.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { type Where, allOf, anyOf, equalTo } from "../../inventory/derive/filter/Where.ts"
import { customFieldsOf, list } from "../../inventory/read/Read.ts"
import { type Size, usualSize } from "../../rack/Drawing.ts"
import { deviceType } from "../../rack/Elevation.ts"
import type { Face } from "../../rack/Units.ts"
import { described, flag, integer, string, words } from "../declare/Parts.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { parameterOf } from "../query/Parameter.ts"
import type { Request } from "../wire/Request.ts"

export interface ElevationRequest {
  readonly face: Face
  readonly render: "json" | "svg"
  readonly size: Size
  /** Id of a device that is left out. */
  readonly exclude: number | undefined
  /** Whether a device is at each of its units, and not at its lowest alone. */
  readonly expandDevices: boolean
  readonly q: string
  readonly highlight: ReadonlyArray<readonly [field: string, value: string]>
}

export const elevationQuery = {
  face: described(words("front", "rear"), "Default: front."),
  render: described(words("json", "svg"), "Default: json."),
  unit_width: described(integer, "Of the picture, pixels; default 220."),
  unit_height: described(integer, "Pixels; default 22."),
  legend_width: described(integer, "The column of unit numbers, pixels; default 30."),
  margin_width: described(integer, "The column of reservations, pixels; default 15."),
  exclude: described(integer, "The id of a device that is left out."),
  expand_devices: described(flag, "Whether each unit names its device, and not the lowest of a device alone."),
  include_images: described(flag, "Accepted and ignored: there are no images of device types."),
  q: described(string, "Units with this text in their number or name."),
  highlight: described(string, "Of the picture: a filter of devices, as `status:active`. It may be repeated.")
}

/** Pixels. A picture of the highest rack has 20,000 of them in height at most. */
const bounds = {
  unit_width: { usual: usualSize.unitWidth, min: 20, max: 1_000 },
  unit_height: { usual: usualSize.unitHeight, min: 8, max: 200 },
  legend_width: { usual: usualSize.legendWidth, min: 0, max: 200 },
  margin_width: { usual: usualSize.marginWidth, min: 0, max: 200 }
}

/** Most filters of highlighted devices. */
const highlightsMax = 20

/** Reads the parameters. Fails with 400 and an error for each wrong one. */
export const elevationRequest = Effect.fnUntraced(function* ({ url }: Request) {
  const query = url.searchParams
  const errors = emptyRecord<ReadonlyArray<string>>()
  const read = <A>(name: string, usual: A, { parse }: Pick<Field, "parse">): A => {
    const text = parameterOf(query, name)
    if (text === undefined) return usual
    const parsed = parse(text)
    if ("value" in parsed) return parsed.value as A
    errors[name] = parsed.errors as ReadonlyArray<string>
    return usual
  }
  const pixels = (name: keyof typeof bounds) => read(name, bounds[name].usual, integerField(bounds[name]))
  const truth = flagField({ default: true })
  const expandDevices = read("expand_devices", true, truth)
  read("include_images", true, truth)
  const asked: ElevationRequest = {
    face: read("face", "front", oneOf("front", "rear")),
    render: read("render", "json", oneOf("json", "svg")),
    size: {
      unitWidth: pixels("unit_width"),
      unitHeight: pixels("unit_height"),
      legendWidth: pixels("legend_width"),
      marginWidth: pixels("margin_width")
    },
    exclude: read("exclude", undefined, integerField()),
    expandDevices,
    q: parameterOf(query, "q") ?? "",
    highlight: query.getAll("highlight").map(pairOf)
  }
  if (asked.highlight.length > highlightsMax) {
    errors["highlight"] = [
      `Ensure that there are no more than ${highlightsMax} values; there are ${asked.highlight.length}.`
    ]
  }
  if (asked.highlight.some(([field]) => field === "")) errors["highlight"] = ["Write a field and a value: field:value."]
  if (Object.keys(errors).length > 0) return yield* refused(errors)
  return asked
})

const oneOf = (...values: ReadonlyArray<string>): Pick<Field, "parse"> => ({
  parse: (input) =>
    values.includes(String(input)) ? { value: input } : { errors: [`"${String(input)}" is not a valid choice.`] }
})

/** `status:active`; the field is empty where there is no colon. */
const pairOf = (text: string): readonly [field: string, value: string] => {
  const colon = text.indexOf(":")
  return colon < 0 ? ["", text] : [text.slice(0, colon), text.slice(colon + 1)]
}

/** Ids of the devices of a rack, of those that the sender may view, that one of the filters finds. Fails with 400. */
export const highlightedBy = Effect.fnUntraced(function* (pairs: ElevationRequest["highlight"], rack: number) {
  if (pairs.length === 0) return new Set<number>()
  const visible = yield* visibleToSender
  const definitions = pairs.some(([name]) => name.startsWith(customPrefix)) ? yield* customFieldsOf(deviceType) : []
  const customFields = new Map(definitions.map((each) => [String(each.name), each]))
  const wheres: Array<Where> = []
  for (const pair of pairs) {
    const filtered = filter(deviceType, [pair], visible, { strict: true, customFields })
    if ("errors" in filtered)
      return yield* refused({ highlight: Object.values(filtered.errors).flat() as Array<string> })
    wheres.push(filtered.where)
  }
  const where = allOf(equalTo(deviceType, { rack }), anyOf(...wheres))
  const found = yield* list(deviceType, { where, ordering: ["id"], limit: undefined, offset: 0 })
  return new Set(found.map(({ id }) => id))
})

const refused = (errors: Errors) => new HttpRefused({ reason: "InvalidQuery", body: errors })
