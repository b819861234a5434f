/** Services behind a proxy at 127.0.0.1, from which every test connects. */
import { type Api, startApiAlone } from "../../support/Api.ts"
import { type Service, startService } from "../../support/Service.ts"
import { type Browser, openBrowser } from "../Browser.ts"

export const on = { REMOTE_AUTH_ENABLED: "true", REMOTE_AUTH_HEADER: "HTTP_X_REMOTE_USER" }
export const creating = { ...on, REMOTE_AUTH_AUTO_CREATE_USER: "true" }
export const synced = {
  ...creating,
  REMOTE_AUTH_GROUP_SYNC_ENABLED: "true",
  REMOTE_AUTH_GROUP_HEADER: "X-Remote-Groups",
  REMOTE_AUTH_AUTO_CREATE_GROUPS: "true",
  REMOTE_AUTH_SUPERUSER_GROUPS: "admins,root",
  REMOTE_AUTH_STAFF_USERS: "staffed"
}
export const trusting = { TRUSTED_PROXIES: "127.0.0.1" }

export const html = { accept: "text/html" }
export const sites = "/api/dcim/sites/"

/** A service that trusts the proxy and creates users and groups. */
export const startProxied = (): Promise<Api> => startApiAlone({ ...trusting, ...synced })

/** Another service on the same database, with these options alone. */
export const startBeside = ({ database }: Api, options: Readonly<Record<string, string>>): Promise<Service> => {
  const { databaseUrl, redisUrl } = database
  const own = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: "a key for tests, of sufficient length" }
  return startService({ ...own, ...options }, { roles: ["api"] })
}

/** A browser whose proxy adds these headers. */
export const browserOf = ({ service }: Api, name: string, groups?: string): Browser =>
  openBrowser(service.url, {
    ...html,
    "x-remote-user": name,
    ...(groups !== undefined && { "x-remote-groups": groups })
  })

/** The answer to `GET` by a program behind the proxy, which keeps no cookie. */
export const get = async ({ url }: Service, headers: Record<string, string>, path = sites) => {
  const response = await fetch(url + path, { headers, redirect: "manual" })
  return { status: response.status, text: await response.text(), cookies: response.headers.getSetCookie() }
}

/** The sentence with which such a request is refused. */
export const detailOf = async (service: Service, headers: Record<string, string>) =>
  (JSON.parse((await get(service, headers)).text) as { readonly detail?: string }).detail

export const usersNamed = ({ database }: Api, name: string) =>
  database.sql.query("select from users_user where lower(username) = lower($1)", [name])

export const groupsOf = async ({ database }: Api, name: string): Promise<ReadonlyArray<string>> => {
  const groups = await database.sql.query<{ readonly name: string }>(
    "select g.name from users_user u join users_group g on g.id = any (u.groups) where u.username = $1 order by 1",
    [name]
  )
  return groups.map((group) => group.name)
}
