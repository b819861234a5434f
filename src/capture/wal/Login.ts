/** The start of a replication connection: its parameters, authentication, and the refusal of a standby. */
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import { PgAuth } from "@effect/sql-pg"
import { Result } from "effect"
import { type PostgresAddress, unfitness } from "../../postgres/PostgresUrl.ts"
import { CaptureError } from "../CaptureError.ts"
import type { OnMessage } from "./Frames.ts"
import { Tag, errorOf, message, transport } from "./Messages.ts"

const protocolVersion = 196_608

export const startup = (address: PostgresAddress): Buffer => {
  const parameters = {
    user: address.user,
    database: address.database,
    replication: "database",
    application_name: `${address.applicationName} capture`,
    ...(address.options !== undefined && { options: address.options }),
    client_encoding: "UTF8",
    timezone: "UTC",
    datestyle: "ISO"
  }
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}\0${value}\0`)
    .join("")
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(protocolVersion, 4)
  return Buffer.concat([head, body])
}

/** Authenticates: replies to the server until it is ready for queries. */
export const authenticate = (
  socket: Socket,
  address: PostgresAddress,
  ready: (value: undefined) => void
): OnMessage => {
  const unwrap = <A>(result: Result.Result<A, PgAuth.AuthError>): A => {
    if (Result.isSuccess(result)) return result.success
    throw new CaptureError({ reason: "Refused", message: result.failure.message })
  }
  const { user, password } = address
  let scram: PgAuth.ScramState | undefined
  return (tag, bytes, start, end) => {
    if (tag === Tag.error) throw errorOf(bytes, start, end)
    if (tag === Tag.ready) return ready(undefined)
    if (tag === Tag.parameter) return refuseStandby(address, bytes.toString("utf8", start, end))
    if (tag !== Tag.authentication) return
    const body = bytes.subarray(start + 4, end)
    const kind = bytes.readInt32BE(start)
    if (kind === 0) return
    if (kind === 3) socket.write(message("p", Buffer.from(`${password}\0`)))
    else if (kind === 5) {
      socket.write(message("p", Buffer.from(`${unwrap(PgAuth.md5Password({ user, password, salt: body }))}\0`)))
    } else if (kind === 10) {
      const first = unwrap(PgAuth.scramInit({ password, nonce: randomBytes(18).toString("base64") }))
      scram = first.state
      const mechanism = Buffer.from(`${PgAuth.SCRAM_SHA_256}\0`)
      const length = Buffer.alloc(4)
      length.writeInt32BE(first.response.length)
      socket.write(message("p", Buffer.concat([mechanism, length, first.response])))
    } else if (kind === 11 && scram?._tag === "ScramFirst") {
      const final = unwrap(PgAuth.scramContinue(scram, body))
      scram = final.state
      socket.write(message("p", final.response))
    } else if (kind === 12 && scram?._tag === "ScramFinal") unwrap(PgAuth.scramFinish(scram, body))
    else throw new CaptureError({ reason: "Refused", message: `the server requires authentication of kind ${kind}` })
  }
}

/** Servers from 14 on report whether they are standbys before the first query. */
const refuseStandby = (address: PostgresAddress, parameter: string): void => {
  const isStandby = parameter === "in_hot_standby\0on\0"
  const fault = unfitness(address, { isStandby, isReadOnly: false })
  if (fault !== undefined) throw transport(`the server ${fault}`)
}
