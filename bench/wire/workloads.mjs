// W1 to W5 of the bench: what the upstream sends, how it is asked for, and what is counted. The upstream and the load read
// the same table; the name of the model says which row is meant.

/** Words that need no escaping, and some that do, as in a real answer. */
export const wordOf = (at) => (at % 10 === 9 ? `"w${at}"\n` : `word${at} `)

const words = (count) => Array.from({ length: count }, (_, at) => wordOf(at)).join('')

/** 20 KB of arguments: a file as a model writes one. */
const line = '  const value = lookUp("key", { depth: 2 }) // \\d+ as before\n'
const content = line.repeat(Math.ceil(18_200 / JSON.stringify(line).length))

/** Stands for the moment at which a piece was sent, in microseconds: as many digits wherever it is put. */
export const noStamp = '0000000000000000'

export const toolName = 'write_file'

/**
 * - `answer`: what comes: words, one call, numbered words that carry the time of their sending, or such words and then a call
 * - `count`: pieces of it, `words` of them words where both come
 * - `pace`: together (one write), each (a write of its own, as fast as that goes), or milliseconds between writes
 * - `lanes`: requests at once; `streams` are all opened at about the same time, and measured while all of them run
 * - `unit`: of what the cost is given
 */
export const workloads = {
  w1: { title: 'W1', stream: false, answer: 'words', count: 20, lanes: 8, unit: 'request' },
  /** W1 once more, in a process of its own: cold and warm, and with more connections. */
  wc: { title: 'W1', stream: false, answer: 'words', count: 20, lanes: 8, unit: 'request' },
  w2: { title: 'W2', stream: true, answer: 'words', count: 200, pace: 'each', lanes: 4, unit: 'delta' },
  w2b: { title: 'W2b', stream: true, answer: 'words', count: 200, pace: 'together', lanes: 4, unit: 'delta' },
  w3: { title: 'W3', stream: true, answer: 'call', count: 2000, pace: 'each', lanes: 4, unit: 'delta' },
  w4: { title: 'W4', stream: true, answer: 'stamps', count: 120, pace: 100, streams: 1000, unit: 'delta' },
  w4c: { title: 'W4c', stream: true, answer: 'stamps', count: 300, pace: 10, streams: 50, unit: 'delta' },
  /** W4c for a second: it warms up for both. */
  w4w: { title: 'W4c', stream: true, answer: 'stamps', count: 100, pace: 10, streams: 50, unit: 'delta' },
  w5: { title: 'W5', stream: true, answer: 'words', count: 5, pace: 'together', lanes: 4, large: true },
  w5l: { title: 'W5l', stream: true, answer: 'words', count: 5, pace: 'together', lanes: 1, large: true },
  wl: {
    title: 'latency',
    stream: true,
    answer: 'both',
    count: 40,
    words: 30,
    pace: 5,
    lanes: 10,
    short: true,
  },
}

/** What the client must have in the end. */
export function expected({ answer, count, words: stamps, short }) {
  if (answer === 'words') return { text: words(count), call: '' }
  if (answer === 'stamps') return { stamps: count, call: '' }
  if (answer === 'call') return { text: '', call: callText({ short }) }
  return { stamps, call: callText({ short }) }
}

export const argumentsOf = ({ short }, stamp = noStamp) => ({
  path: 'src/look-up.ts',
  content: short ? line.repeat(8) : content,
  sentAt: stamp,
})

export const callText = (plan, stamp) => JSON.stringify(argumentsOf(plan, stamp))

/** The text in `count` pieces; the last one has the stamp whole. */
export function pieces(text, count) {
  const tail = noStamp.length + 4
  const body = text.slice(0, -tail)
  const size = body.length / (count - 1)
  const cut = Array.from({ length: count - 1 }, (_, at) =>
    body.slice(Math.round(at * size), Math.round((at + 1) * size)),
  )
  return [...cut, text.slice(-tail)]
}

/** Microseconds of a clock that all processes share. */
export const now = () => Math.round(Number(process.hrtime.bigint() / 1000n))
export const stampOf = (microseconds) => String(microseconds).padStart(noStamp.length, '0')

/** A stamped word: its number and its time. */
export const stampedWord = (at) => `#${at} t=${stampOf(now())};`
