/** A name server over UDP that answers some names with 127.0.0.1, and leaves all others without an answer. */
import { spawnSync } from "node:child_process"
import { type Socket, createSocket } from "node:dgram"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface NameServer {
  /** The names that were asked for, each time. */
  readonly asked: ReadonlyArray<string>
  /** A file in the place of /etc/resolv.conf that leads here. */
  readonly resolvConf: string
  readonly close: () => void
}

/** Bytes of a message before its question, and of the type and class behind its name. */
const [headBytes, kindBytes] = [12, 4]

/** The record type of IPv4 addresses. */
const typeA = 1

const questionOf = (message: Buffer): { readonly name: string; readonly type: number; readonly end: number } => {
  const labels: Array<string> = []
  let at = headBytes
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join("."), type: message.readUInt16BE(at + 1), end: at + 1 + kindBytes }
}

/** The answer: the address 127.0.0.1, or for other types that there is none. */
const answerTo = (message: Buffer): Buffer => {
  const { type, end } = questionOf(message)
  const head = Buffer.from(message.subarray(0, headBytes))
  const records = type === typeA ? 1 : 0
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(records, 6)
  head.writeUInt32BE(0, 8)
  const record = Buffer.from([0xc0, headBytes, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1])
  return Buffer.concat([head, message.subarray(headBytes, end), ...(records > 0 ? [record] : [])])
}

/** Whether this machine lets a test have its own /etc/resolv.conf, and listen on the port of DNS. */
export const mayServeNames = async (): Promise<boolean> => {
  if (spawnSync("unshare", ["--map-root-user", "--mount", "true"]).status !== 0) return false
  const socket = await bound().catch(() => undefined)
  socket?.close()
  return socket !== undefined
}

/** On an address of this machine that nobody else uses. */
const bound = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const part = () => 1 + Math.floor(Math.random() * 250)
    const socket = createSocket("udp4")
    socket.once("error", reject)
    socket.bind(53, `127.${part()}.${part()}.${part()}`, () => resolve(socket))
  })

export const startNameServer = async (known: ReadonlySet<string>): Promise<NameServer> => {
  const asked: Array<string> = []
  const socket = await bound()
  socket.on("message", (message, from) => {
    const { name } = questionOf(message)
    asked.push(name)
    if (known.has(name)) socket.send(answerTo(message), from.port, from.address)
  })
  const resolvConf = join(mkdtempSync(join(tmpdir(), "rackwire-names-")), "resolv.conf")
  writeFileSync(resolvConf, `nameserver ${socket.address().address}\noptions timeout:2 attempts:1\n`)
  return { asked, resolvConf, close: () => socket.close() }
}
