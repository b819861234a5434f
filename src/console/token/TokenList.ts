/** Tokens of a user: a table with a way to change and revoke each, and the form for one. */
import { tokenTail } from "../../inventory/Vault.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Errors, type RowOf } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Token from "../../inventory/types/users/Token.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { timeOf } from "../value/Time.ts"
import { none } from "../value/Value.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { isDay } from "../form/Control.ts"

const tokenType = objectType("users.token")

export type TokenRow = RowOf<typeof Token>

/** Input of the form. */
export interface TypedToken {
  readonly description: string
  readonly expires: string
  readonly allowedIps: string
  readonly isWriting: boolean
  readonly errors: Errors
}

export const blankToken: TypedToken = { description: "", expires: "", allowedIps: "", isWriting: true, errors: {} }

/** A token as a form is opened for it. */
export const typedOf = ({ description, expires, allowed_ips: allowed, write_enabled }: TokenRow): TypedToken => ({
  description,
  expires: expires ?? "",
  allowedIps: allowed.join(", "),
  isWriting: write_enabled,
  errors: {}
})

/** `path`: the page of the tokens. */
export const tokenTable = (request: Request, tokens: ReadonlyArray<TokenRow>, path: string): Html =>
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
        ${tokens.map((token) => row(request, token, path))}
      </tbody>
    </table>
  </div>`

/** People know a token by its end. */
const nameOf = ({ key }: TokenRow): string => `…${key.slice(0, tokenTail)}`

const row = (request: Request, token: TokenRow, path: string): Html => {
  const { id, description, last_used: used, expires, created, allowed_ips: allowed } = token
  return html`<tr>
    <th scope="row" class="mono">${nameOf(token)}</th>
    <td>${description === "" ? none : description}</td>
    <td class="lo">${used === null ? html`<span class="sub">never</span>` : timeOf(used)}</td>
    <td class="lo">${token.write_enabled ? "Yes" : "No"}</td>
    <td class="lo">${allowed.length === 0 ? "any" : allowed.join(", ")}</td>
    <td class="lo">${timeOf(created)}</td>
    <td class="lo">${expires === null ? html`<span class="sub">never</span>` : timeOf(expires)}</td>
    <td class="acts">
      <a class="btn btn-sm" href="${path}${id}/edit/"
        >${icon("pencil")}Edit<span class="visually-hidden"> ${nameOf(token)}</span></a
      >
      <details class="confirm">
        <summary class="btn btn-sm">${icon("trash")}Revoke</summary>
        <form method="post" action="${path}${id}/revoke/">
          ${csrfInput(request)}<button class="btn btn-sm btn-danger">Yes, revoke ${nameOf(token)}</button>
        </form>
      </details>
    </td>
  </tr>`
}

/** `editing`: the token that it changes; without it the form makes one. */
export const tokenForm = (request: Request, typed: TypedToken, path: string, editing?: TokenRow): Html => {
  const { description, expires, allowedIps, isWriting, errors } = typed
  const first = ["description", "expires", "allowed_ips"].find((name) => Object.hasOwn(errors, name))
  const general = Object.entries(errors).filter(([name]) => name.startsWith("_") || name === "user")
  const field = (name: string, title: string, value: string, hint: string) => {
    const messages = inWordsAll({ type: tokenType, name, messages: errors[name] ?? [], input: value })
    const marks = messages === "" ? "" : html` aria-invalid="true" aria-describedby="wrong-${name}"`
    return html`<div class="form-row">
      <label for="${name}">${title}</label>
      <div>
        <input
          class="field-in"
          id="${name}"
          name="${name}"
          value="${value}"
          ${name === "expires" && isDay(value) ? html`type="date"` : html`autocomplete="off" maxlength="1000"`}
          ${marks}${name === first ? html` autofocus` : ""}
        />
        ${messages === "" ? "" : html`<p class="field-error" id="wrong-${name}">${messages}</p>`}
        ${hint === "" ? "" : html`<p class="sub">${hint}</p>`}
      </div>
    </div>`
  }
  const action = editing === undefined ? path : `${path}${editing.id}/edit/`
  return html`<form class="card object-form" method="post" action="${action}" aria-labelledby="token">
    <h2 class="form-title" id="token">${editing === undefined ? "Add a token" : `Edit token ${nameOf(editing)}`}</h2>
    ${general.map(([name, messages]) => html`<p class="field-error" role="alert">${inWordsAll({ type: tokenType, name, messages })}</p>`)}
    ${csrfInput(request)} ${field("description", "Description", description, "")}
    ${field("expires", "Expires", expires, "A day, or a time in UTC such as 2027-01-31 12:00. Blank: never.")}
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
    <div class="form-end">
      <button class="btn btn-sm btn-primary">
        ${editing === undefined ? html`${icon("plus")}Add` : html`${icon("check")}Save`}
      </button>
      ${editing === undefined ? "" : html`<a class="btn btn-sm" href="${path}">Cancel</a>`}
    </div>
  </form>`
}
