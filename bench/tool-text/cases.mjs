// What is measured, in which order, and when the other parser is spared the rest.
import { fileURLToPath } from 'node:url'
import { startChild } from '../sessions/children.mjs'

const workerFile = fileURLToPath(new URL('./worker.mjs', import.meta.url))

const kilobyte = 1024
const formats = ['json', 'xml']
const pieceSizes = [1, 4, 64, 1024]

export async function measureAll({ quick, patience, peerFolder }) {
  const sizes = [4, 16, 64, 256, 1024, 4096].filter((size) => !quick || size <= 1024)
  const growthSizes = quick ? [256, 512, 1024] : [1024, 2048, 4096]
  const parsers = ['ours', ...(peerFolder === undefined ? [] : ['peer'])]
  const measure = (parser, task, leastRuns = 3) =>
    measureOne({ parser, task, leastRuns, patience, peerFolder })
  return {
    sizes,
    large: await largeArguments({ parsers, sizes, measure, patience }),
    growth: [
      ...(await growth({ parser: 'ours', sizes: growthSizes, measure })),
      // Sizes that it reaches.
      ...(parsers.includes('peer') ? await growth({ parser: 'peer', sizes: [8, 16, 32], measure }) : []),
    ],
    small: await smallTexts({ parsers, measure, quick }),
  }
}

/** One call with one long string, for each format, size of the argument and size of the pieces it comes in. */
async function largeArguments({ parsers, sizes, measure, patience }) {
  const results = []
  for (const parser of parsers) {
    for (const format of formats) {
      for (const pieceSize of pieceSizes) {
        let expected = 0
        for (const [at, size] of sizes.entries()) {
          const task = { kind: 'large', format, pieceSize, length: size * kilobyte }
          // Time grows by the size at least.
          const isSpared = parser === 'peer' && expected > patience * 1000
          const result = isSpared ? { skipped: true } : await measure(parser, task)
          results.push({ parser, size, ...task, ...result })
          const ms = result.ms ?? Number.POSITIVE_INFINITY
          expected = ms * ((sizes[at + 1] ?? size) / size)
        }
      }
    }
  }
  return results
}

async function growth({ parser, sizes, measure }) {
  const results = []
  for (const format of formats) {
    for (const pieceSize of [1, 64]) {
      const times = []
      for (const size of sizes) {
        const task = { kind: 'large', format, pieceSize, length: size * kilobyte }
        // A ratio has the noise of both its sides.
        times.push((await measure(parser, task, 8)).ms)
      }
      results.push({ parser, format, pieceSize, sizes, times })
    }
  }
  return results
}

/** Answers as agents get them, prose that looks like markup but is none, and many calls in one answer. */
async function smallTexts({ parsers, measure, quick }) {
  const results = []
  for (const kind of ['answers', 'calls', 'prose']) {
    for (const format of formats) {
      for (const parser of parsers) {
        const task = { kind, format, pieceSize: 4, length: (quick ? 64 : 256) * kilobyte }
        results.push({ parser, ...task, ...(await measure(parser, task)) })
      }
    }
  }
  return results
}

/** In a process of its own, so that no case warms up or slows down another. */
async function measureOne({ parser, task, leastRuns, patience, peerFolder }) {
  process.stderr.write(`${parser}: ${Object.values(task).join(', ')}\n`)
  const child = await startChild(workerFile, { execArgv: ['--expose-gc'] })
  try {
    const result = await child.call('measure', { parser, task, leastRuns, patience, peerFolder })
    if (parser === 'ours' && result.problem) throw new Error(`${JSON.stringify(task)}: ${result.problem}`)
    return result
  } finally {
    await child.stop()
  }
}
