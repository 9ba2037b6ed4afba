// The figures as Markdown, compared with their targets.
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { toolCalls } from './agent-loop.mjs'

/** Includes the load before the bench: on a busy machine only ratios and memory are meaningful, not seconds. */
export function machine() {
  const processor = `${cpus()[0]?.model.trim() ?? process.arch}, ${availableParallelism()} cores`
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const load = `load ${loadavg()[0].toFixed(1)}`
  return `${processor}, ${memory}, Node ${process.version}, ${process.platform}, ${load} at the start`
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const kilobytes = (bytes) => (bytes / 1024).toFixed(1)
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(0)

export function ratioOf(loops, transport) {
  const secondsWith = (reuse) =>
    loops.find((loop) => loop.transport === transport && loop.reuse === reuse).seconds
  return secondsWith(false) / secondsWith(true)
}

const transportsOf = (rows) => [...new Set(rows.map(({ transport }) => transport))]

const loopTable = (loops) =>
  table(
    [
      'transport',
      'sessions.reuse',
      'upstream runs',
      'seconds',
      's per tool call',
      'of it not the bootstraps, s',
    ],
    loops.map(({ transport, reuse, runs, seconds, besideBootstraps }) => [
      transport,
      reuse,
      runs,
      seconds.toFixed(2),
      (seconds / toolCalls).toFixed(2),
      besideBootstraps.toFixed(2),
    ]),
  )

const memoryTable = (memory) =>
  table(
    [
      'request',
      'transport',
      'KB per session',
      'heap',
      'buffers',
      'KB left when ended',
      'cores while they wait',
    ],
    memory.map((row) => [
      row.kind,
      row.transport,
      ...[row.bytesPerSession, row.heapPerSession, row.externalPerSession, row.leftPerSession].map(kilobytes),
      row.idleCores.toFixed(3),
    ]),
  )

const residentTable = (resident) =>
  table(
    [
      'request',
      'transport',
      'RSS before, MB',
      'all waiting',
      'KB per session',
      'all resumed',
      'after a pause',
      'resumed in, s',
    ],
    resident.map(({ kind, transport, count, before, waiting, resumed, after, resumeSeconds }) => [
      kind,
      transport,
      megabytes(before),
      megabytes(waiting),
      kilobytes((waiting - before) / count),
      megabytes(resumed),
      megabytes(after),
      resumeSeconds.toFixed(1),
    ]),
  )

function growthTable(growth) {
  const cpuOf = ({ park, resume }) => park.cpuMs + resume.cpuMs
  const [first] = growth
  return table(
    ['sessions', 'CPU ms per park', 'per resume', 'both, to the first row', 'wall ms per park', 'per resume'],
    growth.map((row) => [
      row.count,
      row.park.cpuMs.toFixed(2),
      row.resume.cpuMs.toFixed(2),
      `${(cpuOf(row) / cpuOf(first)).toFixed(2)}×`,
      row.park.wallMs.toFixed(2),
      row.resume.wallMs.toFixed(2),
    ]),
  )
}

export function toMarkdown({ machine, bootstrapMs, sessions, loops, memory, resident, growth }) {
  const ratios = transportsOf(loops).map(
    (transport) => `${ratioOf(loops, transport).toFixed(1)} times faster over ${transport}`,
  )
  return `Machine: ${machine}

${toolCalls} tools in a row, ${bootstrapMs / 1000} s before each run's first word. Reuse is ${ratios.join(', ')}.

${loopTable(loops)}

${sessions} sessions that wait, memory in use after garbage collection:

${memoryTable(memory)}

The same in \`dragoman serve\`, resident memory as /metrics tells it, garbage included:

${residentTable(resident)}

Cost by the number of sessions that wait at once (small requests, CPU time of the gateway):

${growthTable(growth)}
`
}

/** Targets are reported, not asserted: a busy machine must not fail a build. */
export function verdicts({ bootstrapMs, sessions, loops, memory, resident }) {
  const realistic = memory.filter(({ kind }) => kind === 'realistic')
  const kb = Math.max(...realistic.map(({ bytesPerSession }) => bytesPerSession / 1024))
  const mb = Math.max(...resident.map(({ waiting }) => waiting / 2 ** 20))
  const seconds = Math.max(...resident.map(({ resumeSeconds }) => resumeSeconds))
  const slowest = Math.min(...transportsOf(loops).map((transport) => ratioOf(loops, transport)))
  const say = (what, isMet, found) => `${isMet ? 'met   ' : 'MISSED'} ${what}: ${found}`
  const hasTargets = { loop: bootstrapMs === 6_000, sessions: sessions === 1_000 }
  return [
    ...(hasTargets.loop
      ? [say('reuse at least 15 times faster', slowest >= 15, `${slowest.toFixed(1)} times`)]
      : []),
    say('a parked session at most 150 KB (must)', kb <= 150, `${kb.toFixed(1)} KB`),
    say('a parked session at most 60 KB (aim)', kb <= 60, `${kb.toFixed(1)} KB`),
    ...(hasTargets.sessions
      ? [
          say('resident memory at most 400 MB with 1000 parked', mb <= 400, `${mb.toFixed(0)} MB`),
          say('1000 resumed within 10 s', seconds <= 10, `${seconds.toFixed(1)} s`),
        ]
      : []),
  ]
}
