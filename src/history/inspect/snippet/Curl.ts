/** The request of an attempt as a command line. Pure. */
import { hiddenMark } from "../../../inventory/field/hidden/Hiding.ts"
import type { SentRequest } from "../SentRequest.ts"
import { bodyFile, embeddedBytesMax } from "./Snippet.ts"

/** A literal word of the shell, quoted if it has special characters. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The files in which the command expects the TLS client certificate: the key is shown nowhere. */
export const certificateFiles = { certificate: "client.pem", key: "client-key.pem" }

/** A credential is hidden in the log: the reader sets it in place of the mark. */
export const curlOf = ({ method, url, headers, body, hasCertificate }: SentRequest): string => {
  const text = body?.bytes.toString()
  const isFile = body !== undefined && (body.bytes.length > embeddedBytesMax || text!.includes("\0"))
  return [
    // Without globbing: an address may have brackets.
    `curl -g -X ${method ?? "POST"} ${quoted(url)}`,
    ...(hasCertificate ? [`--cert ${certificateFiles.certificate} --key ${certificateFiles.key}`] : []),
    ...headers.map(({ name, value }) => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`),
    ...(body === undefined ? [] : [isFile ? `--data-binary @${bodyFile}` : `--data-raw ${quoted(text!)}`])
  ].join(" \\\n  ")
}

/** Whether the command has a mark in place of a credential. */
export const hasHidden = ({ headers }: SentRequest): boolean => headers.some(({ value }) => value === hiddenMark)
