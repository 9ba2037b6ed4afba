// The command line of the bench.
import { parseArgs } from 'node:util'
import { inProcessBackends } from './campaign.mjs'
import { backends, doorNames, doorsBefore, variantNames } from './subjects.mjs'
import { workloads } from './workloads.mjs'

const help = `npm run bench -- [options]

Measures what an answer costs on its way through the gateway, on core 0, beside a pipe that only forwards, nginx and other
gateways; the upstream and the load are on core 1. Linux. All of it takes about 45 minutes, --quick less than one.

  --quick             W1, W2b, W3, W4c and W5l for chat-anthropic and chat-openai, one round, no peers
  --pairs A,B         only these pairs of a door (${doorNames.join(', ')}) and a backend
                      (${Object.keys(backends).join(', ')}), like chat-anthropic
  --workloads A,B     only these: w1, w2, w2b, w3, w4, w4c, w5, w5l, wl (latencies),
                      wc (W1 cold and warm, and with 1, 32 and 256 connections)
  --rounds N          how often each is measured, in another order each time (3)
  --seconds N         how long each time (1)
  --no-peers          without nginx and other gateways
  --against DIR       another checkout with its dist/, as one more subject
  --watched           Dragoman once more, with its inspector on
  --traced            and once more, with traces on
  --unchecked         and once more, without the check of tool calls
  --together          W4c of all subjects at the same time, on the one core: what slows one of them down slows all of them
                      down, so that small differences show. For two or three subjects (--no-peers), or the core is full
  --json FILE         all figures, unrounded
  --markdown FILE     the report, which is also printed
  --svg FILE          the ratios as a picture
  --docs              writes the report and the picture into docs/performance.md
  --baseline FILE     ratios to compare with (bench/baseline.json)
  --record            writes that file
  --strict            exit code 1 if anything became slower than the baseline
  --help
`

const quickPairs = ['chat-anthropic', 'chat-openai']
const quickModels = ['w1', 'w2b', 'w3', 'w4c', 'w5l']
const allModels = Object.keys(workloads).filter((name) => name !== 'w4w')
const allPairs = Object.keys(backends).flatMap((backend) =>
  doorsBefore(backend).map((door) => `${door}-${backend}`),
)

const flags = {
  quick: { type: 'boolean', default: false },
  pairs: { type: 'string' },
  workloads: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  peers: { type: 'boolean' },
  against: { type: 'string' },
  watched: { type: 'boolean', default: false },
  traced: { type: 'boolean', default: false },
  unchecked: { type: 'boolean', default: false },
  together: { type: 'boolean', default: false },
  json: { type: 'string' },
  markdown: { type: 'string' },
  svg: { type: 'string' },
  docs: { type: 'boolean', default: false },
  baseline: { type: 'string' },
  record: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
}

function refuse(message) {
  process.stderr.write(`bench: ${message}; --help shows the options\n`)
  process.exit(2)
}

function parse(args) {
  try {
    return parseArgs({ args, options: flags, allowNegative: true }).values
  } catch (error) {
    return refuse(error.message)
  }
}

function listOf(given, known, fallback) {
  if (given === undefined) return fallback
  const names = given.toLowerCase().split(',')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) refuse(`"${unknown}" is none of ${known.join(', ')}`)
  return known.filter((name) => names.includes(name))
}

function numberOf(given, fallback) {
  if (given === undefined) return fallback
  const value = Number(given)
  return value > 0 ? value : refuse(`"${given}" is no number above 0`)
}

const pairOf = (name) => {
  const [door] = name.split('-', 1)
  return { name, door, backend: name.slice(door.length + 1) }
}

export function readOptions(args, { baseline }) {
  const given = parse(args)
  if (given.help) {
    process.stdout.write(help)
    process.exit(0)
  }
  const { quick } = given
  return {
    ...given,
    baseline: given.baseline ?? baseline,
    pairs: listOf(given.pairs, allPairs, quick ? quickPairs : allPairs).map(pairOf),
    models: listOf(given.workloads, allModels, quick ? quickModels : allModels),
    rounds: Math.ceil(numberOf(given.rounds, quick ? 1 : 3)),
    seconds: numberOf(given.seconds, quick ? 0.5 : 1),
    /** Before each workload, unless enough is done earlier. */
    warm: quick ? 0.8 : 2,
    inProcess: quick ? ['cursor'] : inProcessBackends,
    inProcessSeconds: quick ? 0.5 : 2,
    withPeers: given.peers ?? !quick,
    variants: variantNames.filter((name) => given[name]),
  }
}
