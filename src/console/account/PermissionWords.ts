/** Permissions in words, by object type. */
import type { Permission, Principal } from "../../auth/Principal.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { beginning } from "../value/Value.ts"

/** Most characters of a constraint. */
const constraintLengthMax = 300

interface Right {
  readonly actions: ReadonlyArray<string>
  readonly which: string
}

/** Permissions of somebody: none, everything, or a table of object types. */
export const permissionTable = ({ user, permissions }: Pick<Principal, "user" | "permissions">): Html => {
  if (user?.is_superuser === true) return html`<p class="note">A superuser may do everything.</p>`
  const byType = rightsByType(permissions)
  if (byType.size === 0) return html`<p class="note">No permission was granted.</p>`
  return html`<div class="table-responsive">
    <table class="table table-vcenter dense wraps">
      <caption class="visually-hidden">
        Permissions by object type
      </caption>
      <thead>
        <tr>
          <th scope="col">Objects</th>
          <th scope="col">May</th>
          <th scope="col">Which</th>
        </tr>
      </thead>
      <tbody>
        ${[...byType].flatMap(([id, rights]) =>
          rights.map(
            ({ actions, which }, at) =>
              html`<tr>
                ${at === 0 ? html`<th scope="row" rowspan="${rights.length}">${titleOf(id)}</th>` : ""}
                <td>${actions.join(", ")}</td>
                <td>${which}</td>
              </tr>`
          )
        )}
      </tbody>
    </table>
  </div>`
}

const titleOf = (id: string): Html => {
  const type = registry.get(id)
  return type === undefined ? html`${id}` : html`<a href="${pathOf(type)}">${pluralOf(type)}</a>`
}

/** The rights of each type in the order of the registry; rights to the same objects are one. */
const rightsByType = (permissions: ReadonlyArray<Permission>): ReadonlyMap<string, ReadonlyArray<Right>> => {
  const single = permissions.flatMap(({ types, actions, constraints }) =>
    types.map((type) => ({ type, actions, which: constraintText(constraints) }))
  )
  const order = [...registry.keys()]
  const byType = [...Map.groupBy(single, ({ type }) => type)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return new Map(
    byType.map(([type, own]) => [
      type,
      [...Map.groupBy(own, ({ which }) => which)].map(([which, same]) => ({
        which,
        actions: [...new Set(same.flatMap(({ actions }) => actions))]
      }))
    ])
  )
}

/** `{"status": "active", "region__slug": "north"}` -> `status is active and region slug is north`. */
const constraintText = (constraints: unknown): string => {
  const clauses = [constraints].flat().filter((each) => isDictionary(each) && Object.keys(each).length > 0)
  if (constraints === null || constraints === undefined || clauses.length === 0) return "all"
  return beginning(clauses.map((each) => clauseText(each as object)).join(", or "), constraintLengthMax)
}

const clauseText = (clause: object): string =>
  Object.entries(clause)
    .map(([name, value]) => `${name.replaceAll("__", " ").replaceAll("_", " ")} is ${valueText(value)}`)
    .join(" and ")

const valueText = (value: unknown): string =>
  value === "$user" ? "this user" : typeof value === "string" ? value : JSON.stringify(value)
