/** A client for the API of a service, and for its administrator. */

export const password = "correct horse battery staple"

export type Json = Record<string, unknown>

export interface List {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

export interface Reply<A> {
  readonly status: number
  readonly headers: Headers
  readonly json: A
  readonly text: string
}

export type Call = <A = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Reply<A>>

export const request = async <A>(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown
): Promise<Reply<A>> => {
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(token === "" ? {} : { authorization: `Token ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  return {
    status: response.status,
    headers: response.headers,
    json: (isJson ? JSON.parse(text) : undefined) as A,
    text
  }
}

/** A new token of the superuser. */
export const provision = async (url: string): Promise<string> => {
  const reply = await request<{ readonly key: string }>(url, "", "POST", "/api/users/tokens/provision/", {
    username: "admin",
    password
  })
  if (reply.status !== 201) throw new Error(`no token: ${reply.text}`)
  return reply.json.key
}

/** An object as the API answers with it. */
export type Made = Json & { readonly id: number }

export interface Client {
  readonly call: Call
  /** Makes an object of a collection, `dcim/sites`, and returns its id. Fails where it is refused. */
  readonly make: (collection: string, body: unknown) => Promise<number>
  /** The same; returns the object. */
  readonly makeObject: (collection: string, body: unknown) => Promise<Made>
  /** Makes several objects in one request; returns their ids. */
  readonly makeAll: (collection: string, bodies: ReadonlyArray<unknown>) => Promise<ReadonlyArray<number>>
}

const clientOf = (call: Call): Client => {
  const made = async <A>(collection: string, body: unknown): Promise<A> => {
    const { status, json, text } = await call<A>("POST", `/api/${collection}/`, body)
    if (status !== 201) throw new Error(`${collection}: ${status} ${text}`)
    return json
  }
  return {
    call,
    make: async (collection, body) => (await made<Made>(collection, body)).id,
    makeObject: made,
    makeAll: async (collection, bodies) => (await made<ReadonlyArray<Made>>(collection, bodies)).map(({ id }) => id)
  }
}

/** The superuser, whose token the first call provisions; `checked` may look at each reply. */
export const superuserOf = (url: string, checked = (call: Call): Call => call): Client => {
  let token: Promise<string> | undefined
  const call: Call = async (method, path, body) => request(url, await (token ??= provision(url)), method, path, body)
  return clientOf(checked(call))
}

/** Fields of an object that has a name and a slug. */
export const named = (name: string) => ({ name, slug: name.toLowerCase().replaceAll(" ", "-") })
