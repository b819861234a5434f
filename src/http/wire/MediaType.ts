/** Media types in headers. Pure: workers use it too. */

/** The media type that a header names, in lower case and without parameters; "" if there is none. */
export const mediaTypeOf = (header: string | undefined): string =>
  (header ?? "").replace(/;.*/s, "").trim().toLowerCase()

/** Whether a header names the media type; parameters do not matter. */
export const isOfType = (header: string | undefined, type: string): boolean => mediaTypeOf(header) === type
