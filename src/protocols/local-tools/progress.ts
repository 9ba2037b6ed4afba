// Progress lines for the user at the client: the job, and its outcome.

import type { Outcome } from '../client-tools/job.ts'
import { countLines } from '../client-tools/read-file.ts'
import type { LocalJob } from './calls.ts'
import { shorten } from './shorten.ts'

const longest = 200

/** One line, at most 200 characters. */
const short = (text: string) => shorten(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim(), longest)

export function announce(job: LocalJob): string {
  switch (job.kind) {
    case 'shell':
      return `$ ${short(job.command)}`
    case 'glob':
    case 'grep':
      return `${job.kind} ${short(job.pattern)}${job.path === undefined ? '' : ` in ${short(job.path)}`}`
    case 'fetch':
      return `fetch ${short(job.url)}`
    default:
      return `${job.kind} ${short(job.path)}`
  }
}

const some = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export function conclude(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'failed':
      return short(outcome.error)
    case 'read':
      return some(countLines(outcome.content), 'line', 'lines')
    case 'list':
      return some(outcome.entries.length, 'entry', 'entries')
    case 'glob':
      return some(outcome.files.length, 'file', 'files')
    case 'grep':
      return some(outcome.matches.filter(({ context }) => !context).length, 'match', 'matches')
    case 'shell':
      return outcome.timedOut ? 'out of time' : `exit code ${outcome.exitCode}`
    case 'fetch':
      return some(outcome.content.length, 'character', 'characters')
    default:
      return 'done'
  }
}
