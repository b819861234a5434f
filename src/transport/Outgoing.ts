/** A request as it is sent. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}
