// One text search: files go in, matches come out, until there are enough. Files are matched in batches with a time limit,
// because a regular expression can take forever.

import { isAscii } from 'node:buffer'
import { closeSync, fstatSync, readSync } from 'node:fs'
import type { GrepMatch, JobOf, OutcomeOf } from '../../protocols/client-tools/job.ts'
import type { Held } from '../files/held.ts'
import type { FileLimits } from '../files/limits.ts'
import { codeOf, Refusal, shown } from '../files/refusal.ts'
import { type MatchOptions, matchText, type SearchedText, type TextMatches } from './match-text.ts'
import { compilePattern } from './rg-pattern.ts'
import { withinTime } from './within-time.ts'

const maxFileBytes = 16 * 1024 * 1024

const maxBatchBytes = 256 * 1024
const maxBatchFiles = 64
const matchTimeoutMs = 1000
const maxContextLines = 500
const longestLine = 2000

interface LoadedFile extends SearchedText {
  file: string
}

export class GrepRun {
  readonly #job: JobOf<'grep'>
  readonly #limits: FileLimits
  readonly #options: Omit<MatchOptions, 'maxLines'>
  readonly #maxMatches: number
  readonly #matches: GrepMatch[] = []
  #bytes = 0
  #overfull = false
  #hasPassedOver = false
  #batch: LoadedFile[] = []
  #batchBytes = 0

  constructor(job: JobOf<'grep'>, limits: FileLimits) {
    const { caseInsensitive = false, multiline = false, before = 0, after = 0, limit = 0 } = job
    const context = (lines: number) =>
      job.mode === 'content' ? Math.min(Math.max(0, Math.trunc(lines)), maxContextLines) : 0
    this.#job = job
    this.#limits = limits
    this.#maxMatches = limit >= 1 ? Math.trunc(limit) : Number.POSITIVE_INFINITY
    this.#options = {
      pattern: compilePattern(job.pattern, { caseInsensitive, multiline }),
      multiline,
      before: context(before),
      after: context(after),
    }
  }

  get hasEnough(): boolean {
    return this.#overfull
  }

  /** Skips binary and unreadable files, and reports files that are too big. Closes the descriptor. */
  search(file: string, hold: () => Held | undefined): void {
    const held = hold()
    try {
      const loaded = held === undefined ? undefined : load(held, maxFileBytes)
      if (loaded === 'too-big') this.#hasPassedOver = true
      else if (loaded !== undefined && loaded !== 'binary') this.#add({ file, ...loaded })
    } catch (error) {
      if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'ENOENT') throw error
    } finally {
      held?.close()
    }
  }

  /** A single requested file, which is not skipped silently. */
  searchOnly(file: string, held: Held): void {
    const loaded = load(held, maxFileBytes)
    if (loaded === 'too-big')
      throw new Refusal(`${shown(file)} is too large to search in (${held.stat.size} bytes).`)
    if (loaded === 'binary')
      throw new Refusal(`${shown(file)} is a binary file, so there is no text to find.`)
    if (loaded !== undefined) this.#add({ file, ...loaded })
  }

  finish(leftOut: boolean): OutcomeOf<'grep'> {
    this.#matchBatch()
    return {
      kind: 'grep',
      matches: this.#matches,
      truncated: leftOut || this.#overfull || this.#hasPassedOver,
    }
  }

  #add(loaded: LoadedFile): void {
    this.#batch.push(loaded)
    this.#batchBytes += loaded.text.length
    if (this.#batchBytes >= maxBatchBytes || this.#batch.length >= maxBatchFiles) this.#matchBatch()
  }

  #matchBatch(): void {
    const batch = this.#batch.splice(0)
    this.#batchBytes = 0
    if (batch.length === 0 || this.#overfull) return
    const maxLines = this.#maxLines()
    let at = 0
    const ran = withinTime(matchTimeoutMs, () => {
      const found: TextMatches[] = []
      for (; at < batch.length; at++)
        found.push(matchText(batch[at] as LoadedFile, { ...this.#options, maxLines }))
      return found
    })
    if (ran === undefined)
      throw new Refusal(
        `The pattern takes too long (in ${shown(batch[at]?.file ?? '')}). Make it simpler: avoid repeats within repeats, such as (a+)+, and alternatives that overlap.`,
      )
    for (const [index, found] of ran.result.entries())
      if (found.count > 0) this.#show((batch[index] as LoadedFile).file, found)
  }

  #maxLines(): number {
    if (this.#job.mode === 'count') return Number.POSITIVE_INFINITY
    if (this.#job.mode === 'files') return 1
    // Every line takes at least one byte of output.
    return Math.min(this.#maxMatches - this.#matches.length + 1, this.#limits.outputBytes)
  }

  #show(file: string, { count, lines }: TextMatches): void {
    if (this.#job.mode === 'files') this.#push({ file })
    else if (this.#job.mode === 'count') this.#push({ file, count })
    else
      for (const { line, text, context } of lines)
        this.#push({ file, line, text: shortLine(text), ...(context ? { context } : {}) })
  }

  #push(match: GrepMatch): void {
    if (this.#overfull) return
    this.#bytes += Buffer.byteLength(match.file) + Buffer.byteLength(match.text ?? '') + 8
    if (this.#matches.length >= this.#maxMatches || this.#bytes > this.#limits.outputBytes)
      this.#overfull = true
    else this.#matches.push(match)
  }
}

const shortLine = (text: string) =>
  text.length > longestLine ? `${text.slice(0, longestLine)} [… ${text.length - longestLine} more]` : text

function load(held: Held, maxBytes: number): SearchedText | 'too-big' | 'binary' | undefined {
  if (!held.stat.isFile()) return undefined
  const descriptor = held.openToRead()
  try {
    const { size } = fstatSync(descriptor)
    if (size > maxBytes) return 'too-big'
    const bytes = Buffer.allocUnsafe(size)
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0))
    return read.includes(0) ? 'binary' : { text: textOf(read), isAscii: isAscii(read) }
  } finally {
    closeSync(descriptor)
  }
}

/** A byte order mark does not belong to the first line. */
const textOf = (bytes: Buffer) => {
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
