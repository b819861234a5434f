/**
 * The path of `BASE_URL`, such as `/rackwire` for `https://example.org/rackwire`: "" for the root of a host.
 *
 * Within the service every path begins at the root, in routes, pages and redirects. This module alone has the public
 * ones: `inward` takes the path off the target of a request, which a proxy may have stripped already, and `outward` adds
 * it to the addresses of an answer.
 */
import { Stream } from "effect"
import type { Reply, Route } from "../Route.ts"

/** The path of the address, without a slash at its end. */
export const basePathOf = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "")

/** Characters that need no escape in HTML, in JSON and in the path of a cookie. */
const pathPattern = /^(?:\/[\w.~-]+)*$/

/** Returns the fault of the path, or undefined. */
export const basePathProblem = (path: string, routes: ReadonlyArray<Pick<Route, "path">>): string | undefined => {
  if (!pathPattern.test(path))
    return `BASE_URL: its path is ${path}; expected letters, digits and ".", "_", "~", "-" between slashes`
  const like = routes.find((route) => path !== "" && beginsWith(route.path, path))
  return like && `BASE_URL: its path ${path} is one of the service's own (${like.path}), so proxies cannot strip it`
}

/** Whether the addresses of a route begin with the path; `:name` matches any segment. */
const beginsWith = (route: string, path: string): boolean => {
  const segments = route.split("/")
  return path.split("/").every((segment, at) => segments[at] === segment || segments[at]?.startsWith(":") === true)
}

/** The target of a request without the path; "", perhaps with a query, where the target is the path itself. */
export const inward = (target: string, path: string): string =>
  path !== "" && target.startsWith(path) && /^(?:[/?]|$)/.test(target.slice(path.length))
    ? target.slice(path.length)
    : target

/** The public address of a path of the service. Other addresses are returned as they are. */
const publicAddress = (address: string, path: string): string => (/^\/(?!\/)/.test(address) ? path + address : address)

/** The answer with public addresses: in its page or events, in `Location`, and in the paths of its cookies. */
export const outward = (reply: Reply, path: string): Reply => {
  if (path === "") return reply
  const { text, stream, headers, cookies } = reply
  const location = headers?.["location"]
  return {
    ...reply,
    ...(location !== undefined && { headers: { ...headers, location: publicAddress(location, path) } }),
    ...(cookies !== undefined && { cookies: cookies.map((cookie) => cookieUnder(cookie, path)) }),
    ...(text?.type === "text/html" && { text: { ...text, content: markupUnder(text.content, path) } }),
    ...(stream?.type === "text/event-stream" && {
      stream: { ...stream, content: Stream.map(stream.content, (event) => markupUnder(event, path)) }
    })
  }
}

const cookieUnder = (cookie: NonNullable<Reply["cookies"]>[number], path: string) => ({
  ...cookie,
  options: { ...cookie.options, path: publicAddress(cookie.options?.path ?? "/", path) }
})

/**
 * Attributes that contain addresses (`formaction` ends with `action`), where the value begins a path. Texts in a page
 * have no quotation marks: these are escaped. In events the marks have a backslash, because the markup is JSON.
 */
const addressAttribute = /(?:href|src|action|hx-get|hx-post)=\\?"(?=\/(?!\/))/g

const markupUnder = (markup: string, path: string): string =>
  markup.replaceAll(addressAttribute, (attribute) => attribute + path)
