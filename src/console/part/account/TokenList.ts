/** Tokens of a user: a table with a way to revoke each, and the form for one more. */
import { tokenTail } from "../../../Vault.ts"
import type { Request } from "../../../http/Route.ts"
import { type Errors, type RowOf, textsIn } from "../../../inventory/Field.ts"
import type Token from "../../../inventory/types/users/Token.ts"
import { type Html, html } from "../../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../Icon.ts"
import { timeOf } from "../Time.ts"
import { none } from "../Value.ts"

type TokenRow = RowOf<typeof Token>

/** What was typed into the form. */
export interface TypedToken {
  readonly description: string
  readonly expires: string
  readonly allowedIps: string
  readonly isWriting: boolean
  readonly errors: Errors
}

export const blankToken: TypedToken = { description: "", expires: "", allowedIps: "", isWriting: true, errors: {} }

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

const row = (request: Request, token: TokenRow, path: string): Html => {
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
        <form method="post" action="${path}${id}/revoke/">
          ${csrfInput(request)}<button class="btn btn-sm btn-danger">Yes, revoke …${key.slice(0, tokenTail)}</button>
        </form>
      </details>
    </td>
  </tr>`
}

export const tokenForm = (request: Request, typed: TypedToken, path: string): Html => {
  const { description, expires, allowedIps, isWriting, errors } = typed
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
  return html`<form class="card object-form" method="post" action="${path}" aria-labelledby="add-token">
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
