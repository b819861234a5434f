/** A thread that reads import files and sends their rows in portions. Does not load Effect, to start fast. */
import { parentPort } from "node:worker_threads"
import { FileFault, messageOf } from "./FileFault.ts"
import { type Format, type Upload, fileOf } from "./ImportFormat.ts"
import { type Portion, type Table, isLibrary, portionsOf } from "./ImportRows.ts"

export interface ImportTask extends Upload {
  readonly table: Table
}

export type ImportMessage =
  | { readonly format: Format; readonly isLibrary: boolean }
  | { readonly portion: Portion }
  | { readonly refused: string; readonly isTooLarge: boolean; readonly line?: number | undefined }
  | { readonly isDone: true }

const send = (message: ImportMessage, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(message, transfer)

const read = ({ table, ...upload }: ImportTask): void => {
  try {
    const { text, format } = fileOf(upload)
    send({ format, isLibrary: isLibrary(text, format, table) })
    for (const portion of portionsOf(text, format, table)) send({ portion }, [portion.bytes.buffer])
    send({ isDone: true })
  } catch (error) {
    if (error instanceof FileFault) send({ refused: error.message, isTooLarge: error.isTooLarge, line: error.line })
    else send({ refused: `The file cannot be read: ${messageOf(error)}`, isTooLarge: false })
  }
}

parentPort?.on("message", read)
