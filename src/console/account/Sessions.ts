/** `/user/sessions/`: where the reader is logged in; each session can be ended, or all but this one. */
import { Effect } from "effect"
import { auditLogin } from "../../auth/Audit.ts"
import { username } from "../../auth/Principal.ts"
import { type Session, endOne, endOthers, sessionsOf } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { type Html, html } from "../Html.ts"
import { accountPage, doneLine, userIn } from "./AccountPage.ts"
import { agentName } from "./Agent.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { timeOf } from "../value/Time.ts"
import { none } from "../value/Value.ts"

const show: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const sessions = yield* sessionsOf(user.id, request.principal.session)
    const others = sessions.filter(({ current }) => !current).length
    return yield* accountPage(request, {
      title: "Sessions",
      main: html`${request.url.searchParams.has("ended") ? doneLine("The session has ended.") : ""}
        <div class="card">
          <div class="ch">
            <h2>You are logged in here</h2>
            <span class="grow"></span>
            ${others === 0 ? "" : endForm(request, "others", "End all others")}
          </div>
          ${sessions.length === 0 ? html`<div class="empty"><b>You have no session.</b></div>` : table(request, sessions)}
        </div>
        <p class="hint">
          A session ends by itself when it expires, and all of them end when you change your password.
        </p>`
    })
  })

const table = (request: Request, sessions: ReadonlyArray<Session>): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter dense">
      <caption class="visually-hidden">
        Sessions
      </caption>
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col" class="lo">Address</th>
          <th scope="col">Last use</th>
          <th scope="col" class="lo">Begun</th>
          <th scope="col" class="lo">Expires</th>
          <th scope="col"><span class="visually-hidden">Action</span></th>
        </tr>
      </thead>
      <tbody>
        ${sessions.map((session) => row(request, session))}
      </tbody>
    </table>
  </div>`

const row = (request: Request, session: Session): Html => {
  const { id, agent, address, current, begun, last_used: used, expires } = session
  const time = (text: string | null) => (text === null ? none : timeOf(text))
  return html`<tr>
    <th scope="row">
      <span title="${agent ?? ""}">${agentName(agent ?? "")}</span>
      ${current ? html`<span class="badge-v v-active">This one</span>` : ""}
    </th>
    <td class="mono lo">${address ?? none}</td>
    <td>${time(used)}</td>
    <td class="lo">${time(begun)}</td>
    <td class="lo">${time(expires)}</td>
    <td>
      ${current ? html`<a class="btn btn-sm" href="/logout/">${icon("logout")}Log out</a>` : endForm(request, id, "End")}
    </td>
  </tr>`
}

const endForm = (request: Request, session: string, title: string): Html =>
  html`<form method="post" action="/user/sessions/">
    ${csrfInput(request)}<button class="btn btn-sm" name="session" value="${session}">${icon("x")}${title}</button>
  </form>`

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const session = (yield* readForm(request.incoming)).get("session") ?? ""
    const isOne = /^\d{1,15}$/.test(session)
    const ended =
      session === "others"
        ? (yield* endOthers(user.id, request.principal.session)) > 0
        : isOne && (yield* endOne(user.id, session))
    if (!ended) return redirect("/user/sessions/")
    yield* auditLogin("ended sessions", username(request.principal), addressOf(request.incoming))
    return redirect("/user/sessions/?ended=1")
  })

export default { path: "/user/sessions/", access: "open", methods: { GET: show, POST: submit } } satisfies Route
