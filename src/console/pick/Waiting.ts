/** The picker of another tab that waits for the object which a form adds. */
import type { Request } from "../../http/wire/Request.ts"

/** The parameter that names it, in the address of the form and of the page behind it. */
export const waitingName = "_for"

/** The mark of the picker; undefined if none waits. */
export const waitingPicker = ({ url }: Request): string | undefined => {
  const mark = url.searchParams.get(waitingName) ?? ""
  return /^[\w-]{8,64}$/.test(mark) ? mark : undefined
}
