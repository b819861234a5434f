/**
 * Secrets that a write would send elsewhere. A webhook uses its secrets without showing them: a user who may change the
 * address of the webhook, and never had the secrets, must not have them sent to another host. Pure.
 */
import { type Errors, type Messages, type Row, emptyRecord } from "../Field.ts"
import { type ObjectType, fieldOf, perType } from "../ObjectType.ts"

interface WebhookWrite {
  /** The row as it is, its texts with their secrets. */
  readonly before: Row
  /** The fields of the body, with marks in place of kept secrets. */
  readonly said: Readonly<Record<string, unknown>>
  /** The fields of the body, with the kept secrets in place of the marks. */
  readonly meant: Readonly<Record<string, unknown>>
}

const messages: Messages = ["It would be sent to another address, or with other TLS settings: enter its secrets again."]

const sentSecrets = perType(({ fields }) =>
  Object.entries(fields).flatMap(([name, { sentTo }]) => (sentTo === undefined ? [] : [{ name, sentTo }]))
)

/** By field: secrets that the body does not contain, and that would go where they did not go before. */
export const repointed = (type: ObjectType, { before, said, meant }: WebhookWrite): Errors => {
  const after = { ...before, ...meant }
  const errors = emptyRecord<Messages>()
  for (const { name, sentTo } of sentSecrets(type)) {
    const known = sentTo(before)
    const isMoved = sentTo(after).some((destination) => !known.includes(destination))
    if (isMoved && keeps(type, name, { after, said })) errors[name] = messages
  }
  return errors
}

/** Whether a field has a secret afterwards that the body does not contain. */
const keeps = (
  type: ObjectType,
  name: string,
  { after, said }: { readonly after: Row } & Pick<WebhookWrite, "said">
) => {
  const { hides } = fieldOf(type, name)
  if (hides === undefined) return !Object.hasOwn(said, name) && after[name] !== ""
  const secretsIn = (text: unknown): number => hides.hide(String(text ?? "")).hidden.length
  return secretsIn(after[name]) > secretsIn(said[name])
}
