import {
  type Dictionary,
  type Field,
  type Optional,
  type Options,
  invalid,
  isDictionary,
  makeField,
  value
} from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"

interface ChoiceOptions extends Options {
  readonly default?: string
  /** Whether the API shows the value alone, not `{value, label}`: always, or in a brief representation only. */
  readonly bare?: boolean | "brief"
  /** The values are numbers, and shown as such. */
  readonly numeric?: boolean
  /** Whether a snapshot has null for no choice, as a nullable column of NetBox does. Other columns have the empty text. */
  readonly nullInSnapshot?: boolean
}

/** One of a closed list, by value and label. Null where none is given and there is no default. */
export const choice = <const Choice extends string, const O extends ChoiceOptions = ChoiceOptions>(
  choices: Readonly<Record<Choice, string>>,
  options: O = {} as O
): Field<Optional<O, Choice>> => {
  const labels: Readonly<Record<string, string>> = choices
  const nullable = options.optional === true && options.default === undefined
  /** Alone, no choice is the empty text, as NetBox 3.5 stores it. */
  const blank = (chosen: unknown) => chosen ?? ""
  const shown = (chosen: unknown) => (options.numeric === true && chosen !== null ? Number(chosen) : chosen)
  return makeField(
    {
      type: "text",
      constraint: `$ in (${Object.keys(choices).map(literal).join(", ")})`,
      nullable,
      initial: options.default !== undefined || nullable ? () => options.default ?? null : undefined,
      sqlDefault: options.default === undefined ? undefined : literal(options.default),
      choices,
      represent: (chosen) =>
        options.bare === true
          ? blank(chosen)
          : chosen === null
            ? null
            : { value: shown(chosen), label: labels[String(chosen)] ?? "" },
      representBriefly: options.bare === "brief" ? blank : undefined,
      snapshot: options.numeric === true || options.nullInSnapshot === true ? shown : blank,
      parse: (sent) => {
        const input = isShownChoice(sent) ? sent["value"] : sent
        if (typeof input === "object") {
          return invalid(`Value must be passed directly (e.g. "foo": 123); do not use a dictionary or list.`)
        }
        if (input === "") return nullable ? value(null) : invalid("This field may not be blank.")
        const chosen = String(input)
        if (Object.hasOwn(choices, chosen)) return value(chosen)
        return invalid(
          options.bare === true ? `"${chosen}" is not a valid choice.` : `${chosen} is not a valid choice.`
        )
      }
    },
    options
  )
}

/** Whether the input is a choice as answers show it: clients send back what they read. */
const isShownChoice = (input: unknown): input is Dictionary =>
  isDictionary(input) && Object.keys(input).length === 2 && "value" in input && "label" in input
