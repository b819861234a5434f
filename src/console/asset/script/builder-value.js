// Editors of the values of a builder: texts, lists of choices, and pickers of objects.
import { parsed } from "./builder-document.js"
import { addressOf, make } from "./shown.js"

/** A value as text: JSON, but for texts that JSON would read as themselves. */
const textOf = (value, isText) => {
  if (value === undefined) return ""
  return typeof value === "string" && (isText || parsed(value) === undefined) ? value : JSON.stringify(value)
}

const valueOf = (text, isText) => (isText ? text : (parsed(text.trim()) ?? { value: text }).value)

const selectOf = (options, value) => {
  const select = make("select", { className: "field-in" }, { "aria-label": "Value" })
  select.append(...Object.entries(options).map(([key, label]) => new Option(label, key)))
  const text = String(value ?? Object.keys(options)[0])
  if (!Object.hasOwn(options, text)) select.append(new Option(text, text))
  select.value = text
  return select
}

let pickers = 0

/** A picker as forms have it; `picker.js` finds it on the page. */
const pickerOf = (data, values, isMany) => {
  const id = `builder-value-${(pickers += 1)}`
  const root = make("div", { className: "picker" }, { "data-picker": "" })
  Object.assign(root.dataset, data, isMany && { many: "" })
  const label = make("label", { htmlFor: id, className: "visually-hidden", textContent: "Value" })
  const input = make("input", { className: "field-in", id, value: values.join(","), autocomplete: "off" })
  root.append(label, ...(isMany ? [make("ul", { className: "chips" }, { "data-chips": "" })] : []), input)
  return { root, value: () => (root.querySelector("input[type=hidden]") ?? input).value }
}

/** The displays of objects by their ids, as far as their search finds them. */
const displaysOf = async (pick, ids) => {
  const found = ids.slice(0, 20).map(async (id) => {
    const response = await fetch(`${addressOf(pick)}?${new URLSearchParams({ q: id })}`)
    const { results = [] } = response.ok ? await response.json() : {}
    return results.filter((each) => each.id === id).map(({ display }) => [id, display])
  })
  return Object.fromEntries((await Promise.all(found)).flat())
}

/** The editor of the value of a row: its elements, and the value that they have. */
export const editorOf = ({ kind, options, pick }, accepts, value) => {
  if (accepts.length === 0) return { elements: [], value: () => undefined }
  const isList = accepts.every((each) => each === "list")
  const isNumber = kind === "number"
  const read = (text) => (isNumber && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text)
  if ((kind === "boolean" && !isList) || accepts.join() === "boolean") {
    const select = selectOf({ true: "Yes", false: "No" }, value)
    return { elements: [select], value: () => select.value === "true" }
  }
  const isPlain = accepts.length > 1 || isList
  const items = (isList ? [value ?? []].flat() : [value]).filter((each) => each !== undefined && each !== null)
  if (isPlain && options !== undefined && !isList && value !== null) {
    const select = selectOf(options, value)
    return { elements: [select], value: () => read(select.value) }
  }
  if (isPlain && (options ?? pick) !== undefined && value !== null) {
    const slot = make("span")
    let current = () => value
    const put = (labels) => {
      const data = { labels: JSON.stringify(labels), ...(pick ? { path: pick } : { options: JSON.stringify(options) }) }
      const picker = pickerOf(data, items, isList)
      slot.replaceChildren(picker.root)
      const texts = () =>
        picker
          .value()
          .split(",")
          .filter((each) => each !== "")
      current = () => (isList ? texts().map(read) : read(picker.value()))
      document.dispatchEvent(new Event("live:put"))
    }
    if (pick === undefined || items.length === 0) put(options ?? {})
    else displaysOf(pick, items).then(put, () => put({}))
    return { elements: [slot], value: () => current() }
  }
  const isText = kind === "text" && (value === undefined || typeof value === "string")
  const hasList = isList && items.every((each) => !/[,"[]/.test(textOf(each, kind === "text")))
  const text = hasList ? items.map((each) => textOf(each, kind === "text")).join(", ") : textOf(value, isText)
  const input = make("input", { className: "field-in", value: text, autocomplete: "off" }, { "aria-label": "Value" })
  if (isList) input.placeholder = "Separated by commas"
  const list = () => {
    const whole = parsed(input.value.trim())?.value
    if (Array.isArray(whole)) return whole
    const each = input.value.split(",").map((item) => item.trim())
    return each.filter((item) => item !== "").map((item) => valueOf(item, kind === "text"))
  }
  return { elements: [input], value: () => (isList ? list() : valueOf(input.value, isText)) }
}
