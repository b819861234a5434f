/** Cards on the pages of users and permissions, for readers who manage accounts. */
import { Effect } from "effect"
import { mayGrant } from "../../auth/Permission.ts"
import { principalOf } from "../../auth/Sight.ts"
import { cleared, mayDo } from "../../inventory/Clearance.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { isEverything, anyOf, equalTo, refersToSome, whereIds } from "../../inventory/derive/filter/Where.ts"
import { list } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { permissionTable } from "./PermissionWords.ts"
import { seenBy } from "./Sees.ts"

const userType = objectType("users.user")
const permissionType = objectType("users.objectpermission")

/** Most holders of a permission that are named. */
const namedMax = 50

/** Beside a user: the effective permissions, and what they open. For readers who may view all permissions. */
const userCards = Effect.fnUntraced(function* ({ id }: Row) {
  if (!isEverything(yield* cleared(permissionType, "view"))) return html``
  const principal = yield* principalOf(id)
  if (principal === undefined)
    return card("may", "Permissions", html`<p class="note">An inactive user may do nothing.</p>`)
  const sees = yield* seenBy(id)
  return html`${card("may", "Effective permissions", permissionTable(principal))}${card("sees", "Sees", sees)}`
})

/** Beside a permission: the users and groups that have it, and a form that shows what a user would see. */
const permissionCards = Effect.fnUntraced(function* (row: Row, { url }: Request) {
  const holders = yield* holdersOf(row)
  const names = holders.slice(0, namedMax).map(({ id, username }) => ({ id, name: String(username) }))
  const more = holders.length > namedMax ? html`<li class="note sub">and more</li>` : ""
  const asked = (url.searchParams.get("user") ?? "").trim()
  return html`${card(
    "holders",
    "Granted to",
    names.length === 0
      ? html`<p class="note">Nobody that you may view.</p>`
      : html`<ul class="rel columns">
          ${names.map(({ id, name }) => html`<li><a href="${pathOf(userType, id)}">${name}</a></li>`)}${more}
        </ul>`
  )}${card(
    "test",
    "Test as user",
    html`<form class="inline" method="get">
        <label for="as-user">User</label>
        <input
          class="field-in"
          id="as-user"
          name="user"
          value="${asked}"
          list="holder-names"
          maxlength="150"
          autocomplete="off"
          required
        />
        <datalist id="holder-names">${names.map(({ name }) => html`<option value="${name}"></option>`)}</datalist>
        <button class="btn btn-sm">${icon("eye")}Show</button>
      </form>
      ${asked === "" ? html`<p class="note sub">Counts what the user would see, with all permissions of the user.</p>` : yield* tested(asked, holders)}`
  )}`
})

const tested = Effect.fnUntraced(function* (username: string, holders: ReadonlyArray<Row>) {
  const [user] = yield* users(equalTo(userType, { username }), 1)
  if (user === undefined) {
    return html`<p class="note field-error" role="alert">There is no user of this name that you may view.</p>`
  }
  const holds = holders.some(({ id }) => id === user.id) ? "holds" : "does not hold"
  return html`<p class="note links" role="status">
      <a href="${pathOf(userType, user.id)}">${username}</a> ${holds} this permission, and would see:
    </p>
    ${yield* seenBy(user.id)}`
})

/** The users who have the permission by themselves or by a group, as far as the reader may view them. */
const holdersOf = ({ users: direct, groups }: Row) =>
  users(anyOf(whereIds(idsIn(direct)), refersToSome(userType, "groups", idsIn(groups))), namedMax + 1)

const idsIn = (value: unknown): ReadonlyArray<number> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "number") : []

const users = (where: Parameters<typeof list>[1]["where"], limit: number) =>
  list(userType, { where, ordering: ["username"], limit, offset: 0 })

const card = (id: string, title: string, content: Html): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <div class="ch"><h2 id="${id}">${title}</h2></div>
    ${content}
  </section>`

/** Links on the page of a user: to the sessions, the form of the password, the second factor, and the tokens, as the reader may. */
export const accountActions = Effect.fnUntraced(function* (type: ObjectType, id: number, { principal }: Request) {
  if (type.id !== userType.id) return html``
  const mayChange = yield* mayDo(userType, "change")
  const path = pathOf(userType, id)
  return html`${mayGrant(principal) ? html`<a class="btn btn-sm" href="${path}tokens/">${icon("key")}Tokens</a>` : ""}
  ${
    mayChange
      ? html`<a class="btn btn-sm" href="${path}sessions/">${icon("devices")}Sessions</a>
          <a class="btn btn-sm" href="${path}password/">${icon("lock")}Set password</a>
          <a class="btn btn-sm" href="${path}factors/">${icon("shield")}Second factor</a>`
      : ""
  }`
})

const nothing = () => Effect.succeed(html``)

/** The cards of an object of this type. */
export const accountCards = (type: string) =>
  type === userType.id ? userCards : type === permissionType.id ? permissionCards : nothing
