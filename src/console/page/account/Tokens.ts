/** `/user/api-tokens/`: the reader's own tokens; one more can be made, and each can be revoked. */
import { Effect, Result } from "effect"
import { tokenTail } from "../../../Vault.ts"
import { notFound } from "../../../http/HttpRefused.ts"
import { type Handler, type Request, type Route, redirect } from "../../../http/Route.ts"
import { readForm } from "../../../http/wire/Body.ts"
import { cleared } from "../../../inventory/Clearance.ts"
import { type Errors, type RowOf, textsIn } from "../../../inventory/Field.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { byIds, list } from "../../../inventory/read/Read.ts"
import type Token from "../../../inventory/types/users/Token.ts"
import { create, remove } from "../../../inventory/write/Write.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import { type Html, html } from "../../Html.ts"
import { accountPage, doneLine, userIn } from "../../part/account/AccountPage.ts"
import { arrived, carried, keyBanner } from "../../part/account/NewToken.ts"
import { csrfInput } from "../../part/CsrfInput.ts"
import { icon } from "../../part/Icon.ts"
import { timeOf } from "../../part/Time.ts"
import { none } from "../../part/Value.ts"

const tokenType = objectType<typeof Token>("users.token")

type TokenRow = RowOf<typeof Token>

/** Most tokens that are listed. */
const listedMax = 200

interface Typed {
  readonly description: string
  readonly expires: string
  readonly allowedIps: string
  readonly isWriting: boolean
  readonly errors: Errors
}

const blank: Typed = { description: "", expires: "", allowedIps: "", isWriting: true, errors: {} }

const page = Effect.fnUntraced(function* (request: Request, typed: Typed, top: Html = html``) {
  const user = yield* userIn(request)
  const where = { sql: "t.user_id = $1::bigint", parameters: [`${user.id}`] }
  const tokens = yield* list(tokenType, { where, ordering: ["-created"], limit: listedMax, offset: 0 })
  const mayAdd = (yield* cleared(tokenType, "add")).sql !== "false"
  const isWrong = Object.keys(typed.errors).length > 0
  return yield* accountPage(request, {
    title: "API tokens",
    main: html`${top}
      <div class="card">
        ${tokens.length === 0 ? html`<div class="empty"><b>You have no tokens.</b>Programs use them to log in.</div>` : table(request, tokens)}
      </div>
      ${mayAdd ? form(request, typed) : ""}`,
    status: isWrong ? 400 : 200
  })
})

const table = (request: Request, tokens: ReadonlyArray<TokenRow>): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter dense">
      <caption class="visually-hidden">
        Tokens
      </caption>
      <thead>
        <tr>
          <th scope="col">Token</th>
          <th scope="col">Description</th>
          <th scope="col" class="lo">Last use</th>
          <th scope="col" class="lo">May write</th>
          <th scope="col" class="lo">Allowed addresses</th>
          <th scope="col" class="lo">Created</th>
          <th scope="col" class="lo">Expires</th>
          <th scope="col"><span class="visually-hidden">Action</span></th>
        </tr>
      </thead>
      <tbody>
        ${tokens.map((token) => row(request, token))}
      </tbody>
    </table>
  </div>`

const row = (request: Request, token: TokenRow): Html => {
  const { id, key, description, last_used: used, expires, created, allowed_ips: allowed } = token
  return html`<tr>
    <th scope="row" class="mono">…${key.slice(0, tokenTail)}</th>
    <td>${description === "" ? none : description}</td>
    <td class="lo">${used === null ? html`<span class="sub">never</span>` : timeOf(used)}</td>
    <td class="lo">${token.write_enabled ? "Yes" : "No"}</td>
    <td class="lo">${allowed.length === 0 ? "any" : allowed.join(", ")}</td>
    <td class="lo">${timeOf(created)}</td>
    <td class="lo">${expires === null ? html`<span class="sub">never</span>` : timeOf(expires)}</td>
    <td>
      <details class="confirm">
        <summary class="btn btn-sm">${icon("trash")}Revoke</summary>
        <form method="post" action="/user/api-tokens/${id}/revoke/">
          ${csrfInput(request)}<button class="btn btn-sm btn-danger">Yes, revoke …${key.slice(0, tokenTail)}</button>
        </form>
      </details>
    </td>
  </tr>`
}

const form = (request: Request, { description, expires, allowedIps, isWriting, errors }: Typed): Html => {
  const first = ["description", "expires", "allowed_ips"].find((name) => Object.hasOwn(errors, name))
  const general = Object.entries(errors).filter(([name]) => name.startsWith("_") || name === "user")
  const field = (name: string, title: string, value: string, hint: string) => {
    const messages = textsIn(errors[name] ?? []).join(" ")
    const marks = messages === "" ? "" : html` aria-invalid="true" aria-describedby="wrong-${name}"`
    return html`<div class="form-row">
      <label for="${name}">${title}</label>
      <div>
        <input
          class="field-in"
          id="${name}"
          name="${name}"
          value="${value}"
          autocomplete="off"
          maxlength="1000"
          ${marks}${name === first ? html` autofocus` : ""}
        />
        ${messages === "" ? "" : html`<p class="field-error" id="wrong-${name}">${messages}</p>`}
        ${hint === "" ? "" : html`<p class="sub">${hint}</p>`}
      </div>
    </div>`
  }
  return html`<form class="card object-form" method="post" action="/user/api-tokens/" aria-labelledby="add-token">
    <h2 class="form-title" id="add-token">Add a token</h2>
    ${general.map(([, messages]) => html`<p class="field-error" role="alert">${textsIn(messages).join(" ")}</p>`)}
    ${csrfInput(request)} ${field("description", "Description", description, "")}
    ${field("expires", "Expires", expires, "A time in UTC such as 2027-01-31 12:00. Blank: never.")}
    ${field("allowed_ips", "Allowed addresses", allowedIps, "Networks such as 10.0.0.0/8, separated by commas. Blank: any.")}
    <div class="form-row">
      <span></span>
      <label class="pick"
        ><input
          class="form-check-input"
          type="checkbox"
          name="write_enabled"
          value="true"
          ${isWriting ? html` checked` : ""}
        />May write</label
      >
    </div>
    <div class="form-end"><button class="btn btn-sm btn-primary">${icon("plus")}Add</button></div>
  </form>`
}

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { key, cookies } = yield* arrived(request)
    const isRevoked = request.url.searchParams.has("revoked")
    const top =
      key !== undefined ? keyBanner(key, request.base) : isRevoked ? doneLine("The token is revoked.") : html``
    return { ...(yield* page(request, blank, top)), cookies }
  })

const add: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const sent = yield* readForm(request.incoming)
    const text = (name: string) => (sent.get(name) ?? "").trim()
    const [description, expires, allowedIps] = [text("description"), text("expires"), text("allowed_ips")]
    const isWriting = sent.has("write_enabled")
    const body = {
      ...{ user: user.id, description, write_enabled: isWriting, expires: expires === "" ? null : expires },
      allowed_ips: allowedIps.split(/[\s,]+/).filter((each) => each !== "")
    }
    const made = yield* Effect.result(create(tokenType, [body], request.author))
    if (Result.isFailure(made)) {
      if (!(made.failure instanceof WriteRefused)) return yield* made.failure
      return yield* page(request, { description, expires, allowedIps, isWriting, errors: made.failure.errors[0] ?? {} })
    }
    const [token] = made.success
    const cookie = yield* carried(request, String(token!.shown["key"]))
    return { ...redirect("/user/api-tokens/"), cookies: [cookie], written: [token!.row.id] }
  })

const revoke: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const { id = "" } = request.params
    const [token] = yield* byIds(tokenType, /^\d{1,15}$/.test(id) ? [Number(id)] : [], "delete")
    if (token === undefined || token.user !== user.id) return yield* notFound()
    const written = yield* remove(tokenType, [token.id], request.author)
    return { ...redirect("/user/api-tokens/?revoked=1"), written }
  })

export default [
  { path: "/user/api-tokens/", access: tokenType, methods: { GET: show, POST: add } },
  { path: "/user/api-tokens/:id/revoke/", access: tokenType, action: "delete", methods: { POST: revoke } }
] satisfies ReadonlyArray<Route>
