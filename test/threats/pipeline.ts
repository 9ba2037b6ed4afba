// Pipelined requests: a table of thousands needs only a few sockets.

import { connect } from '../end-to-end/wire.ts'

export interface PipelinedAnswer {
  status: number
  head: string
  header(name: string): string | undefined
  body: string
}

/** `requests` as they go over the wire, each with its Host. Answers must say how long they are. */
export function pipelined(url: string, requests: readonly Buffer[]): Promise<PipelinedAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(url)
    const isHead = requests.map((request) => request.subarray(0, 5).toString() === 'HEAD ')
    const answers: PipelinedAnswer[] = []
    let unread = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      unread += chunk
      for (;;) {
        const cut = cutAnswer(unread, isHead[answers.length] ?? false)
        if (!cut) return
        unread = unread.slice(cut.length)
        answers.push(cut.answer)
        if (answers.length === requests.length) socket.destroy()
      }
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answers))
    for (const request of requests) socket.write(request)
  })
}

function cutAnswer(text: string, withoutBody: boolean) {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim()
  const bodyLength = withoutBody ? 0 : Number(header('content-length') ?? 0)
  const length = end + 4 + bodyLength
  if (text.length < length) return undefined
  const answer: PipelinedAnswer = {
    status: Number(head.split(' ')[1]),
    head,
    header,
    body: text.slice(end + 4, length),
  }
  return { answer, length }
}

export const requestBytes = (method: string, path: string, lines: readonly string[], body = ''): Buffer =>
  Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
