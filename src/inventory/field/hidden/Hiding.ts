/** How a text hides its secrets: they are taken out of what is shown, and put back to the letter. */

/** Replaces a hidden value, or a text that is hidden as a whole. */
export const hiddenMark = "***"

/** The hidden values by what they are called, in the order of the text; "" is the name of a whole text. */
export type HiddenValues = ReadonlyArray<readonly [name: string, value: string]>

export interface HiddenText {
  readonly shown: string
  readonly hidden: HiddenValues
}

export interface Hiding {
  /** A text in which everything is hidden already stays as it is. */
  readonly hide: (text: string) => HiddenText
  /** Puts hidden values back; returns the name of one that is not among them, if there is one. */
  readonly reveal: (shown: string, hidden: HiddenValues) => { readonly text: string } | { readonly missing: string }
  /** A character without which a text holds no secret; "" for none. */
  readonly sign: string
}
