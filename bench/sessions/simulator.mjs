// A Cursor simulator in its own process.
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { answerCalls } from './children.mjs'

const { startCursorSim } = await import(join(root, 'build/sim/cursor.js'))
let sim

answerCalls({
  async start(options) {
    sim = await startCursorSim(options)
    return sim.url
  },
  play(...turns) {
    sim.play(...turns)
  },
  findings() {
    const conversations = [...sim.conversations.values()]
    return {
      // `sim.runs` has the newest 1000 only.
      runs: conversations.reduce((sum, { attempts }) => sum + attempts, 0),
      openRuns: conversations.filter(({ isOpen }) => isOpen).length,
      violations: sim.violations.slice(0, 5),
      queued: sim.queued,
      /** A repeated result means that a tool's work was sent twice. */
      repeatedResults: [...sim.deliveries.values()].filter((count) => count !== 1).length,
    }
  },
})
