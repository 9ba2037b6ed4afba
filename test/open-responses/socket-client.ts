// A client of WebSocket mode: undici's WebSocket, which checks every frame, and raw bytes for what it would not send.

import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'undici'

// biome-ignore lint/suspicious/noExplicitAny: messages are looked into
type Json = any

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

export interface SocketTurn {
  events: Json[]
  /** Of the last event, or its error. */
  response: Json
  error: Json
}

export class SocketClient {
  readonly #socket: WebSocket
  readonly #closed: Promise<number>
  readonly messages: Json[] = []
  #wake: () => void = () => undefined
  #read = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      this.messages.push(JSON.parse(String(data)))
      this.#wake()
    })
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => {
        resolve(code)
        this.#wake()
      })
    })
  }

  static open(
    url: string,
    { key = 'none', headers = {} as Record<string, string> } = {},
  ): Promise<SocketClient> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    const client = new SocketClient(socket)
    return new Promise((resolve, reject) => {
      socket.addEventListener('open', () => resolve(client))
      socket.addEventListener('error', () => reject(new Error('the WebSocket was not opened')))
    })
  }

  send(message: object | string | Uint8Array<ArrayBuffer>): void {
    const isRaw = typeof message === 'string' || message instanceof Uint8Array
    this.#socket.send(isRaw ? message : JSON.stringify(message))
  }

  create(body: object): Promise<SocketTurn> {
    this.send({ type: 'response.create', ...body })
    return this.turn()
  }

  /** The messages up to the next end of a turn. */
  async turn(): Promise<SocketTurn> {
    const events: Json[] = []
    for (;;) {
      while (this.#read < this.messages.length) {
        const message = this.messages[this.#read++]
        events.push(message)
        if (terminal.has(message.type)) return { events, response: message.response, error: message.error }
      }
      const open = await Promise.race([
        new Promise<true>((resolve) => {
          this.#wake = () => resolve(true)
        }),
        this.#closed.then(() => false),
      ])
      if (!open && this.#read === this.messages.length) throw new Error('closed before the end of the turn')
    }
  }

  /** The code with which the connection ended. */
  get closed(): Promise<number> {
    return this.#closed
  }

  close(): Promise<number> {
    this.#socket.close()
    return this.#closed
  }
}

/** An upgrade by hand: resolves with the status, and the open socket. */
export function rawUpgrade(
  url: string,
  { path = '/v1/responses', lines = [] as string[], key = 'none', host = '' } = {},
): Promise<{ status: number; text: string; socket: Socket }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${host || `${hostname}:${port}`}`,
      'Connection: Upgrade',
      ...(lines.some((line) => /^upgrade:/i.test(line)) ? [] : ['Upgrade: websocket']),
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      `Authorization: Bearer ${key}`,
      ...lines,
      '',
      '',
    ].join('\r\n'),
  )
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('error', reject)
    const onData = (bytes: Buffer) => {
      text += bytes.toString('latin1')
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      const body = text.split('\r\n\r\n')[1]
      if (body === undefined || body.length < length) return
      socket.off('data', onData)
      socket.on('error', () => undefined)
      resolve({ status, text, socket })
    }
    socket.on('data', onData)
  })
}

/** A masked frame of a client. */
export function clientFrame(opcode: number, payload: Buffer, { fin = true, masked = true } = {}): Buffer {
  const mask = randomBytes(4)
  const head =
    payload.length < 126
      ? Buffer.from([opcode | (fin ? 0x80 : 0), payload.length | (masked ? 0x80 : 0)])
      : Buffer.from([
          opcode | (fin ? 0x80 : 0),
          126 | (masked ? 0x80 : 0),
          payload.length >> 8,
          payload.length & 255,
        ])
  const body = payload.map((byte, at) => byte ^ (masked ? (mask[at % 4] as number) : 0))
  return Buffer.concat([head, masked ? mask : Buffer.alloc(0), body])
}
