// Reads the body of a page: decompressed, up to a limit, with its completeness.

import type http from 'node:http'
import type { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { codeOf, Refusal } from '../files/refusal.ts'

/** `unmarked`: it ended with its connection, which a truncated page does too. */
export type PageEnd = 'whole' | 'over the limit' | 'part' | 'unmarked'

export async function readUpTo(
  response: http.IncomingMessage,
  url: URL,
  limit: number,
): Promise<{ bytes: Buffer; end: PageEnd }> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of unpacked(response) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size > limit) break
    }
  } catch (error) {
    if (!isCut(response, error)) throw error
    throw new Refusal(`${url.href} was cut off after ${size} bytes: the page is not whole. Try it again.`)
  } finally {
    response.destroy()
  }
  return {
    bytes: Buffer.concat(chunks).subarray(0, limit),
    end: size > limit ? 'over the limit' : endOf(response),
  }
}

/** The connection ended before the message, or the message before the compressed data. */
const isCut = ({ complete }: http.IncomingMessage, error: unknown) =>
  codeOf(error) === 'Z_BUF_ERROR' || (codeOf(error) === 'ECONNRESET' && !complete)

function endOf({ statusCode, headers }: http.IncomingMessage): PageEnd {
  if (statusCode === 206) return 'part'
  const isMarked =
    statusCode === 204 ||
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    // Compressed data marks its own end.
    isPacked(headers)
  return isMarked ? 'whole' : 'unmarked'
}

const codingOf = (headers: http.IncomingHttpHeaders) =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase()

const isPacked = (headers: http.IncomingHttpHeaders) => !['identity', ''].includes(codingOf(headers))

function unpacked(response: http.IncomingMessage): Readable {
  if (!isPacked(response.headers)) return response
  const coding = codingOf(response.headers)
  const unpackers: Record<string, () => zlib.Gunzip | zlib.BrotliDecompress> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    br: zlib.createBrotliDecompress,
  }
  const create = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined
  if (create === undefined) throw new Refusal(`The answer is packed as "${coding.slice(0, 40)}", unasked.`)
  const unpacker = create()
  response.once('error', (error) => unpacker.destroy(error))
  return response.pipe(unpacker)
}

export function decode(bytes: Uint8Array, type: string): string {
  const charset = /charset=["']?([\w.:-]{1,40})/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
