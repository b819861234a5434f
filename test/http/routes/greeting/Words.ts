/** A file without a route. */
export const words = ["hello"]
