// The four simulators in their own process, with faults for single requests.
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { answerCalls } from '../sessions/children.mjs'
import { cursorFaults, httpFaults } from './faults.mjs'

const from = (file) => import(join(root, 'build/sim', file))
const { startAnthropicSim } = await from('anthropic.js')
const { startCursorSim } = await from('cursor.js')
const { startOpenAISim } = await from('openai.js')
const { startTextSim } = await from('text-chat.js')

const sims = {}

/** Arms a fault for the next requests that contain these words, as many as the fault lasts. */
function arm(backend, fault, marker) {
  const isCursor = backend === 'cursor'
  const when = ({ text, bodyText }) => (isCursor ? text : bodyText).includes(marker)
  const turns = (isCursor ? cursorFaults : httpFaults)[fault]
  sims[backend].play(...turns.map((steps) => ({ when, steps })))
}

function breakRuns(marker) {
  const own = sims.cursor.runs.filter(({ requestBytes }) =>
    Buffer.from(requestBytes.buffer, requestBytes.byteOffset, requestBytes.byteLength).includes(marker),
  )
  const conversations = new Set(own.map(({ request }) => request.conversationId))
  sims.cursor.breakRuns(({ request }) => conversations.has(request.conversationId))
}

answerCalls({
  async start() {
    Object.assign(sims, {
      anthropic: await startAnthropicSim(),
      openai: await startOpenAISim(),
      text: await startTextSim(),
      cursor: await startCursorSim(),
    })
    return Object.fromEntries(Object.entries(sims).map(([name, { url }]) => [name, url]))
  },
  arm,
  breakRuns,
  findings() {
    const conversations = [...sims.cursor.conversations.values()]
    return {
      openRuns: conversations.filter(({ isOpen }) => isOpen).length,
      violations: sims.cursor.violations.slice(0, 5),
      /** Repeated results, by the row of the table in docs/reliability.md. */
      repeats: Object.fromEntries(sims.cursor.repeats),
    }
  },
})
