import { objectType } from "../../inventory/Registry.ts"
import { list } from "../../inventory/read/Read.ts"
import type Alarm from "../../inventory/types/extras/Alarm.ts"

export const alarmType = objectType<typeof Alarm>("extras.alarm")

/** The visible alarms that last, the newest first. */
export const lastingAlarms = (most: number) =>
  list(alarmType, { where: { sql: "t.ended is null", parameters: [] }, ordering: ["-since"], limit: most, offset: 0 })
