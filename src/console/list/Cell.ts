/** Values in the cells of a list: the beginning of a long one. */
import { isDictionary } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { referenceIn, valueOf } from "../value/Value.ts"

/** Most characters of a value that a list shows. */
const charsMax = 200

/** Items of a list that decide how it is shown. */
const itemsMax = 20

/** Text of which a list shows no more than the beginning. */
export const shortened = (text: string, max = charsMax): string =>
  text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}…`

/** Takes no longer for a value of 16 MiB than for one of some hundred characters. */
export const cellValue = (value: unknown): Html => {
  if (typeof value === "string" && value.length > charsMax) return html`${shortened(value)}`
  if (isNested(value)) return html`<code>${shortened(beginOfJson(value, charsMax + 1))}</code>`
  return valueOf(value)
}

/** Whether a value is shown as JSON: neither empty, nor a reference, a choice, or a list of short values. */
const isNested = (value: unknown): value is object => {
  if (Array.isArray(value))
    return value.slice(0, itemsMax).some((each) => Array.isArray(each) || isNested(each) || isLong(each))
  if (!isDictionary(value)) return false
  const reference = referenceIn(value)
  if (reference !== undefined) return isLong(reference.display)
  if (typeof value["label"] === "string" && value["value"] !== undefined) return isLong(value["label"])
  for (const _ in value) return true
  return false
}

const isLong = (value: unknown): boolean => typeof value === "string" && value.length > charsMax

/** The beginning of a value as JSON, of at least `max` characters where it has so many. */
const beginOfJson = (value: unknown, max: number): string => {
  let text = ""
  const write = (each: unknown): void => {
    if (typeof each === "string") text += JSON.stringify(each.slice(0, max))
    else if (Array.isArray(each)) list("[", each, write, "]")
    else if (isDictionary(each)) list("{", entriesOf(each), writeEntry, "}")
    else text += String(each)
  }
  const writeEntry = ([name, each]: readonly [string, unknown]): void => {
    text += `${JSON.stringify(name.slice(0, max))}: `
    write(each)
  }
  const list = <A>(begin: string, items: Iterable<A>, one: (item: A) => void, end: string): void => {
    text += begin
    let isFirst = true
    for (const item of items) {
      if (text.length >= max) return
      text += isFirst ? "" : ", "
      isFirst = false
      one(item)
    }
    text += end
  }
  write(value)
  return text
}

function* entriesOf(value: Readonly<Record<string, unknown>>): Generator<readonly [string, unknown]> {
  for (const name in value) yield [name, value[name]]
}
