// Reads HTTP/1.x answers from bytes and forgives nothing (RFC 9112): what a lenient client would read past is an error here.

export interface RawAnswer {
  status: number
  headers: Map<string, string>
  /** The chunks of a chunked body; a body of another kind is one. */
  chunks: string[]
  framing: 'none' | 'length' | 'chunked' | 'until the end'
}

class Bytes {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  line(): string {
    const end = this.#bytes.indexOf('\r\n', this.#at)
    if (end < 0) throw new Error(`a line without its end: ${this.#shown}`)
    const line = this.#bytes.toString('latin1', this.#at, end)
    if (/[\r\n]/.test(line)) throw new Error(`half a line end in ${JSON.stringify(line)}`)
    this.#at = end + 2
    return line
  }

  take(length = this.#bytes.length - this.#at): string {
    if (this.#at + length > this.#bytes.length) throw new Error(`cut: ${length} bytes from ${this.#shown}`)
    this.#at += length
    return new TextDecoder('utf-8', { fatal: true }).decode(this.#bytes.subarray(this.#at - length, this.#at))
  }

  get #shown(): string {
    return JSON.stringify(this.#bytes.toString('latin1', this.#at, this.#at + 60))
  }
}

/** All answers of a connection that has ended; `methods` are those of the requests. */
export function readAnswers(bytes: Buffer, methods: readonly string[] = []): RawAnswer[] {
  const source = new Bytes(bytes)
  const answers: RawAnswer[] = []
  let final = 0
  while (!source.isAtEnd) {
    const answer = readAnswer(source, methods[final])
    if (answer.status >= 200) final++
    answers.push(answer)
  }
  return answers
}

function readAnswer(source: Bytes, method = 'GET'): RawAnswer {
  const line = source.line()
  const [, code] = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(line) ?? []
  if (code === undefined) throw new Error(`no status line: ${JSON.stringify(line)}`)
  const headers = readHeaders(source)
  const status = Number(code)
  const isBare = status < 200 || status === 204 || status === 304
  if (isBare && headers.has('transfer-encoding')) throw new Error(`a body announced under ${status}`)
  if (isBare || method === 'HEAD') return { status, headers, chunks: [], framing: 'none' }
  return { status, headers, ...readBody(source, headers) }
}

function readHeaders(source: Bytes): Map<string, string> {
  const headers = new Map<string, string>()
  for (let line = source.line(); line !== ''; line = source.line()) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+): ?(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`no header: ${JSON.stringify(line)}`)
    if (headers.has(name.toLowerCase())) throw new Error(`twice: ${name}`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

function readBody(source: Bytes, headers: Map<string, string>): Pick<RawAnswer, 'chunks' | 'framing'> {
  const length = headers.get('content-length')
  const encoding = headers.get('transfer-encoding')
  if (length !== undefined && encoding !== undefined) throw new Error('a length and chunks')
  if (encoding !== undefined && encoding !== 'chunked') throw new Error(`in ${encoding}`)
  if (encoding !== undefined) return { chunks: readChunked(source), framing: 'chunked' }
  if (length !== undefined) return { chunks: [source.take(Number(length))], framing: 'length' }
  if (headers.get('connection') !== 'close') throw new Error('a body without an end')
  return { chunks: [source.take()], framing: 'until the end' }
}

function readChunked(source: Bytes): string[] {
  const chunks: string[] = []
  for (;;) {
    const size = source.line()
    if (!/^(?:0|[1-9a-f][0-9a-f]*)$/.test(size))
      throw new Error(`no size of a chunk: ${JSON.stringify(size)}`)
    if (size === '0') break
    chunks.push(source.take(Number.parseInt(size, 16)))
    if (source.line() !== '') throw new Error('a chunk longer than it says')
  }
  if (source.line() !== '') throw new Error('something behind the last chunk')
  return chunks
}
