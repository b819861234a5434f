/**
 * Clients that send and read large images, in a process of their own: sixty megabytes block the event loop that handles
 * them for seconds, so bystanders beside them would measure the clients and not the service.
 *
 * Run as a program it carries out the work that its parent sends. `startImageClient` is the parent's side.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import { fileURLToPath } from "node:url"
import { formOf, formWith, gif, png } from "../support/Images.ts"

const mebibyte = 1024 * 1024

/** The path of attached images. */
export const attachments = "/api/extras/image-attachments/"

/** Images by name: the largest that is allowed, and one of ten billion pixels. */
const images = {
  largest: () => Buffer.concat([gif(1, 1), Buffer.alloc(10 * mebibyte - 100, 1)]),
  bomb: () => Buffer.concat([png(100_000, 100_000), Buffer.alloc(9 * mebibyte)])
}

interface Server {
  readonly url: string
  readonly token: string
  /** The site and the device type that get the images. */
  readonly site: number
  readonly deviceType: number
}

/** Work of `times` clients at once. */
type Work = { readonly times: number } & (
  | { readonly kind: "upload"; readonly image: keyof typeof images }
  /** Both images of the device type in one form, each the largest that is allowed. */
  | { readonly kind: "pair" }
  | { readonly kind: "pour"; readonly mebibytes: number; readonly isChunked: boolean }
  | { readonly kind: "read"; readonly image: string }
)

export interface ClientResult {
  /** 0 if the connection was closed without an answer. */
  readonly status: number
  /** Bytes of the answer. */
  readonly bytes: number
  /** The answer to an upload. */
  readonly json?: Readonly<Record<string, unknown>>
}

const upload = async ({ url, token, site }: Server, image: Uint8Array): Promise<ClientResult> => {
  const body = formOf({ content_type: "dcim.site", object_id: `${site}` }, image)
  const reply = await fetch(url + attachments, { method: "POST", headers: { authorization: `Token ${token}` }, body })
  const text = await reply.text()
  return { status: reply.status, bytes: text.length, json: JSON.parse(text) as Record<string, unknown> }
}

const uploadPair = async ({ url, token, deviceType }: Server, image: Uint8Array): Promise<ClientResult> => {
  const body = formWith({}, { front_image: image, rear_image: image })
  const to = `${url}/api/dcim/device-types/${deviceType}/`
  const reply = await fetch(to, { method: "PATCH", headers: { authorization: `Token ${token}` }, body })
  return { status: reply.status, bytes: (await reply.text()).length }
}

/** Sends a body of so many mebibytes in pieces, with its length or without. */
const pour = ({ url, token }: Server, mebibytes: number, isChunked: boolean): Promise<ClientResult> =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Token ${token}`,
      "content-type": "multipart/form-data; boundary=x",
      ...(!isChunked && { "content-length": `${mebibytes * mebibyte}` })
    }
    const sending = request(url + attachments, { method: "POST", headers })
    sending.on("response", (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode ?? 0, bytes: 0 })
      sending.destroy()
    })
    sending.on("error", () => resolve({ status: 0, bytes: 0 }))
    const piece = Buffer.alloc(mebibyte, '--x\r\nContent-Disposition: form-data; name="image"; filename="x"\r\n\r\n')
    let left = mebibytes
    const more = () => {
      while (left > 0 && !sending.destroyed) {
        left -= 1
        if (!sending.write(piece)) return void sending.once("drain", more)
      }
      sending.end()
    }
    more()
  })

const read = async ({ token }: Server, image: string): Promise<ClientResult> => {
  const reply = await fetch(image, { headers: { authorization: `Token ${token}` } })
  return { status: reply.status, bytes: (await reply.arrayBuffer()).byteLength }
}

const carryOut = (server: Server, work: Work): Promise<ReadonlyArray<ClientResult>> => {
  const name = work.kind === "upload" ? work.image : work.kind === "pair" ? "largest" : undefined
  const image = name === undefined ? Buffer.alloc(0) : images[name]()
  const one = () => {
    if (work.kind === "pair") return uploadPair(server, image)
    if (work.kind === "upload") return upload(server, image)
    return work.kind === "pour" ? pour(server, work.mebibytes, work.isChunked) : read(server, work.image)
  }
  return Promise.all(Array.from({ length: work.times }, one))
}

export interface ImageClient {
  /** Results of the clients. */
  readonly run: (work: Work) => Promise<ReadonlyArray<ClientResult>>
  readonly stop: () => Promise<unknown>
}

export const startImageClient = (server: Server): ImageClient => {
  const child = fork(fileURLToPath(import.meta.url))
  const exited = once(child, "exit")
  const ended = exited.then(([code]) => Promise.reject(new Error(`the clients ended with code ${code}`)))
  ended.catch(() => {})
  return {
    run: async (work) => {
      const results = once(child, "message")
      child.send({ server, work })
      const [all] = (await Promise.race([results, ended])) as [ReadonlyArray<ClientResult>]
      return all
    },
    stop: () => {
      child.disconnect()
      return exited
    }
  }
}

if (import.meta.main) {
  process.on("message", ({ server, work }: { readonly server: Server; readonly work: Work }) => {
    void carryOut(server, work).then((results) => process.send?.(results))
  })
  process.on("disconnect", () => process.exit())
}
