// An answer as a list of writes, and the writing of it at the pace of its workload. What the writes look like is the dialect's.
import { callText, noStamp, now, pieces, stampedWord, stampOf, wordOf } from './workloads.mjs'

const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)))

/** Made once; those with a stamp are functions of nothing. The last one ends the answer. */
export function writesOf(dialect, model, plan) {
  const { answer, count, words = count } = plan
  const isCall = answer === 'call' || answer === 'both'
  const head = bytes(dialect.head(model, { isCall, hasText: answer !== 'call' }))
  const write = (at) =>
    answer === 'words'
      ? bytes(dialect.text(model, wordOf(at)))
      : () => bytes(dialect.text(model, stampedWord(at)))
  const said = answer === 'call' ? [] : Array.from({ length: words }, (_, at) => write(at))
  const rest = isCall ? callWrites(dialect, model, plan) : [bytes(dialect.end(model, { isCall }))]
  return [head, ...said, ...rest]
}

/** The end comes with the last piece of the arguments: what follows is the gateway's own time. */
function callWrites(dialect, model, plan) {
  if (dialect.wholeCall) return [() => bytes(dialect.wholeCall(model, plan, stampOf(now())))]
  const hasText = plan.answer === 'both'
  const all = pieces(callText(plan), plan.count - (plan.words ?? 0))
  const last = all.pop()
  const end = dialect.end(model, { isCall: true, hasText })
  const write = (piece) => dialect.callPiece(model, piece, hasText)
  return [
    bytes(dialect.callHead(model, hasText)),
    ...all.map((piece) => bytes(write(piece))),
    () => bytes(write(last.replace(noStamp, stampOf(now()))), end),
  ]
}

const taken = (write) => (typeof write === 'function' ? write() : write)

/** `stream` is anything that is written to; `finish` takes the last write. */
export function play(stream, { writes, pace, finish }) {
  if (pace === 'together') return finish(Buffer.concat(writes.map(taken)))
  let at = 0
  let timer
  const next = () => {
    if (stream.destroyed) return clearInterval(timer)
    const bytesNow = taken(writes[at++])
    if (at === writes.length) {
      clearInterval(timer)
      return finish(bytesNow)
    }
    stream.write(bytesNow)
    if (pace === 'each') setImmediate(next)
  }
  if (pace !== 'each') {
    timer = setInterval(next, pace)
    // What opens the answer, and then at once the first word of it.
    next()
  }
  return next()
}
