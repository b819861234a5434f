import { type RowOf, printed } from "../../Field.ts"
import {
  type RuleViolation,
  broken,
  choice,
  decimal,
  defineObjectType,
  flag,
  integer,
  json,
  text,
  texts
} from "../../ObjectType.ts"
import { PatternError } from "../../../pattern/PatternError.ts"
import { compiledPattern, refusal } from "../../derive/values/CustomValue.ts"

/** The JSON form of a value, by the type of the custom field. */
const dataTypes: ReadonlyMap<string, string> = new Map([
  ["integer", "integer"],
  ["decimal", "decimal"],
  ["boolean", "boolean"],
  ["object", "object"],
  ["multiselect", "array"],
  ["multiobject", "array"]
])

const fields = {
  content_types: texts({ grammar: "objectTypes", help: "The object types that have the field." }),
  type: choice(
    {
      text: "Text",
      longtext: "Text (long)",
      integer: "Integer",
      decimal: "Decimal",
      boolean: "Boolean (true/false)",
      date: "Date",
      datetime: "Date & time",
      url: "URL",
      json: "JSON",
      select: "Selection",
      multiselect: "Multiple selection",
      object: "Object",
      multiobject: "Multiple objects"
    },
    { default: "text" }
  ),
  object_type: text({
    max: 100,
    nullable: true,
    grammar: "objectTypes",
    help: "For fields that name objects: of which type they are."
  }),
  name: text({ max: 50, unique: true }),
  label: text({ max: 50, optional: true }),
  group_name: text({ max: 50, optional: true }),
  description: text({ max: 200, optional: true }),
  required: flag({ default: false }),
  search_weight: integer({ min: 0, max: 32_767, default: 1000 }),
  filter_logic: choice({ disabled: "Disabled", loose: "Loose", exact: "Exact" }, { default: "loose" }),
  ui_visibility: choice(
    {
      "read-write": "Read/Write",
      "read-only": "Read-only",
      hidden: "Hidden",
      "hidden-ifunset": "Hidden (if unset)"
    },
    { default: "read-write" }
  ),
  default: json(),
  weight: integer({ min: 0, max: 32_767, default: 100 }),
  validation_minimum: decimal({ digits: 15, places: 4, optional: true }),
  validation_maximum: decimal({ digits: 15, places: 4, optional: true }),
  validation_regex: text({ max: 500, optional: true, verbatim: true }),
  choices: texts({ optional: true }),
  is_cloneable: flag({ default: false })
}

export type CustomField = RowOf<{ readonly fields: typeof fields }>

export default defineObjectType({
  app: "extras",
  name: "customfield",
  plural: "custom-fields",
  label: "custom field",
  groups: {
    Values: ["required", "default", "choices", "validation_minimum", "validation_maximum", "validation_regex"],
    Display: ["label", "group_name", "weight", "ui_visibility", "search_weight", "filter_logic", "is_cloneable"]
  },
  fields,
  derived: { data_type: { shape: { kind: "text" }, of: (row) => dataTypes.get(row.type) ?? "string" } },
  functions: [
    // Values of a custom field are kept by its name: they follow when it changes, and go with it.
    `create or replace function rackwire_follow_custom_field() returns trigger language plpgsql as $$
     declare
       object_type text;
       renamed text := case when tg_op = 'UPDATE' then new.name end;
     begin
       foreach object_type in array old.content_types loop
         continue when to_regclass(replace(object_type, '.', '_')) is null;
         if renamed is null or not new.content_types @> array[object_type] then
           execute format('update %I set custom_fields = custom_fields - $1 where custom_fields ? $1',
             replace(object_type, '.', '_')) using old.name;
         elsif renamed <> old.name then
           execute format('update %I set custom_fields = custom_fields - $1 || jsonb_build_object($2, custom_fields->$1)
             where custom_fields ? $1', replace(object_type, '.', '_')) using old.name, renamed;
         end if;
       end loop;
       return null;
     end $$`
  ],
  triggers: [
    {
      name: "extras_customfield_follow",
      sql: "after update or delete on extras_customfield for each row execute function rackwire_follow_custom_field()"
    }
  ],
  search: ["name", "label", "group_name", "description"],
  ordering: ["group_name", "weight", "name"],
  brief: ["name"],
  display: (row) => {
    const words = String(row.name).replaceAll("_", " ")
    return String(row.label || words.slice(0, 1).toUpperCase() + words.slice(1))
  },
  *check(row, _, before) {
    yield* nameRules(row)
    yield* kindRules(row, before)
    yield* valueRules(row)
  }
})

function* nameRules(row: CustomField): Iterable<RuleViolation> {
  const name = String(row.name)
  if (!/^[a-z0-9_]+$/i.test(name)) {
    yield broken(["name"], { name: ["Only alphanumeric characters and underscores are allowed."] })
  }
  if (name.includes("__")) {
    yield broken(["name"], { name: ["Double underscores are not permitted in custom field names."] })
  }
}

function* kindRules(row: CustomField, before: CustomField | undefined): Iterable<RuleViolation> {
  const kind = String(row.type)
  if (before !== undefined && before.type !== kind) {
    yield broken(["type"], { type: ["The type of a custom field that exists cannot be changed."] })
  }
  const points = kind === "object" || kind === "multiobject"
  if (points && row.object_type === null) {
    yield broken(["type", "object_type"], { object_type: ["Object fields must define an object type."] })
  }
  if (!points && row.object_type !== null) {
    yield broken(["type", "object_type"], { object_type: [`${kind} fields may not define an object type.`] })
  }
  const selects = kind === "select" || kind === "multiselect"
  if (selects && row.choices.length === 0) {
    yield broken(["type", "choices"], { choices: ["Selection fields must specify at least one choice."] })
  }
  if (!selects && row.choices.length > 0) {
    yield broken(["type", "choices"], { choices: ["Choices may be set only for custom selection fields."] })
  }
}

function* valueRules(row: CustomField): Iterable<RuleViolation> {
  const kind = String(row.type)
  const bounded = kind === "integer" || kind === "decimal"
  if (!bounded && row.validation_minimum !== null) {
    const message = "A minimum value may be set only for numeric fields"
    yield broken(["type", "validation_minimum"], { validation_minimum: [message] })
  }
  if (!bounded && row.validation_maximum !== null) {
    const message = "A maximum value may be set only for numeric fields"
    yield broken(["type", "validation_maximum"], { validation_maximum: [message] })
  }
  const pattern = String(row.validation_regex)
  if (pattern !== "" && !["text", "longtext", "url"].includes(kind)) {
    const message = "Regular expression validation is supported only for text and URL fields"
    yield broken(["type", "validation_regex"], { validation_regex: [message] })
  }
  const compiled = pattern === "" ? undefined : compiledPattern(pattern)
  if (compiled instanceof PatternError) {
    yield broken(["validation_regex"], { validation_regex: [`Invalid regular expression: ${compiled.message}.`] })
  }
  if (row.default === null) return
  if (kind === "object" || kind === "multiobject") {
    yield broken(["type", "default"], { default: ["Object fields have no default value."] })
  }
  const reason = refusal({ ...row, required: false }, row.default, new Map())
  const fields = ["default", "type", "choices", "validation_minimum", "validation_maximum", "validation_regex"]
  if (reason === undefined) return
  yield broken(fields, { default: [`Invalid default value "${printed(row.default)}": ${reason}`] })
}
