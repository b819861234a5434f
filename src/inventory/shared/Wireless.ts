/** The radio of an interface: its role and channel, and the frequency and width that the channel fixes. */
import { literal } from "../../postgres/Literal.ts"
import type { Row } from "../Field.ts"
import { type Bond, type RuleViolation, broken } from "../Rule.ts"
import { choice } from "../field/Choice.ts"
import { decimal } from "../field/Scalar.ts"
import { wirelessTypes } from "./port/InterfaceTypes.ts"
import { wirelessChannels, wirelessRoles } from "./port/WirelessChannels.ts"

export const radioFields = () => ({
  rf_role: choice(wirelessRoles, { optional: true }),
  rf_channel: choice(wirelessChannels, { optional: true }),
  rf_channel_frequency: decimal({ digits: 7, places: 2, min: 0, optional: true, help: "In MHz." }),
  rf_channel_width: decimal({ digits: 7, places: 3, min: 0, optional: true, help: "In MHz." })
})

interface Radio extends Row {
  readonly type: string
  readonly rf_role: string | null
  readonly rf_channel: string | null
  readonly rf_channel_frequency: number | null
  readonly rf_channel_width: number | null
}

/** The third and fourth part of a channel's value. */
const partsOf = (channel: string): readonly [frequency: number, width: number] => {
  const [, , frequency, width] = channel.split("-")
  return [Number(frequency), Number(width)]
}

/** SQL of the same. */
const partIn = (row: string, part: 3 | 4): string => `split_part(${row}.rf_channel, '-', ${part})::numeric`

const subjects = {
  rf_role: "Wireless role",
  rf_channel: "Channel",
  rf_channel_frequency: "Channel frequency",
  rf_channel_width: "Channel width"
} as const

export function* radioRules(row: Radio): Iterable<RuleViolation> {
  const set = Object.entries(subjects).filter(([name]) => row[name] !== null)
  if (set.length > 0 && !Object.hasOwn(wirelessTypes, row.type)) {
    const errors = set.map(([name, subject]) => [name, [`${subject} may be set only on wireless interfaces.`]])
    yield broken([...set.map(([name]) => name), "type"], Object.fromEntries(errors))
  }
  if (row.rf_channel === null) return
  const [frequency, width] = partsOf(row.rf_channel)
  if (![null, frequency].includes(row.rf_channel_frequency)) {
    const message = "Cannot specify custom frequency with channel selected."
    yield broken(["rf_channel", "rf_channel_frequency"], { rf_channel_frequency: [message] })
  }
  if (![null, width].includes(row.rf_channel_width)) {
    const message = "Cannot specify custom width with channel selected."
    yield broken(["rf_channel", "rf_channel_width"], { rf_channel_width: [message] })
  }
}

const names = Object.keys(subjects)
const isWireless = `j.type in (${Object.keys(wirelessTypes).map(literal).join(", ")})`
const filled = (row: string): string => `num_nonnulls(${names.map((name) => `${row}.${name}`).join(", ")}) > 0`

/** The same rules for plain SQL. */
export const radioBond: Bond<Radio> = {
  name: "radio",
  fields: [...names, "type"],
  applies: filled("new"),
  broken: `${filled("j")} and (not ${isWireless} or j.rf_channel_frequency <> ${partIn("j", 3)}
    or j.rf_channel_width <> ${partIn("j", 4)})`,
  rule: "Only wireless interfaces have a radio, and a channel fixes its frequency and width.",
  others: []
}

/** Fills in what the channel says. */
export const radioTrigger = {
  function: `create or replace function rackwire_tune_interface() returns trigger language plpgsql as $$
     begin
       new.rf_channel_frequency := coalesce(new.rf_channel_frequency, ${partIn("new", 3)});
       new.rf_channel_width := coalesce(new.rf_channel_width, ${partIn("new", 4)});
       return new;
     end $$`,
  trigger: {
    name: "dcim_interface_tune",
    sql: `before insert or update of rf_channel, rf_channel_frequency, rf_channel_width on dcim_interface
        for each row when (new.rf_channel is not null and num_nulls(new.rf_channel_frequency, new.rf_channel_width) > 0)
        execute function rackwire_tune_interface()`
  }
}
