/**
 * `/help/templates/`: what each template plugin adds, with its examples, for people who write templates.
 *
 * It shows what `/api/plugins/` answers, so a plugin appears here as soon as it is loaded.
 */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import { type PluginDescription, Templates } from "../../template/Template.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"

const seen: ReadonlyArray<readonly [name: string, meaning: string]> = [
  ["event", "created, updated or deleted"],
  ["object_type, model", "of the object: dcim.device, device"],
  ["data", "the object as the API shows it; of a deleted one its last state"],
  ["snapshots", "prechange and postchange: its state before and after, or null"],
  ["timestamp", "when the change was committed"],
  ["username, request_id", "who made it, and in which request"],
  ["request", "id, method, path and user of the API request; null for plain SQL"],
  ["message", "why it was made, where its author says so"]
]

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { plugins } = yield* Templates
    const all = yield* plugins
    return yield* framed(request, {
      title: "Templates",
      main: html`<div class="card sheet doc">
        <p>
          Templates are in Jinja2, or in the language that their webhook names as <code>template_engine</code>:
          ${all.flatMap(({ engines }) => engines.map((engine) => html`<code>${engine}</code> `))}. Here is what plugins
          add to it. Each example was run when its plugin was loaded.
        </p>
        <p>
          A webhook without <code>scope_user</code> receives every change of the object types that it names, whatever
          its keeper may view: the right to write webhooks is for trusted people.
        </p>
        <h2>What templates see</h2>
        <dl>
          ${seen.map(
            ([name, meaning]) =>
              html`<dt><code>${name}</code></dt>
                <dd>${meaning}</dd>`
          )}
        </dl>
        <p>
          Those of a webhook with <code>batch</code> see <code>events</code> alone: a list in which each event has all
          of this, the <code>delivery_id</code> and the number of the <code>attempt</code>.
        </p>
        <nav>${all.map(({ name }) => html`<a href="#${name}">${name}</a> `)}</nav>
        ${all.map(section)}
      </div>`
    })
  })

const section = (plugin: PluginDescription): Html => {
  const { name, description, examples, templates } = plugin
  const brought = (["filters", "tests", "globals", "tags", "engines"] as const).filter(
    (kind) => plugin[kind].length > 0
  )
  return html`<h2 id="${name}">${name}</h2>
    <p>${description}</p>
    <dl>
      ${brought.map(
        (kind) =>
          html`<dt>${kind}</dt>
            <dd>${plugin[kind].map((each) => html`<code>${each}</code> `)}</dd>`
      )}
    </dl>
    ${
      examples.length === 0
        ? []
        : html`<table>
            <tr>
              <th>template</th>
              <th>engine</th>
              <th>gives</th>
            </tr>
            ${examples.map(example)}
          </table>`
    }
    ${Object.entries(templates).map(
      ([title, { description, body }]) =>
        html`<h3>${title}</h3>
          <p>${description}</p>
          <pre>${body}</pre>`
    )}`
}

const example = ({ template, engine = "jinja", expect }: PluginDescription["examples"][number]): Html =>
  html`<tr>
    <td><pre>${template}</pre></td>
    <td>${engine}</td>
    <td><pre>${typeof expect === "string" ? expect : `refused: ${expect.error}`}</pre></td>
  </tr>`

export default { path: "/help/templates/", access: "open", methods: { GET: show } } satisfies Route
