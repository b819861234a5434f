/** `/system/status/`: versions, problems with what to do about each, settings without secrets. */
import { Effect } from "effect"
import { version } from "../../Config.ts"
import { type Problem, serviceProblems } from "../../history/tasks/Problems.ts"
import { processes } from "../../history/tasks/Processes.ts"
import { sendingState } from "../../requests/Sending.ts"
import { watching } from "../../http/system/MetricsAccess.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { postgresVersion, settingsSeen, versionsTold } from "../../http/system/Service.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"
import { pausedBanner, senderBanner } from "./Banners.ts"
import { card } from "../capture/CaptureCards.ts"
import { probed, unavailable } from "./Probe.ts"
import { capital } from "../value/Title.ts"
import { none } from "../value/Value.ts"

const webhookType = objectType("extras.webhook")
const path = "/system/status/"

const show: Handler = (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const found = yield* Effect.all(
      {
        all: probed(processes),
        problems: probed(Effect.flatMap(processes, serviceProblems)),
        sending: probed(sendingState),
        postgres: probed(postgresVersion),
        told: probed(versionsTold)
      },
      { concurrency: "unbounded" }
    )
    const { all, problems, sending, postgres, told } = found
    const settings = yield* settingsSeen
    return yield* framed(request, {
      title: "Status",
      crumbs: [["System"]],
      actions: html`<a class="btn btn-sm" href="${path}">Refresh</a>
        <a class="btn btn-sm" href="/health/ready">Readiness</a>
        <a class="btn btn-sm" href="/metrics">Metrics</a>`,
      main: html`<div class="system-page">
        ${all === undefined ? "" : senderBanner(all)}
        ${sending === undefined ? "" : pausedBanner(request, sending, false)}
        <div class="panels">
          <div>${card("health", "Health", problems, health)}</div>
          <div>${card("versions", "Versions", all, () => versions({ postgres, told }))}</div>
        </div>
        ${settings.length === 0 ? "" : settingsCard(settings)}
      </div>`
    })
  })

const health = (problems: ReadonlyArray<Problem>): Html =>
  problems.length === 0
    ? html`<p class="note">
        <span class="state"><span class="dot ok"></span>Every process is ready, and there is no alarm.</span>
      </p>`
    : html`<ul class="health">
        ${problems.map(
          ({ problem, advice, processes: of }) =>
            html`<li>
              <span class="dot bad"></span>
              <div>
                <b>${capital(problem)}.</b>
                <div>${advice}</div>
                <div class="sub mono">${of.join(", ")}</div>
              </div>
            </li>`
        )}
      </ul>`

interface Versions {
  readonly postgres: string | undefined
  readonly told: Effect.Success<typeof versionsTold> | undefined
}

const versions = ({ postgres, told }: Versions): Html => {
  const shown = (found: ReadonlyArray<unknown> | undefined) =>
    found === undefined ? unavailable : found.length === 0 ? none : html`${found.join(", ")}`
  return html`<dl class="attrs">
    <dt>Rackwire</dt>
    <dd>${told === undefined ? version : shown(told.rackwire)}</dd>
    <dt>Postgres</dt>
    <dd>${postgres ?? unavailable}</dd>
    <dt>Redis</dt>
    <dd>${shown(told?.redis.filter((each) => each !== ""))}</dd>
    <dt>Node</dt>
    <dd>${shown(told?.node)}</dd>
  </dl>`
}

const settingsCard = (settings: Effect.Success<typeof settingsSeen>): Html =>
  html`<section class="card" id="settings" aria-labelledby="h-settings">
    <div class="ch">
      <h2 id="h-settings">Settings</h2>
      <span class="sub">of the process that answers; secrets are left out</span>
    </div>
    <div class="table-responsive">
      <table class="table table-vcenter dense">
        <caption class="visually-hidden">
          Settings
        </caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
            <th scope="col" class="lo">Description</th>
          </tr>
        </thead>
        <tbody>
          ${settings.map(
            ({ name, value, isSet, description }) =>
              html`<tr>
                <th scope="row" class="mono">${name}</th>
                <td class="nm mono">${value === "" ? none : value}</td>
                <td>${isSet ? html`<b>environment</b>` : html`<span class="sub">default</span>`}</td>
                <td class="nm lo sub">${description.replaceAll("`", "")}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </div>
  </section>`

export default { path, access: webhookType, methods: { GET: show } } satisfies Route
