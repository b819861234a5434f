/** `/`: where to begin. */
import { Effect } from "effect"
import { version } from "../../Config.ts"
import type { Route } from "../../http/Route.ts"
import { html } from "../Html.ts"
import { pageReply } from "../part/Layout.ts"

const home = pageReply(
  "Rackwire",
  html`<h1>Rackwire ${version}</h1>
    <p>An infrastructure inventory whose webhooks can be relied on.</p>
    <ul>
      <li>
        <a href="/api/">REST API</a>: <code>Authorization: Token …</code>, a token from
        <code>POST /api/users/tokens/provision/</code>
      </li>
      <li>
        <a href="/api/extras/webhooks/">Webhooks</a>,
        <a href="/api/extras/deliveries/?status=failed">failed deliveries</a>,
        <a href="/api/extras/object-changes/">changes</a>
      </li>
      <li><a href="/help/templates/">Templates</a>: what plugins bring, with examples</li>
      <li>
        Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a>; <a href="/metrics">metrics</a>
      </li>
    </ul>`
)

export default { path: "/", access: "open", methods: { GET: () => Effect.succeed(home) } } satisfies Route
