/**
 * What an entry holds: one line of JSON about the delivery, then the event's JSON text, untouched. The text of a long
 * event is left out: the change log has it, under the delivery's position, idx and time.
 */
import type { Delivery } from "../event/Delivery.ts"

export const pack = ({ body, ...head }: Delivery): string => `${JSON.stringify(head)}\n${body}`

export const unpack = (text: string): Delivery => {
  const line = text.indexOf("\n")
  return { ...(JSON.parse(text.slice(0, line)) as Omit<Delivery, "body">), body: text.slice(line + 1) }
}
