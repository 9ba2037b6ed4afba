// One HTTP exchange of a soak client, which may read slowly or disconnect in the middle.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

export const closeConnections = () => agent.destroy()

/** The client disconnected on purpose. */
export class Left extends Error {}

/** `manner` is one of faults.mjs, or empty. Resolves with status, headers and text; an exchange that breaks rejects. */
export function exchange(url, body, manner = {}) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const leave = () => {
      reject(new Left())
      if (manner.reset) sent.socket?.resetAndDestroy()
      sent.destroy()
    }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      read(response, manner, leave).then(resolve, reject)
    })
    sent.on('error', reject)
    sent.end(text)
    if (manner.leaveAfterMs !== undefined) setTimeout(leave, manner.leaveAfterMs)
  })
}

async function read(response, { pauseMs, leaveAfterBytes = Number.POSITIVE_INFINITY }, leave) {
  const parts = []
  let bytes = 0
  for await (const part of response) {
    parts.push(part)
    bytes += part.length
    if (bytes > leaveAfterBytes) leave()
    if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  const { statusCode: status, headers, complete } = response
  if (!complete) throw new Error('the answer broke off')
  return { status, headers, text: Buffer.concat(parts).toString() }
}

/** The events of a whole stream: name and data, comments left out. */
export function eventsOf(text) {
  return text.split('\n\n').flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
    if (lines.length === 0) return []
    const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    return [{ name: field('event'), data: field('data') ?? '' }]
  })
}
