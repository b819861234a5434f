/** Users with permissions, for tests. */
import { readFileSync } from "node:fs"
import type { Api } from "../support/Api.ts"
import type { Json, Reply } from "../support/Client.ts"

export interface User {
  readonly id: number
  readonly name: string
  readonly token: string
  /** Calls with this user's token. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<Reply<Json>>
}

export interface Grant {
  readonly types: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
  readonly constraints?: unknown
}

export const userPassword = "a password for tests"

/** A new user of this name, with a token and an object permission for each grant. */
export const makeUser = async (api: Api, name: string, ...grants: ReadonlyArray<Grant>): Promise<User> => {
  const id = await api.make("users/users", { username: name, password: userPassword })
  for (const grant of grants) await permit(api, id, grant)
  const token = await api.newToken({ user: id })
  return { id, name, token, call: (method, path, body) => api.raw(method, path, body, token) }
}

export const permit = async (
  api: Api,
  user: number,
  { types, actions, constraints = null }: Grant
): Promise<number> => {
  const body = { name: `${types} ${actions}`.slice(0, 100), object_types: types, actions, constraints, users: [user] }
  return api.make("users/permissions", body)
}

/** Memory of a process that is in use. */
export const residentBytes = (pid: number): number => {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1])
  return pages * 4096
}
