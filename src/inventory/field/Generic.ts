import type { DerivedValue } from "../Derived.ts"
import {
  type Field,
  type Fields,
  type Generic,
  type Optional,
  type Options,
  invalid,
  makeField,
  value
} from "../Field.ts"
import { integer } from "./Scalar.ts"

interface GenericOptions extends Options {
  /** The object types allowed; absent allows every type of kind `object`. */
  readonly types?: ReadonlyArray<string>
  readonly onDelete: Generic["onDelete"]
  /** The name of the field with the type, if it differs. */
  readonly typeField?: string
  /** The name by which the object is shown, if it differs. */
  readonly shownAs?: string
}

/**
 * A reference to an object of one of several types, as three names on the wire: `<name>_type` (`dcim.interface`),
 * `<name>_id`, and `<name>`, its brief representation, which is read only. Triggers keep it valid.
 */
export const generic = <const Name extends string, const O extends GenericOptions>(name: Name, options: O) =>
  fieldsOf(name, options) as GenericFields<Name, O>

type GenericFields<Name extends string, O> = Readonly<
  Record<O extends { readonly typeField: infer T extends string } ? T : `${Name}_type`, Field<Optional<O, string>>> &
    Record<`${Name}_id`, Field<Optional<O, number>>>
>

const fieldsOf = (name: string, options: GenericOptions): Fields => ({
  [options.typeField ?? `${name}_type`]: makeField(
    {
      type: "text",
      nullable: options.optional === true,
      initial: options.optional === true ? () => null : undefined,
      generic: { types: options.types, id: `${name}_id`, shownAs: options.shownAs, onDelete: options.onDelete },
      parse: (input) => {
        if (input === "" && options.optional === true) return value(null)
        if (typeof input !== "string" || !/^[a-z_]+\.[a-z_]+$/.test(input)) {
          return invalid("Invalid value. Specify a content type as '<app_label>.<model_name>'.")
        }
        const known = options.types?.includes(input) ?? true
        return known ? value(input) : invalid(`Invalid content type: ${input}`)
      }
    },
    options
  ),
  [`${name}_id`]: integer({ ...(options.optional === true && { optional: true }), min: 0 })
})

/** For each generic reference `<name>_type`, `<name>_id`: the object as `<name>`. */
export const genericObjects = (fields: Fields): Readonly<Record<string, DerivedValue>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { generic }]): ReadonlyArray<readonly [string, DerivedValue]> => {
      if (generic === undefined) return []
      const object: DerivedValue = {
        shape: { kind: "object", nullable: true },
        of: (row, view) => {
          const [type, id] = [row[name], row[generic.id]]
          return typeof type === "string" && typeof id === "number" ? view.nested(type, id) : null
        }
      }
      return [[generic.shownAs ?? generic.id.replace(/_id$/, ""), object]]
    })
  )
