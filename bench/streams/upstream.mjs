// A Chat server in its own process that streams numbered words at a steady rate, so a misplaced word is detected. The model's
// name sets the number of words and the rate.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { answerCalls } from '../sessions/children.mjs'

export const modelOf = (words, perSecond) => `w${words}-${perSecond}`

const wordOf = (name, at) => `${name}.${at} `

/** The complete text of a stream of this name. */
export function hashOf(name, words) {
  const hash = createHash('sha256')
  for (let at = 0; at < words; at++) hash.update(wordOf(name, at))
  return hash.digest('hex')
}

const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

function serve(request, response) {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const { model, messages, stream } = JSON.parse(Buffer.concat(parts).toString())
    const [, words, perSecond] = /^w(\d+)-(\d+)$/.exec(model).map(Number)
    const name = messages.at(-1).content.slice(0, 20)
    if (!stream) {
      const message = { role: 'assistant', content: String(messages.at(-1).content.length) }
      response.setHeader('content-type', 'application/json')
      return response.end(
        JSON.stringify({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model,
          choices: [{ index: 0, message, finish_reason: 'stop' }],
        }),
      )
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ role: 'assistant', content: '' }))
    const startedAt = performance.now()
    let said = 0
    const say = () => {
      // Sends all words that are due, one write each: a late timer must not slow the stream.
      const due = Math.min(words, 1 + Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
      while (said < due) response.write(chunk({ content: wordOf(name, said++) }))
      if (said < words) return
      clearInterval(timer)
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
    }
    const timer = setInterval(say, 1000 / perSecond)
    response.on('close', () => clearInterval(timer))
    say()
  })
}

if (process.send) {
  answerCalls({
    listen: () =>
      new Promise((resolve) => {
        const server = createServer(serve).listen(0, '127.0.0.1', () =>
          resolve(`http://127.0.0.1:${server.address().port}`),
        )
      }),
  })
}
