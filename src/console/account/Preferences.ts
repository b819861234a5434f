/** How readers want to see pages. It is kept with the account; the theme also in a cookie, for pages before the login. */
import type { Request } from "../../http/wire/Request.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { timeZone } from "../../inventory/ObjectType.ts"

export const themes = { auto: "As the browser", light: "Light", dark: "Dark", contrast: "High contrast" } as const
export const densities = { comfortable: "Comfortable", compact: "Compact" } as const
export const keyChoices = { on: "On", off: "Off" } as const

export type Theme = keyof typeof themes

export interface Preferences {
  readonly theme: Theme
  readonly density: keyof typeof densities
  /** As IANA names it. */
  readonly timeZone: string
  /** Objects on a page of a list; 0 for the usual number. */
  readonly pageSize: number
  /** Whether single keys act: they disturb who dictates, or touches keys by accident. */
  readonly keys: keyof typeof keyChoices
}

/** Most objects on a page that a reader may request. */
export const pageSizeMax = 500

const usual: Preferences = { theme: "auto", density: "comfortable", timeZone: "UTC", pageSize: 0, keys: "on" }

const zones = timeZone()

/** A time zone by its name, in any case; undefined for none. */
export const zoneNamed = (name: string): string | undefined => {
  const parsed = zones.parse(name)
  return "value" in parsed && typeof parsed.value === "string" ? parsed.value : undefined
}

const among = <Name extends string>(names: Readonly<Record<Name, string>>, value: unknown): Name | undefined =>
  typeof value === "string" && Object.hasOwn(names, value) ? (value as Name) : undefined

export const themeNamed = (value: unknown): Theme | undefined => among(themes, value)
export const densityNamed = (value: unknown): Preferences["density"] | undefined => among(densities, value)
export const keyChoiceNamed = (value: unknown): Preferences["keys"] | undefined => among(keyChoices, value)

/** A number of objects on a page; undefined if it is none, or too large. */
export const pageSizeIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= pageSizeMax ? value : undefined

/** The preferences of the reader. The cookie of this browser says more about the theme than the account does. */
export const preferencesOf = ({ principal, incoming }: Pick<Request, "principal" | "incoming">): Preferences => {
  const kept = principal.user?.preferences
  const stored = isDictionary(kept) ? kept : {}
  return {
    theme: themeNamed(incoming.cookies["theme"]) ?? themeNamed(stored["theme"]) ?? usual.theme,
    density: densityNamed(stored["density"]) ?? usual.density,
    timeZone: (typeof stored["timeZone"] === "string" ? zoneNamed(stored["timeZone"]) : undefined) ?? usual.timeZone,
    pageSize: pageSizeIn(stored["pageSize"]) ?? usual.pageSize,
    keys: keyChoiceNamed(stored["keys"]) ?? usual.keys
  }
}

/** The request with the reader's own page size, if the address names none. */
export const withPageSize = <R extends Request>(request: R): R => {
  const { pageSize } = preferencesOf(request)
  if (pageSize === 0 || request.url.searchParams.has("limit")) return request
  const url = new URL(request.url)
  url.searchParams.set("limit", `${pageSize}`)
  return { ...request, url }
}
