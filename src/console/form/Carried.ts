/** Input of a form, carried by another page as hidden inputs. */
import { type Html, html } from "../Html.ts"

/** Its token, and the names of its buttons and of those of pages that carry it. */
const apart = new Set(["csrfmiddlewaretoken", "_pick", "_picked", "_q", "_again", "_preview", "_another"])

/** Most inputs that are carried: no form of ours has as many. */
const inputsMax = 1000

/** The inputs of a form that was sent. */
export const carriedInputs = (sent: URLSearchParams, prefix = ""): Html =>
  html`${[...sent].slice(0, inputsMax).flatMap(([name, value]) => (apart.has(name) ? [] : [html`<input type="hidden" name="${prefix}${name}" value="${value}" />`]))}`

/** Marks the inputs of a form that the page of the login carries. */
const prefix = "sent."

/** With the token, which proves that the form is its sender's own. */
export const carriedByLogin = (sent: URLSearchParams): Html => {
  const token = sent.get("csrfmiddlewaretoken")
  return html`${carriedInputs(sent, prefix)}${token === null ? "" : html`<input type="hidden" name="${prefix}csrfmiddlewaretoken" value="${token}" />`}`
}

/** The inputs that the page of the login carried. */
export const sentBefore = (form: URLSearchParams): URLSearchParams => {
  const sent = new URLSearchParams()
  for (const [name, value] of form) if (name.startsWith(prefix)) sent.append(name.slice(prefix.length), value)
  return sent
}
