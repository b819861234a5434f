/** Whether a person with a browser reads the answer, as far as the headers of the request show. */
import type { HttpServerRequest } from "effect/http"
import { parameterOf } from "../query/Parameter.ts"
import { isOfType } from "./MediaType.ts"
import { prefersHtml } from "./Negotiation.ts"

type Incoming = HttpServerRequest.HttpServerRequest

/** Whether the sender is an open page that follows changes. */
export const asksForEvents = ({ headers }: Incoming): boolean => headers["accept"] === "text/event-stream"

/** Whether the sender takes HTML by name, as browsers do. */
export const asksForHtml = ({ headers }: Incoming): boolean => /\btext\/html\b/.test(headers["accept"] ?? "")

/**
 * Whether an answer of the API is to be a page: the sender prefers HTML, and sends no token. Programs send tokens, and
 * the HTTP clients of some languages accept HTML by default.
 */
export const asksForPage = ({ headers, method, url }: Incoming): boolean => {
  const accept = headers["accept"]
  if (accept === undefined || !/text\/html/i.test(accept) || !url.startsWith("/api/")) return false
  if (/^token\b/i.test(headers["authorization"]?.trim() ?? "") || !prefersHtml(accept)) return false
  if (method === "POST") return isOfType(headers["content-type"], "application/x-www-form-urlencoded")
  return (method === "GET" || method === "HEAD") && !asksForJson(url)
}

/** Whether the query names JSON as its format, as in Django REST framework. */
const asksForJson = (url: string): boolean => {
  const at = url.indexOf("?")
  return at >= 0 && url.includes("format") && parameterOf(new URLSearchParams(url.slice(at)), "format") === "json"
}
