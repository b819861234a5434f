/** Why deliveries fail, in words. */
import { STATUS_CODES } from "node:http"

const titles = new Map([
  ["Gone", "The receiver wants nothing any more"],
  ["Declined", "The receiver declined the delivery"],
  ["Timeout", "No answer in time"],
  ["Refused", "Connection refused"],
  ["Reset", "Connection lost"],
  ["Dns", "Host name not found"],
  ["Tls", "TLS failed"],
  ["Blocked", "The target policy refuses the address"],
  ["Proxy", "The proxy failed"],
  ["TooLarge", "The answer is too large"],
  ["Protocol", "The answer is not HTTP"],
  ["Render", "The template failed"],
  ["Overrun", "The template took too long"],
  ["Unrendered", "The template could not be rendered"],
  ["Expired", "The change log no longer holds the event"],
  ["Oversize", "The event is too long"],
  ["Secret", "The secret cannot be read"],
  ["Token", "No access token"],
  ["Loop", "Webhooks fire each other in a loop"],
  ["CaCertificate", "The CA certificates cannot be used"],
  ["ClientCertificate", "The client certificate cannot be used"],
  ["SetAside", "No event can be made of the change"]
])

/** `HTTP 503 Service Unavailable`, `Connection refused`. */
export const causeTitle = (reason: string, status: number | null): string => {
  if (reason === "Status" && status !== null) return `HTTP ${status} ${STATUS_CODES[status] ?? ""}`.trim()
  return titles.get(reason) ?? reason
}
