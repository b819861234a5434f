/** Longest slug, characters. */
const slugCharsMax = 100

/** `Palo Alto Networks, Inc.` -> `palo-alto-networks-inc`; "" where a name has no letter or digit that a slug may have. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/[\s-]+/g, "-")
    .slice(0, slugCharsMax)
