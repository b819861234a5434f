/** What was typed into a form, carried by another page as hidden inputs. */
import { type Html, html } from "../../Html.ts"

/** Its token, and the names of its buttons and of those of pages that carry it. */
const apart = new Set(["csrfmiddlewaretoken", "_pick", "_picked", "_q", "_again", "_preview", "_another"])

/** The inputs of a form that was sent. */
export const carriedInputs = (sent: URLSearchParams, prefix = ""): Html =>
  html`${[...sent].flatMap(([name, value]) => (apart.has(name) ? [] : [html`<input type="hidden" name="${prefix}${name}" value="${value}" />`]))}`
