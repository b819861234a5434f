/** A pattern is invalid or too large; the message says why. */
export class PatternError extends Error {}
