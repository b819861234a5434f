/** The page for a request that was refused or failed, for senders who accept HTML. */
import type { Reply } from "../http/Route.ts"
import type { ErrorOfPage } from "../http/Server.ts"
import { html } from "./Html.ts"
import { refused } from "./api/Refused.ts"
import { sheet } from "./frame/Sheet.ts"

const titles: Readonly<Record<number, string>> = {
  400: "The request cannot be understood",
  403: "You may not do this",
  404: "Not found",
  405: "Not possible here",
  409: "Not possible now",
  412: "Somebody else has changed the object",
  413: "Too large",
  429: "Too many requests",
  500: "Internal error",
  503: "Not available now"
}

export const errorPage = ({ status, detail, path, requestId, refusal, sender }: ErrorOfPage): Reply =>
  sheet(
    titles[status] ?? "Not possible",
    html`${detail === "" ? "" : html`<p>${detail}</p>`}
      ${sender?.user === undefined || refusal === undefined || status !== 403 ? "" : refused(refusal, sender, "/login/")}
      <p class="sub"><span class="mono">${path}</span><br />Request <span class="mono">${requestId}</span></p>
      <p class="links"><a href="/">Home</a></p>`,
    status
  )
