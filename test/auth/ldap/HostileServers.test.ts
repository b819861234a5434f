/** Directories that answer badly: each costs its own sign-in a fault in words, and the process nothing. */
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import fc from "fast-check"
import { ProviderFault } from "../../../src/auth/directory/SignInRefused.ts"
import { LdapServers } from "../../../src/auth/ldap/LdapServers.ts"
import { runs } from "../../support/Seed.ts"

const servers = new Set<Server>()
const sockets = new Set<Socket>()

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  servers.clear()
})

/** A server that answers each message of a client so; its messages so far. */
const serving = async (answer: (socket: Socket, messages: ReadonlyArray<Buffer>) => void) => {
  const heard: Array<Buffer> = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("data", (data: Buffer) => {
      heard.push(data)
      answer(socket, heard)
    })
  })
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

const hex = (text: string): Buffer => Buffer.from(text, "hex")

/** The answer to a message: a result of this kind and code, with the number of the message. */
const answerTo = (message: Buffer, kind: "61" | "78", code = "00"): Buffer =>
  hex(`300c0201${message.subarray(4, 5).toString("hex")}${kind}070a01${code}04000400`)

const accepting = (socket: Socket, messages: ReadonlyArray<Buffer>) => socket.write(answerTo(messages.at(-1)!, "61"))

const rules = { startTls: false, ca: undefined, timeoutMillis: 20_000 }
const impatient = { timeoutMillis: 300 }
const binding = (url: string, more: Partial<typeof rules> = {}) =>
  new LdapServers([url], { ...rules, ...more }).use((client) => client.bind("cn=ana", "the password"))

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "none",
    (error: unknown) => (error instanceof ProviderFault && error.isAway ? error.message : error)
  )

describe("a directory", () => {
  it("that accepts a bind is used", async () => {
    const { url } = await serving(accepting)
    expect(await faultOf(binding(url))).toBe("none")
  })

  it("that never answers is away", async () => {
    const { url } = await serving(() => {})
    expect(await faultOf(binding(url, impatient))).toContain("no complete answer within 300 ms")
  })

  it("that answers a byte now and then is away", async () => {
    const { url } = await serving((socket) => {
      const timer = setInterval(() => socket.write(hex("30")), 50)
      socket.on("close", () => clearInterval(timer))
    })
    expect(await faultOf(binding(url, impatient))).toContain("no complete answer within 300 ms")
  })

  it("that answers without end is cut off", async () => {
    const { url } = await serving((socket) => {
      const part = Buffer.alloc(64 * 1024, hex("300c02010961070a010004000400"))
      const write = () => {
        while (socket.writable && socket.write(part)) continue
      }
      socket.on("drain", write)
      write()
    })
    expect(await faultOf(binding(url))).toContain("larger than 1048576 bytes")
  })

  it("that hangs up is not connected to again, so that nothing is sent in the clear", async () => {
    let connections = 0
    const { url, heard } = await serving((socket) => {
      connections += 1
      socket.end()
    })
    const twice = new LdapServers([url], rules).use(async (client) => {
      await client.bind("cn=ana", "the password").catch(() => {})
      await client.bind("cn=ana", "the password")
    })
    expect(await faultOf(twice)).toContain("the server ended the connection")
    expect([connections, heard.length]).toEqual([1, 1])
  })

  it.each([
    ["refuses StartTLS", "34", ""],
    ["accepts StartTLS and speaks no TLS", "00", "00".repeat(64)]
  ] as const)("that %s gets no password", async (_, code, more) => {
    const { url, heard } = await serving((socket, [first]) => {
      socket.write(Buffer.concat([answerTo(first!, "78", code), hex(more)]))
    })
    const fault = await faultOf(binding(url, { startTls: true }))
    expect(fault).not.toBe("none")
    expect(Buffer.concat(heard).toString("latin1")).not.toContain("the password")
  })

  it("whose bytes make no sense is away", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 64 }), async (bytes) => {
        const { url } = await serving((socket) => socket.end(bytes))
        expect(await faultOf(binding(url))).not.toBe("none")
      }),
      { numRuns: runs(50) }
    )
  })

  it("is tried last once it was away", async () => {
    const away = await serving((socket) => socket.destroy())
    const well = await serving(accepting)
    const both = new LdapServers([away.url, well.url], rules)
    await both.use((client) => client.bind("cn=ana", "the password"))
    await both.use((client) => client.bind("cn=ana", "the password"))
    expect([away.heard.length, well.heard.length]).toEqual([1, 2])
  })
})
