// A process that measures one case: warms the parser up, then takes the best of several runs. Time is that of the
// processor, as the machine may have other work.
import { answerCalls } from '../sessions/children.mjs'
import { loadParser } from './parsers.mjs'
import { makeTexts } from './texts.mjs'

const warmUpLength = 4 * 1024
/** Short runs are repeated up to this time. */
const fullMs = 1_000
/** Beyond this, one run says enough. */
const longMs = 5_000

answerCalls({ measure })

async function measure({ parser, task, leastRuns, patience, peerFolder }) {
  const parse = await loadParser(parser, task, peerFolder)
  const warmUp = { ...task, length: Math.min(task.length, warmUpLength) }
  const run = (texts) => runOnce({ parse, texts, pieceSize: task.pieceSize, limitMs: patience * 1000 })
  await run(makeTexts(warmUp))
  const texts = makeTexts(task)
  const textLength = texts.reduce((sum, { text }) => sum + text.length, 0)
  let best = await run(texts)
  let runs = 1
  for (let total = best.ms; best.ms < longMs && (runs < leastRuns || total < fullMs); runs++) {
    const next = await run(texts)
    total += next.ms
    if (next.ms < best.ms || next.problem) best = next
  }
  return { ...best, textLength, count: texts.length, runs }
}

async function runOnce({ parse, texts, pieceSize, limitMs }) {
  const cut = texts.map(({ text }) => piecesOf(text, pieceSize))
  globalThis.gc()
  const outcomes = []
  const started = processorMs()
  const isOverdue = () => processorMs() - started > limitMs
  for (const pieces of cut) {
    const outcome = await parse(pieces, isOverdue)
    if (outcome === undefined) return { overdue: true }
    outcomes.push(outcome)
  }
  const ms = processorMs() - started
  const problems = outcomes.map((outcome, at) => problemOf(outcome, texts[at]))
  return { ms, problem: problems.find((problem) => problem !== undefined) }
}

function processorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function piecesOf(text, size) {
  const pieces = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

function problemOf({ calls, text }, expected) {
  if (calls.length !== expected.calls.length)
    return `${calls.length} calls instead of ${expected.calls.length}`
  for (const [at, { name, input }] of expected.calls.entries()) {
    if (calls[at].name !== name) return `another tool: ${calls[at].name}`
    if (JSON.stringify(JSON.parse(calls[at].input)) !== JSON.stringify(input)) return 'other arguments'
  }
  // White space beside a call is no part of the text.
  return text.trim() === expected.prose.trim() ? undefined : 'other text'
}
