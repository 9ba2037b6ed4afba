// A Chat Completions client like an agent's: it streams, sends the whole history each time, and throws on a wrong answer.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** One streamed answer: its text, calls, finish reason and session header. */
export async function ask(url, body) {
  const { status, headers, text } = await post(url, JSON.stringify({ ...body, stream: true }))
  if (status !== 200) throw new Error(`the gateway answered ${status}: ${text.slice(0, 500)}`)
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []))
  if (events.at(-1) !== '[DONE]') throw new Error(`an answer without [DONE]: ${text.slice(-500)}`)
  const answer = { text: '', calls: [], finish: undefined, session: headers['x-dragoman-session'] }
  for (const event of events.slice(0, -1)) addChunk(answer, JSON.parse(event))
  return answer
}

function post(url, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function addChunk(answer, { choices, error }) {
  if (error) throw new Error(`an error in the answer: ${JSON.stringify(error)}`)
  const [choice] = choices
  if (!choice) return
  answer.text += choice.delta.content ?? ''
  for (const { index, id, function: piece } of choice.delta.tool_calls ?? []) {
    answer.calls[index] ??= { id, name: piece.name, arguments: '' }
    answer.calls[index].arguments += piece.arguments ?? ''
  }
  answer.finish = choice.finish_reason ?? answer.finish
}

/** The request that brings the results of an answer's calls. */
export const withResults = (body, { text, calls }, resultOf) => ({
  ...body,
  messages: [
    ...body.messages,
    {
      role: 'assistant',
      content: text === '' ? null : text,
      tool_calls: calls.map(({ id, name, arguments: input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    },
    ...calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: resultOf(call) })),
  ],
})

/** Throws unless all conditions hold. */
export function demand(what, found, wanted) {
  for (const [name, value] of Object.entries(wanted)) {
    if (JSON.stringify(found[name]) === JSON.stringify(value)) continue
    const excerpt = JSON.stringify(found).slice(0, 500)
    throw new Error(`${what}: ${name} should be ${JSON.stringify(value)}; there was ${excerpt}`)
  }
}
