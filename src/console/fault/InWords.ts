/**
 * Errors of the API in the words of people who fill in a form: what is wrong, what was expected, how to fix it. The API
 * itself keeps NetBox's words, which clients depend on. Pure.
 */
import { type Field, type Messages, textsIn } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { splitName } from "../../inventory/derive/filter/Filter.ts"
import { conditionInWords } from "./ConditionWords.ts"
import { constraintInWords } from "./ConstraintWords.ts"
import { type Fault, type Subject, quoted, translated } from "./FieldWords.ts"
import { type JsonFault, jsonFault } from "./JsonFault.ts"

/** The message in people's words; as it is where it has them already. */
export const inWords = (fault: Fault): string => {
  const subject = subjectOf(fault)
  const broken = mayBeJson(subject.field) || notJson === fault.message ? brokenJson(fault.input) : undefined
  if (broken !== undefined) return broken
  if (subject.field?.grammar === "condition") return conditionInWords(fault.message, fault.input)
  if (subject.field?.grammar === "constraints") return constraintInWords(fault.message)
  return translated(fault.message, subject)
}

/** All messages of a field in one text, each sentence once. */
export const inWordsAll = ({ messages, ...fault }: Omit<Fault, "message"> & { readonly messages: Messages }): string =>
  [...new Set(textsIn(messages).map((message) => inWords({ ...fault, message })))].join(" ")

/** Cells of lists and of references may hold JSON, too. */
const mayBeJson = (field: Field | undefined): boolean =>
  field !== undefined && (field.type === "jsonb" || field.type.endsWith("[]") || field.reference !== undefined)

/** The message about a value that is no JSON. */
export const notJson = "Value must be valid JSON."

const subjectOf = (fault: Fault): Subject => {
  const { type, input } = fault
  const fieldNamed = (name: string) => (Object.hasOwn(type.fields, name) ? type.fields[name] : undefined)
  const [base] = splitName(fault.name)
  const field =
    fieldNamed(base) ?? fieldNamed(base.replace(/_id$/, "")) ?? (base === "tag" ? fieldNamed("tags") : undefined)
  const target = field?.reference === undefined ? undefined : objectType(field.reference.type)
  const typed = input === undefined || input === "" ? "This" : quoted(input)
  return { fault, field, target, typed }
}

/** The fault of a cell that begins as JSON and is none; undefined for other texts, which are taken literally. */
export const brokenJson = (cell: string | undefined): string | undefined => {
  const fault = cell !== undefined && /^\s*[[{]/.test(cell) ? jsonFault(cell) : undefined
  return fault === undefined ? undefined : jsonFaultInWords(fault)
}

/** Where a text is no JSON; undefined for JSON. */
export const jsonInWords = (text: string): string | undefined => {
  const fault = jsonFault(text)
  return fault === undefined ? undefined : jsonFaultInWords(fault)
}

const jsonFaultInWords = ({ line, column, expected, found, advice }: JsonFault): string => {
  const there = found === "" ? "the text ends there" : `found ${JSON.stringify(found)}`
  return `This is not valid JSON. Line ${line}, column ${column}: expected ${expected}, but ${there}.${advice === "" ? "" : ` ${advice}`}`
}
