/**
 * Conversations with the servers of a directory, by ldapts. Nothing of the protocol is written by hand.
 *
 * Guarantees: each conversation has a connection of its own, encrypted before anything else is sent, a deadline and a
 * limit of bytes; a server that is away is tried last from then on; referrals are not followed. Does not: decide what a
 * name or an entry means.
 */
import { type Socket, connect, isIP } from "node:net"
import { type ConnectionOptions, connect as connectSecurely } from "node:tls"
import { BusyError, Client, ResultCodeError, UnavailableError } from "ldapts"
import { ProviderFault } from "../directory/SignInRefused.ts"

interface ConversationRules {
  readonly startTls: boolean
  /** Certificates of authorities as PEM; those that Node trusts if undefined. */
  readonly ca: string | undefined
  /** Time for one conversation, connecting included. */
  readonly timeoutMillis: number
}

/** Most bytes that a server may answer in one conversation: some 10,000 groups. */
const answerBytesMax = 1024 * 1024

/** Most conversations of this process at a time; further ones fail at once. */
const conversationsMax = 64

export class LdapServers {
  private urls: ReadonlyArray<string>
  private readonly rules: ConversationRules
  private underWay = 0

  constructor(urls: ReadonlyArray<string>, rules: ConversationRules) {
    this.urls = urls
    this.rules = rules
  }

  /**
   * Does the work with the first server that answers. Rejects with `ProviderFault` if none does, otherwise as the work
   * does. The work must not depend on its own effects: it may begin again with another server.
   */
  async use<A>(work: (client: Client) => Promise<A>): Promise<A> {
    if (this.underWay >= conversationsMax) throw new ProviderFault("too many sign-ins are under way", true)
    this.underWay += 1
    try {
      const faults: Array<string> = []
      for (const url of this.urls) {
        try {
          return await this.conversation(url, work)
        } catch (error) {
          if (!isAway(error)) throw error
          faults.push(`${url}: ${(error as Error).message}`)
          this.urls = [...this.urls.filter((other) => other !== url), url]
        }
      }
      throw new ProviderFault(faults.join("; "), true)
    } finally {
      this.underWay -= 1
    }
  }

  /** Does the work with one server. */
  async conversation<A>(url: string, work: (client: Client) => Promise<A>): Promise<A> {
    const { startTls, ca, timeoutMillis } = this.rules
    const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
    const secure: ConnectionOptions = {
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca })
    }
    const sockets: Array<Socket> = []
    const guarded = <S extends Socket>(socket: S): S => {
      sockets.push(socket)
      socket.on("data", () => {
        if (socket.bytesRead > answerBytesMax) {
          socket.destroy(new Error(`the answer is larger than ${answerBytesMax} bytes`))
        }
      })
      return socket
    }
    // The client connects again by itself where a server hangs up, and would then send a password without StartTLS.
    const onlyOnce = () => {
      if (sockets.length > 0) throw new Error("the server ended the connection")
    }
    const client = new Client({
      url,
      ...(url.startsWith("ldaps:") && { tlsOptions: secure }),
      createConnection: ((port: number) => {
        onlyOnce()
        return guarded(connect(port, host))
      }) as typeof connect,
      createSecureConnection: ((...given: [port: number] | [options: ConnectionOptions]) => {
        const [first] = given
        if (typeof first !== "number") return guarded(connectSecurely(first))
        onlyOnce()
        return guarded(connectSecurely({ port: first, ...secure }))
      }) as typeof connectSecurely
    })
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy(new Error(`no complete answer within ${timeoutMillis} ms`))
    }, timeoutMillis)
    try {
      if (startTls) await client.startTLS(secure)
      return await work(client)
    } finally {
      clearTimeout(timer)
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Whether another server may answer better. */
const isAway = (error: unknown): boolean =>
  !(error instanceof ProviderFault) &&
  (!(error instanceof ResultCodeError) || error instanceof BusyError || error instanceof UnavailableError)
