/** Sends the forms of pages as a browser without scripts does. */
import type { Api } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

export type Fields = ReadonlyArray<readonly [name: string, value: string]>

/** Reads a page, or sends a form to it. `deed`: the cookie that names the deed which the next page reports. */
export const request = async (api: Api, token: string, path: string, form?: Fields, accept = "text/html") => {
  const reply = await fetch(api.service.url + path, {
    redirect: "manual",
    headers: { authorization: `Token ${token}`, accept },
    ...(form !== undefined && { method: "POST", body: new URLSearchParams(form as Array<[string, string]>) })
  })
  return {
    status: reply.status,
    location: reply.headers.get("location"),
    deed: reply.headers.getSetCookie().join(" "),
    page: await reply.text()
  }
}

/** The value of a hidden input of the page. */
export const hidden = (page: string, name: string): string =>
  new RegExp(`type="hidden"\\s+name="${name}"\\s+value="([^"]*)"`).exec(page)?.[1]?.replaceAll("&quot;", '"') ??
  `the page has no ${name}`

/** A device with a type and a role of its own, and with a site if the fields have none. */
export const makeDevice = async (api: Api, name: string, fields: Json = {}): Promise<number> => {
  const manufacturer = await api.make("dcim/manufacturers", named(name))
  return api.make("dcim/devices", {
    ...{ name, site: fields["site"] ?? (await api.make("dcim/sites", named(name))), ...fields },
    device_type: await api.make("dcim/device-types", {
      manufacturer,
      model: name,
      slug: named(name).slug,
      u_height: 2
    }),
    role: await api.make("dcim/device-roles", named(name))
  })
}
