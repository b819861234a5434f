/** The tabs of the background tasks: deliveries by their state. */
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"

export const tasksPath = "/system/background-tasks/"

const states = { failed: "Failed", scheduled: "Scheduled", running: "Running", queued: "Queued" } as const
export type TaskState = keyof typeof states

/** The state that an address names; failed if it names none. */
export const stateIn = (query: URLSearchParams): TaskState => {
  const asked = query.get("state") ?? ""
  return Object.hasOwn(states, asked) ? (asked as TaskState) : "failed"
}

/** The address of a tab; the first one needs no name. */
export const statePath = (state: TaskState): string =>
  state === "failed" ? `${tasksPath}#tasks` : `${tasksPath}?state=${state}#tasks`

export const stateTabs = (current: TaskState, counts: Readonly<Record<TaskState, number | undefined>>): Html =>
  html`<nav class="tabs" aria-label="Tasks" id="tasks">
    <ul>
      ${(Object.keys(states) as ReadonlyArray<TaskState>).map(
        (state) =>
          html`<li>
            <a href="${statePath(state)}" ${state === current ? html`aria-current="page"` : ""}
              >${states[state]} <span class="cnt">${counts[state] === undefined ? "?" : number(counts[state])}</span></a
            >
          </li>`
      )}
    </ul>
  </nav>`
