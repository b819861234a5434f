/**
 * Where a user is logged in; each session can be ended, or all but the reader's own: `/user/sessions/` shows the
 * reader's, `/users/users/<id>/sessions/` those of a user whom the reader may change.
 */
import { Effect } from "effect"
import { auditSessionsEnded } from "../../auth/Audit.ts"
import { username } from "../../auth/Principal.ts"
import { type Session, endOne, endOthers, sessionsOf } from "../../auth/Session.ts"
import { addressOf } from "../../http/Admission.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { accountPage, doneLine, userIn } from "./AccountPage.ts"
import { agentName } from "./Agent.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { none } from "../value/Value.ts"

const userType = objectType("users.user")

const ownPath = "/user/sessions/"

/** A user, and the page of the user's sessions. */
interface SessionList {
  readonly id: number
  readonly name: string
  readonly path: string
}

const showOwn: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const listed = { id: user.id, name: username(request.principal), path: ownPath }
    const titles = { heading: "You are logged in here", empty: "You have no session." }
    return yield* accountPage(request, {
      title: "Sessions",
      main: html`${yield* content(request, listed, titles)}
        <p class="hint">
          A session ends by itself when it expires, and all of them end when you change your password.
        </p>`
    })
  })

/** Fails with 404 for a user whom the reader may not change: superusers are changed by superusers alone. */
const otherIn = (request: Request) =>
  Effect.map(rowOf(userType, request, "change"), ({ id, username: name }): SessionList => {
    return { id, name: String(name), path: `${pathOf(userType, id)}sessions/` }
  })

const showOther: Handler = (request) =>
  Effect.gen(function* () {
    const listed = yield* otherIn(request)
    const { id, name } = listed
    const titles = { heading: `${name} is logged in here`, empty: `${name} has no session.` }
    return yield* framed(request, {
      title: `Sessions of ${name}`,
      crumbs: [[groupOf(userType)], [pluralOf(userType), pathOf(userType)], [name, pathOf(userType, id)]],
      main: html`${yield* content(request, listed, titles)}
        <p class="hint">All of them end with a new password, and when the user is made inactive. Tokens stay valid.</p>`
    })
  })

const content = Effect.fnUntraced(function* (
  request: Request,
  { id, path }: SessionList,
  { heading, empty }: { readonly heading: string; readonly empty: string }
) {
  const sessions = yield* sessionsOf(id, request.principal.session)
  const others = sessions.filter(({ current }) => !current).length
  const all = others === sessions.length ? "End all" : "End all others"
  return html`${request.url.searchParams.has("ended") ? doneLine("The session has ended.") : ""}
    <div class="card">
      <div class="ch">
        <h2>${heading}</h2>
        <span class="grow"></span>
        ${others === 0 ? "" : endForm(request, path, "others", all)}
      </div>
      ${sessions.length === 0 ? html`<div class="empty"><b>${empty}</b></div>` : table(request, path, sessions)}
    </div>`
})

const table = (request: Request, path: string, sessions: ReadonlyArray<Session>): Html =>
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
        ${sessions.map((session) => row(request, path, session))}
      </tbody>
    </table>
  </div>`

const row = (request: Request, path: string, session: Session): Html => {
  const { id, agent, address, current, begun, last_used: used, expires } = session
  const time = (text: string | null) => (text === null ? none : timeOf(text))
  const end = current
    ? html`<a class="btn btn-sm" href="/logout/">${icon("logout")}Log out</a>`
    : endForm(request, path, id, "End")
  return html`<tr>
    <th scope="row">
      <span title="${agent ?? ""}">${agentName(agent ?? "")}</span>
      ${current ? html`<span class="badge-v v-active">This one</span>` : ""}
    </th>
    <td class="mono lo">${address ?? none}</td>
    <td>${time(used)}</td>
    <td class="lo">${time(begun)}</td>
    <td class="lo">${time(expires)}</td>
    <td>${end}</td>
  </tr>`
}

const endForm = (request: Request, path: string, session: string, title: string): Html =>
  html`<form method="post" action="${path}">
    ${csrfInput(request)}<button class="btn btn-sm" name="session" value="${session}">${icon("x")}${title}</button>
  </form>`

const submitOwn: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    return yield* submit(request, { id: user.id, name: username(request.principal), path: ownPath })
  })

const submitOther: Handler = (request) => Effect.flatMap(otherIn(request), (listed) => submit(request, listed))

/** Ends the chosen session, or all of the user but the reader's own. */
const submit = Effect.fnUntraced(function* ({ incoming, principal }: Request, { id, name, path }: SessionList) {
  const session = (yield* readForm(incoming)).get("session") ?? ""
  const isOne = /^\d{1,15}$/.test(session)
  const ended =
    session === "others" ? yield* endOthers(id, principal.session) : Number(isOne && (yield* endOne(id, session)))
  // `written` names the changed accounts for the audit log: sessions are not part of a user.
  if (ended === 0) return { ...redirect(path), written: [] }
  yield* auditSessionsEnded({ by: username(principal), of: name, sessions: ended }, addressOf(incoming))
  return { ...redirect(`${path}?ended=1`), written: [] }
})

export default [
  { path: ownPath, access: "open", methods: { GET: showOwn, POST: submitOwn } },
  {
    path: `${pathOf(userType)}:id/sessions/`,
    access: userType,
    action: "change",
    methods: { GET: showOther, POST: submitOther }
  }
] satisfies ReadonlyArray<Route>
