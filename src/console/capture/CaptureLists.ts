/** The gaps, the epochs, and the changes that were set aside. */
import { bareType, sourceTypeOf } from "../../event/SourceType.ts"
import type { SourceNames } from "../../history/source/SourceNames.ts"
import type { EpochState, Gap, SetAsideState } from "../../history/capture/CaptureState.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { denseTable } from "../frame/DenseTable.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { beginning, none } from "../value/Value.ts"
import { card } from "./CaptureCards.ts"

/** Most characters of a reason. */
const reasonLengthMax = 300

const head = (title: string): Html => html`<th scope="col">${title}</th>`
const hidden = (title: string): Html => html`<th scope="col"><span class="visually-hidden">${title}</span></th>`
const wide = (title: string): Html => html`<th scope="col" class="lo">${title}</th>`

/** `sourceOf` names the sources of the gaps. */
export const gapCard = (
  request: Request,
  gaps: ReadonlyArray<Gap> | undefined,
  mayAcknowledge: boolean,
  sourceOf: SourceNames
): Html =>
  card("gaps", "Gaps", gaps, (found) =>
    found.length === 0
      ? html`<p class="note">Every change was captured.</p>`
      : html`<p class="note">
            In these spans changes were not captured, or not whole.${replayHint(found)} A gap is an alarm until it is
            acknowledged.
          </p>
          ${denseTable(
            "Gaps",
            [head("Gap"), wide("From"), wide("To"), head("What happened"), hidden("Actions")],
            found.map((gap) => gapRow(request, gap, mayAcknowledge, sourceOf))
          )}`
  )

/** Rows of the inventory are all that can be replayed. */
const replayHint = (gaps: ReadonlyArray<Gap>): Html | string => {
  const own = gaps.find(({ cause }) => cause !== "source")
  return own === undefined
    ? ""
    : html` <code>npx rackwire replay --gap ${own.id}</code> queues the changes that rows still show.`
}

const gapRow = (request: Request, gap: Gap, mayAcknowledge: boolean, sourceOf: SourceNames): Html => {
  const { id, reason, objectTypes, since, until, acknowledged } = gap
  return html`<tr>
    <th scope="row">
      <span class="dot ${acknowledged === null ? "bad" : "off"}"></span>${id}
      <div class="sub">${acknowledged === null ? "alarm" : "acknowledged"}</div>
    </th>
    <td class="lo">${timeOf(since, "second")}</td>
    <td class="lo">${until === null ? "still open" : timeOf(until, "second")}</td>
    <td class="nm">
      ${beginning(reason, reasonLengthMax)}
      <div class="sub">
        ${objectTypes === null ? "all object types" : beginning(typesText(objectTypes, sourceOf), reasonLengthMax)}
      </div>
    </td>
    <td class="ra">${acknowledged === null && mayAcknowledge ? acknowledgeForm(request, id) : ""}</td>
  </tr>`
}

/** A gap is of the types of one source, or of the inventory. */
const typesText = (types: ReadonlyArray<string>, sourceOf: SourceNames): string => {
  const [first] = types
  const of = first === undefined || sourceTypeOf(first) === undefined ? "" : ` of ${sourceOf(first) ?? "a source"}`
  return of === ""
    ? types.join(", ")
    : `${types.length} object ${types.length === 1 ? "type" : "types"}${of}: ${types.map(bareType).join(", ")}`
}

const acknowledgeForm = (request: Request, id: number): Html =>
  html`<form method="post" action="/system/capture/gaps/${id}/acknowledge/">
    ${csrfInput(request)}
    <button class="btn btn-sm" aria-label="Acknowledge gap ${id}">${icon("check")}Acknowledge</button>
  </form>`

export const epochCard = (epochs: ReadonlyArray<EpochState> | undefined): Html =>
  card("epochs", "Epochs", epochs, (found) =>
    found.length === 0
      ? html`<p class="note">Nothing was captured yet.</p>`
      : denseTable(
          "Epochs",
          [head("Epoch"), head("Begun"), wide("Captured up to")],
          found.map(
            ({ number: epoch, began, continues, captured, capturedLsn }) =>
              html`<tr>
                <th scope="row">${epoch}</th>
                <td>
                  ${timeOf(began)}
                  <div class="sub">
                    ${epoch === 0 || continues ? "nothing is missing before it" : "with a gap before it"}
                  </div>
                </td>
                <td class="lo">
                  ${captured === null ? none : timeOf(captured, "second")}
                  <div class="sub mono">${capturedLsn ?? ""}</div>
                </td>
              </tr>`
          )
        )
  )

export const setAsideCard = (setAside: SetAsideState | undefined): Html =>
  card("set-aside", "Changes set aside", setAside, ({ count, changes }) =>
    count === 0
      ? html`<p class="note">None: an event could be made of every change.</p>`
      : html`<p class="note">
            <b>${number(count)}</b> changes fired no webhook, because no event can be made of them. Repair the objects,
            then delete the rows of <code>rackwire_set_aside</code>.
          </p>
          ${
            changes.length === 0
              ? ""
              : denseTable(
                  "Changes set aside",
                  [head("Object"), head("Why")],
                  changes.map(
                    ({ objectType, objectId, kind, reason, committed }) =>
                      html`<tr>
                        <th scope="row">
                          <span class="mono">${objectType} ${beginning(objectId, 40)}</span>
                          <div class="sub">${kind}, ${timeOf(committed)}</div>
                        </th>
                        <td class="nm">${beginning(reason, reasonLengthMax)}</td>
                      </tr>`
                  )
                )
          }`
  )
