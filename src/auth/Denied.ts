import { Schema, Struct } from "effect"

/** Texts for the client, by reason. They are NetBox's, and clients depend on them. */
const details = {
  NoCredentials: "Authentication credentials were not provided.",
  EmptyHeader: "Invalid token header. No credentials provided.",
  SpacesInHeader: "Invalid token header. Token string should not contain spaces.",
  CharactersInHeader: "Invalid token header. Token string should not contain invalid characters.",
  UnknownToken: "Invalid token",
  ExpiredToken: "Token expired",
  InactiveUser: "User inactive",
  SourceAddress: "Source IP {address} is not permitted to authenticate using this token.",
  NoAddress:
    "Client IP address could not be determined for validation. Check that the HTTP server is correctly configured to pass the required header(s).",
  WrongPassword: "Invalid username/password",
  WrongCode: "Invalid code of the second factor",
  WrongPasskey: "Invalid passkey",
  FactorRequired:
    "This user has a second factor: send a code of it in the field otp, or use a token that was made in the console.",
  FactorNotSetUp:
    "This user needs a second factor and has none: log in to the console, and set it up at /user/factors/app/.",
  ConfirmFirst:
    "Your last login or confirmation was more than five minutes ago: confirm at /user/confirm/ first, or send the request with a token.",
  ProxyHeaderTwice:
    "The header with the user or the groups arrived twice. The proxy must replace the header of its clients, and send it once.",
  ProxyUserName: "The user name in the header of the proxy {fault}.",
  ProxyUserUnknown:
    "No user here has the name in the header of the proxy. An administrator creates the user, or sets REMOTE_AUTH_AUTO_CREATE_USER.",
  ProxyUserSimilar:
    "The user name in the header of the proxy differs from that of a user here only in the case or form of its letters.",
  ProxyWrite:
    "A request that changes something needs a session or a token beside the header of the proxy: open a page first, or send a token.",
  ProxyGroups: "{fault}",
  TemporaryPassword: "Change your password at /user/password/ first: it is a temporary one.",
  NotGranted: "This user does not have permission to create tokens for other users.",
  NoPermission: "You do not have permission to perform this action."
} as const

/** The request is refused because of its sender. The answer is 403, never 401, as NetBox's is. */
export class Denied extends Schema.TaggedError<Denied>()("Denied", {
  reason: Schema.Literals(Struct.keys(details)),
  /** The client's address, where the text names it. */
  address: Schema.optionalKey(Schema.String),
  /** The end of a text that names the fault. */
  fault: Schema.optionalKey(Schema.String),
  /** The permission that the sender lacks, where one would help: an action, and the id of an object type. */
  missing: Schema.optionalKey(Schema.Struct({ action: Schema.String, objectType: Schema.String }))
}) {
  get detail(): string {
    return details[this.reason]
      .replace("{address}", () => this.address ?? "")
      .replace("{fault}", () => this.fault ?? "")
  }
}
