/** Why a sign-in by a directory is refused, in words for the person who signs in, and in detail for the log. */
import { Schema, Struct } from "effect"

/** Sentences by reason; `{provider}` is the provider's label, `{detail}` a text that is safe to show. */
const sentences = {
  ProviderAway:
    "{provider} does not answer, so nobody can log in by it now. Sessions that exist stay valid. Try again in a moment.",
  Expired: "The sign-in has expired, or another browser or tab began it. Please try again.",
  Repeated: "This sign-in has been used before. Please begin again.",
  Declined: "{provider} declined the sign-in ({detail}).",
  InvalidAnswer: "The answer of {provider} is not valid, so it was refused. Please try again, or report the reference.",
  InvalidClaims: "{provider} gave an account that cannot be used here: {detail}.",
  NameTaken:
    "The user name {detail} belongs to another user here. An administrator can rename that user, or allow the account to take over that user.",
  OtherIdentity: "The user {detail} is bound to another account of {provider}. An administrator can help.",
  InactiveUser: "The user {detail} is inactive."
} as const

export type SignInReason = keyof typeof sentences

export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  reason: Schema.Literals(Struct.keys(sentences)),
  provider: Schema.String,
  /** Shown to the person. */
  detail: Schema.optionalKey(Schema.String),
  /** Only for the log. */
  cause: Schema.optionalKey(Schema.String)
}) {
  get sentence(): string {
    return sentences[this.reason]
      .replace("{provider}", () => this.provider)
      .replace("{detail}", () => this.detail ?? "")
      .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
  }
}

/** A fault of a provider: it gave no answer, or one that cannot be used. */
export class ProviderFault extends Error {
  readonly isAway: boolean

  constructor(message: string, isAway: boolean) {
    super(message)
    this.isAway = isAway
  }
}

/** The fault of a provider that caused an error; undefined for none. */
export const faultIn = (error: unknown): ProviderFault | undefined => {
  if (error instanceof ProviderFault) return error
  return error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : undefined
}
