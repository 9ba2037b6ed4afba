// All curves: what grows, through which door, to which backend. A point is a request and its answer.
import { backends, doorNames } from './bench.mjs'
import { historyOf, historyWithArgument, toolsOf } from './content.mjs'

const KB = 1024
const MB = 1024 * KB

export const shortAnswer = { text: { size: 200, piece: 40 } }
export const question = [{ user: 'm#0# What is there?' }]
export const someTools = toolsOf(5)
const smallPiece = 40
const largePiece = 8 * KB

const call = (size, kind, piece) => ({ calls: { count: 1, size, kind, piece } })
const calls = (count) => ({ calls: { count, size: 200, kind: 'plain', piece: smallPiece } })

const sizesInBytes = { sizes: [KB, 10 * KB, 100 * KB, MB, 4 * MB], quick: [KB, 30 * KB, 100 * KB, 300 * KB] }

/** `sizes` for a full run, `quick` with --quick. */
const axes = {
  history: {
    sizes: [1, 10, 30, 100, 300, 1_000],
    quick: [1, 30, 100, 300],
    variants: { '': (size) => ({ history: historyOf(size), answer: shortAnswer, arrive: size }) },
  },
  tools: {
    sizes: [1, 5, 20, 50, 100, 200],
    quick: [1, 10, 30, 100],
    variants: { '': (size) => ({ tools: toolsOf(size), answer: shortAnswer }) },
  },
  arguments: {
    ...sizesInBytes,
    variants: {
      'small pieces, streamed': (size) => ({ answer: call(size, 'plain', smallPiece), manner: 'streamed' }),
      'small pieces, given whole': (size) => ({ answer: call(size, 'plain', smallPiece) }),
      'large pieces, streamed': (size) => ({ answer: call(size, 'plain', largePiece), manner: 'streamed' }),
      'large pieces, given whole': (size) => ({ answer: call(size, 'plain', largePiece) }),
      'awkward text, streamed': (size) => ({ answer: call(size, 'awkward', smallPiece), manner: 'streamed' }),
      'awkward text, given whole': (size) => ({ answer: call(size, 'awkward', smallPiece) }),
      'not a stream': (size) => ({ answer: call(size, 'plain', smallPiece), stream: false }),
    },
  },
  past: {
    ...sizesInBytes,
    variants: {
      plain: (size) => ({ history: historyWithArgument(size, 'plain'), answer: shortAnswer, arrive: 2 }),
      awkward: (size) => ({ history: historyWithArgument(size, 'awkward'), answer: shortAnswer, arrive: 2 }),
    },
  },
  calls: {
    sizes: [1, 5, 20, 50, 100, 200, 500],
    quick: [1, 20, 50, 150],
    variants: {
      streamed: (count) => ({ answer: calls(count), manner: 'streamed' }),
      'given whole': (count) => ({ answer: calls(count) }),
    },
  },
  text: {
    ...sizesInBytes,
    variants: {
      'small pieces': (size) => ({ answer: { text: { size, piece: smallPiece } } }),
      'large pieces': (size) => ({ answer: { text: { size, piece: largePiece } } }),
      'not a stream': (size) => ({ answer: { text: { size, piece: smallPiece } }, stream: false }),
    },
  },
  streams: {
    sizes: [1, 5, 20, 50, 100, 200],
    quick: [1, 10, 30, 60],
    variants: { '': (count) => ({ answer: { text: { size: 4 * KB, piece: smallPiece } }, together: count }) },
  },
}

/** Limits of services: more would be dropped or refused. */
const limits = { 'qwen-web': { tools: 50, past: 30 * KB } }

const fits = ({ axis, backend }, size) => size <= (limits[backend]?.[axis] ?? Number.POSITIVE_INFINITY)

/** Cursor sends calls whole, so the size of argument pieces makes no difference. */
const isDistinct = ({ backend, axis, variant }) =>
  backend !== 'cursor' || axis !== 'arguments' || !variant.startsWith('large pieces')

/** With --quick: one door for each backend, and the first variant. */
const quickDoor = {
  openai: 'chat',
  anthropic: 'messages',
  cursor: 'responses',
  text: 'messages',
  'qwen-web': 'chat',
}

export function curvesOf({ quick, wants = () => true }) {
  return Object.entries(axes).flatMap(([axis, { sizes, quick: few, variants }]) =>
    Object.entries(variants).flatMap(([variant, point], at) =>
      doorNames.flatMap((door) =>
        backends
          .map((backend) => ({ axis, variant, door, backend, unit: 'ns' }))
          .filter(isDistinct)
          .filter(({ backend }) => !quick || (at === 0 && door === quickDoor[backend]))
          .filter(wants)
          .map((curve) => ({
            ...curve,
            sizes: (quick ? few : sizes).filter((size) => fits(curve, size)),
            point: (size) => ({
              history: question,
              tools: someTools,
              manner: 'whole',
              together: 1,
              ...point(size),
            }),
          })),
      ),
    ),
  )
}
