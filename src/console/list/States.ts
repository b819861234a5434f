/** A list that shows no objects: there are none, none matches, or they could not be read. */
import type { SqlError } from "effect/sql"
import { databaseReply } from "../../http/DatabaseReply.ts"
import type { HttpRefused } from "../../http/HttpRefused.ts"
import type { Action } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { icon } from "../frame/Icon.ts"
import { inSentence, nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { attachIntroduction } from "../source/Introduction.ts"
import { filterTitle } from "../filter/FilterName.ts"
import { filterText } from "../filter/Filters.ts"
import type { NamedObjects } from "../filter/NamedObjects.ts"
import { changed, filtersOf, withoutFilters } from "./Query.ts"

/** `isBehind`: the page begins behind the last object. */
export const empty = (
  type: ObjectType,
  query: URLSearchParams,
  named: NamedObjects,
  may: (action: Action) => boolean,
  isBehind: boolean
): Html => {
  if (isBehind) {
    return html`<div class="empty">
      <b>The list ends before this page.</b><a href="${changed(query, { offset: undefined })}">First page</a>
    </div>`
  }
  const filters = [...filtersOf(query)]
  if (filters.length > 0) return noMatch(type, query, named, filters)
  const add = html`<a class="btn btn-sm btn-primary" data-key="a" href="${pathOf(type)}add/"
      >${icon("plus")}Add ${nameOf(type)}</a
    >
    <a class="btn btn-sm" href="${pathOf(type)}import/">${icon("upload")}Import</a>`
  return html`<div class="empty">
    <b>There are no ${inSentence(pluralOf(type))} that you may view.</b>
    ${introductions.get(type.id) ?? ""}
    ${
      may("add")
        ? html`<p>Add the first one, or import many from CSV, JSON or YAML.</p>
            ${add}`
        : type.kind === "object" && !type.isReadOnly
          ? "You have no permission to add one."
          : (origins.get(type.id) ?? "The service writes them by itself.")
    }
  </div>`
}

/** The purpose of the objects of a type, and the usual way to make one. */
const introductions: ReadonlyMap<string, Html> = new Map([["extras.source", attachIntroduction]])

/** The origin of records that users request. */
const origins: ReadonlyMap<string, string> = new Map([
  ["extras.replay", "A replay is requested on the page of a webhook."],
  ["extras.operation", "An operation is requested in the list of deliveries, or when a webhook is resumed."],
  ["extras.delivery", "A delivery is here from its first attempt on."]
])

const noMatch = (
  type: ObjectType,
  query: URLSearchParams,
  named: NamedObjects,
  filters: ReadonlyArray<readonly [name: string, value: string]>
): Html =>
  html`<div class="empty">
    <b>No ${nameOf(type)} matches.</b>
    <p>
      ${filters.length === 1 ? "The filter is" : "The filters are"}
      ${filters.map(([name, value], at) => html`${at === 0 ? "" : ", "}<q>${filterText(type, named, name, value)}</q>`)}.
    </p>
    <a class="btn btn-sm" href="${withoutFilters(query)}">${icon("x")}Remove all filters</a>
  </div>`

/** Why the objects could not be read, in words, with the status of the page; undefined if the reason is unknown. */
export const problemOf = (
  type: ObjectType,
  error: HttpRefused | SqlError.SqlError,
  { url }: { readonly url: URL }
): { readonly status: number; readonly shown: Html } | undefined => {
  if (error._tag === "SqlError") {
    const reply = databaseReply(error, url.href)
    const { detail = "" } = (reply?.json ?? {}) as { readonly detail?: string }
    return reply === undefined
      ? undefined
      : { status: reply.status, shown: alert(html`${detail} <a href="">Try again</a>`) }
  }
  if (error.status !== 400) return undefined
  const faults = Object.entries((error.body ?? {}) as Readonly<Record<string, unknown>>)
  return {
    status: 400,
    shown: alert(
      html`<b>The list is not shown, because a filter cannot be understood.</b>
        ${faults.map(([name, messages]) => html`<div>${isOfList(name) ? "" : html`<b>${filterTitle(name)}</b> (<code>${name}</code>): `}${wordsOf(type, name, messages, url)}</div>`)}`
    )
  }
}

const isOfList = (name: string): boolean => /^(detail|non_field_errors)$/.test(name)

/** The message is about one of the filter's values, and names that value where there are several. */
const wordsOf = (type: ObjectType, name: string, messages: unknown, { searchParams }: URL): string => {
  const given = searchParams.getAll(name)
  const input = given.length === 1 ? given[0] : undefined
  return inWordsAll({ type, name, messages: [messages].flat().map(String), input })
}

const alert = (content: Html): Html => html`<div class="alert-line links" role="alert">${content}</div>`
