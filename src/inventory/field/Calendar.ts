import { type Field, type Options, invalid, makeField, value } from "../Field.ts"

const wrongDate = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."

/** A day, `2026-11-20`, from the year 1 to 9999; null where none is given. */
export const date = (options: Options = {}): Field<string | null> =>
  makeField(
    {
      type: "date",
      placeholder: "2026-11-20",
      nullable: true,
      initial: () => null,
      parse: (input) => (isDay(input) ? value(input) : invalid(wrongDate))
    },
    options
  )

export const isDay = (input: unknown): input is string => {
  if (typeof input !== "string" || !/^(?!0000)\d{4}-\d\d-\d\d$/.test(input)) return false
  const millis = Date.parse(input)
  // Date reads the 31st of February as the 3rd of March.
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(input)
}
