/**
 * `/user/api-tokens/`: the reader's own tokens; one more can be made, and each can be changed and revoked.
 * `/users/users/<id>/tokens/`: the same for another user, for users with that permission.
 */
import { Effect, Result } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { mayGrant } from "../../auth/Permission.ts"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { readForm } from "../../http/wire/Body.ts"
import { type Action, mayDo } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { byIds, list } from "../../inventory/read/Read.ts"
import type Token from "../../inventory/types/users/Token.ts"
import type User from "../../inventory/types/users/User.ts"
import { create, remove, update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { accountPage, doneLine, userIn } from "../account/AccountPage.ts"
import { arrived, carried, keyBanner } from "./NewToken.ts"
import { type TokenRow, type TypedToken, blankToken, tokenForm, tokenTable, typedOf } from "./TokenList.ts"
import { framed } from "../frame/Frame.ts"
import { groupOf } from "../frame/Menu.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { momentIn } from "../form/Cells.ts"

const tokenType = objectType<typeof Token>("users.token")
const userType = objectType<typeof User>("users.user")

/** Most tokens that are listed. */
const listedMax = 200

/** The owner of the tokens on a page. */
interface Owner {
  readonly id: number
  /** Absent on the reader's own page. */
  readonly name?: string
  readonly path: string
}

const ownPath = "/user/api-tokens/"

/** The owner that the address names. Fails with `Denied` where the reader may not write tokens of others. */
const ownerIn = Effect.fnUntraced(function* (request: Request) {
  const reader = yield* userIn(request)
  if (request.url.pathname.startsWith(ownPath)) return { id: reader.id, path: ownPath } satisfies Owner
  if (!mayGrant(request.principal)) return yield* new Denied({ reason: "NotGranted" })
  const { id, username } = yield* rowOf(userType, request)
  return { id, name: String(username), path: `${pathOf(userType, id)}tokens/` } satisfies Owner
})

/** `editing`: the token that the form changes; without it the form makes one. */
const page = Effect.fnUntraced(function* (
  request: Request,
  owner: Owner,
  { typed = blankToken, top = html``, editing }: { typed?: TypedToken; top?: Html; editing?: TokenRow }
) {
  const where = equalTo(tokenType, { user: owner.id })
  const tokens = yield* list(tokenType, { where, ordering: ["-created"], limit: listedMax, offset: 0 })
  const mayAdd = yield* mayDo(tokenType, "add")
  const status = Object.keys(typed.errors).length > 0 ? 400 : 200
  const form = editing !== undefined || mayAdd ? tokenForm(request, typed, owner.path, editing) : ""
  const table = html`<div class="card">
    ${tokens.length === 0 ? html`<div class="empty"><b>There are no tokens.</b>Programs use them to log in.</div>` : tokenTable(request, tokens, owner.path)}
  </div>`
  const main = editing === undefined ? html`${top}${table}${form}` : html`${top}${form}${table}`
  const { name } = owner
  if (name === undefined) return yield* accountPage(request, { title: "API tokens", main, status })
  return yield* framed(request, {
    title: `API tokens of ${name}`,
    crumbs: [[groupOf(userType)], [pluralOf(userType), pathOf(userType)], [name, pathOf(userType, owner.id)]],
    ...{ main, status }
  })
})

const show: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const { key, cookies } = yield* arrived(request)
    const done = request.url.searchParams.get("done")
    const told = done === "revoked" ? "The token is revoked." : done === "saved" ? "The token is saved." : undefined
    const top = key !== undefined ? keyBanner(key, request.base) : told === undefined ? html`` : doneLine(told)
    const reply = yield* page(request, owner, { top })
    return { ...reply, cookies: [...(reply.cookies ?? []), ...cookies] }
  })

/** The form as it was sent, and the fields that it writes; whether it is only to be shown again, after a login. */
const sentIn = (form: URLSearchParams) => {
  const isAgain = form.has("_again")
  const text = (name: string) => (form.get(name) ?? "").trim()
  const [description, expires, allowedIps] = [text("description"), momentIn(text("expires")), text("allowed_ips")]
  const isWriting = form.has("write_enabled")
  const typed = { description, expires, allowedIps, isWriting, errors: {} } satisfies TypedToken
  const allowed_ips = allowedIps.split(/[\s,]+/).filter((each) => each !== "")
  return { typed, isAgain, body: { description, write_enabled: isWriting, expires: expires || null, allowed_ips } }
}

const add: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const { typed, isAgain, body } = sentIn(yield* readForm(request.incoming))
    if (isAgain) return yield* page(request, owner, { typed })
    const made = yield* Effect.result(create(tokenType, [{ user: owner.id, ...body }], request.author))
    if (Result.isFailure(made)) {
      if (!(made.failure instanceof WriteRefused)) return yield* made.failure
      return yield* page(request, owner, { typed: { ...typed, errors: made.failure.errors[0] ?? {} } })
    }
    const [token] = made.success
    const cookie = yield* carried(request, String(token!.shown["key"]))
    return { ...redirect(owner.path), cookies: [cookie], written: [token!.row.id] }
  })

/** The token of the address, if it is the owner's. Fails with 404. */
const tokenIn = Effect.fnUntraced(function* ({ params: { token: id = "" } }: Request, owner: Owner, action: Action) {
  const [token] = yield* byIds(tokenType, /^\d{1,15}$/.test(id) ? [Number(id)] : [], action)
  return token === undefined || token.user !== owner.id ? yield* notFound() : token
})

const showEdit: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const editing = yield* tokenIn(request, owner, "change")
    return yield* page(request, owner, { typed: typedOf(editing), editing })
  })

const edit: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const editing = yield* tokenIn(request, owner, "change")
    const { typed, isAgain, body } = sentIn(yield* readForm(request.incoming))
    if (isAgain) return yield* page(request, owner, { typed, editing })
    const saved = yield* Effect.result(update(tokenType, [{ id: editing.id, body }], false, request.author))
    if (Result.isSuccess(saved)) return { ...redirect(`${owner.path}?done=saved`), written: [editing.id] }
    if (!(saved.failure instanceof WriteRefused)) return yield* saved.failure
    return yield* page(request, owner, { typed: { ...typed, errors: saved.failure.errors[0] ?? {} }, editing })
  })

const revoke: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const { id } = yield* tokenIn(request, owner, "delete")
    const written = yield* remove(tokenType, [id], request.author)
    return { ...redirect(`${owner.path}?done=revoked`), written }
  })

export default [ownPath, `${pathOf(userType)}:id/tokens/`].flatMap((path): ReadonlyArray<Route> => [
  { path, access: tokenType, keepsForm: true, methods: { GET: show, POST: add } },
  {
    path: `${path}:token/edit/`,
    access: tokenType,
    action: "change",
    keepsForm: true,
    methods: { GET: showEdit, POST: edit }
  },
  { path: `${path}:token/revoke/`, access: tokenType, action: "delete", methods: { POST: revoke } }
])
