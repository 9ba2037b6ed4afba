// The log for a person at a terminal: one line for each turn and each refusal, with what to do.

import { painted, type Span, type Style } from '../base/painted.ts'
import { remedies } from '../core/remedies.ts'

/** A line of the log (log.ts), parsed. */
type LogRecord = Readonly<Record<string, unknown>>

const longestError = 240
const longestNote = 160
const mostNotes = 3
const minuteMs = 60_000

interface TerminalLinesOptions {
  isColoured?: boolean
  /** Also says what is only informative. */
  informs?: boolean
}

/** Turns lines of the log into text. What strangers send makes one line for each code and minute. */
export class TerminalLines {
  readonly #isColoured: boolean
  readonly #informs: boolean
  /** By code: the minute of the last line, and how many were left out since. */
  readonly #strangers = new Map<string, { minute: number; more: number }>()

  constructor({ isColoured = false, informs = false }: TerminalLinesOptions = {}) {
    this.#isColoured = isColoured
    this.#informs = informs
  }

  /** Undefined if there is nothing to say. */
  line(logLine: string): string | undefined {
    const record = JSON.parse(logLine) as LogRecord
    const said = this.#said(record)
    if (said === undefined) return undefined
    const worker = record.worker === undefined ? '' : ` [${record.worker}]`
    return `${painted([['dim', `${clock(record.time)}${worker}`], '  ', ...said], this.#isColoured)}\n`
  }

  #said(record: LogRecord): Span[] | undefined {
    const { message, level, method, path } = record
    if (message === 'turn') return turnWords(record)
    if (message !== 'request refused') return this.#event(record)
    const where = `${method} ${String(path).slice(0, 80)}  `
    if (level !== 'warn') return [where, ['red', 'refused: '], failureWords(record)]
    const more = this.#moreStrangers(record)
    return more === undefined ? undefined : [where, ['yellow', 'turned away: '], failureWords(record), more]
  }

  /** What happened to the gateway itself. */
  #event(record: LogRecord): Span[] | undefined {
    const { message, level } = record
    const isInformative = level === 'info' || level === 'debug'
    if (isInformative && !this.#informs) return undefined
    const style: Style = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'dim'
    const more = this.#informs ? fieldWords(record) : ''
    return [[style, `${level}: `], `${message}${errorWords(record)}`, ['dim', more]]
  }

  #moreStrangers({ code, time }: LogRecord): string | undefined {
    const minute = Math.floor(Date.parse(String(time)) / minuteMs)
    const known = this.#strangers.get(String(code))
    if (known?.minute === minute) {
      known.more++
      return undefined
    }
    this.#strangers.set(String(code), { minute, more: 0 })
    return known && known.more > 0 ? ` (and ${known.more} more before)` : ''
  }
}

function turnWords(record: LogRecord): Span[] {
  const { door, client, model, backend, upstreamModel, outcome, code, milliseconds } = record
  const target = backend === undefined ? '' : `${backend}/${upstreamModel}`
  const to = target === '' || target === model ? '' : ` → ${target}`
  const who: Span[] = [`${client ?? door}  `, ['cyan', `${String(model).slice(0, 80)}${to}`], '  ']
  const notes: Span = ['dim', noteWords(record)]
  if (code === undefined)
    return [...who, ['green', String(outcome)], `${usageWords(record)}, ${milliseconds} ms`, notes]
  // A turn without a target was refused by the gateway itself.
  const end = backend === undefined ? 'refused: ' : 'failed: '
  return [...who, ['red', end], failureWords(record), notes]
}

function usageWords({ calls, inputTokens, outputTokens }: LogRecord): string {
  const called = Number(calls) > 0 ? `, ${calls} ${calls === 1 ? 'call' : 'calls'}` : ''
  return `${called}, ${inputTokens}→${outputTokens} tokens`
}

/** What was changed on the way. */
function noteWords({ notes }: LogRecord): string {
  if (!Array.isArray(notes) || notes.length === 0) return ''
  const shown = notes.slice(0, mostNotes).map((note) => shortened(String(note), longestNote))
  const more = notes.length > mostNotes ? `; and ${notes.length - mostNotes} more` : ''
  return `  (${shown.join('; ')}${more})`
}

function failureWords({ code, error }: LogRecord): string {
  const words = shortened(String(error ?? ''))
  const remedy = (remedies[String(code)] ?? '').replaceAll('`', '')
  return `${code}: ${words}${remedy === '' ? '' : ` → ${remedy}`}`
}

const errorWords = ({ error, backend, next }: LogRecord) =>
  [
    backend === undefined ? '' : `, ${backend}`,
    error === undefined ? '' : `: ${shortened(String(error))}`,
    next === undefined ? '' : ` (${next})`,
  ].join('')

/** Fields that stand elsewhere in the line, and those that only programs read. */
const toldFields = new Set([
  ...['time', 'level', 'message', 'worker', 'error', 'backend', 'next'],
  ...['turn', 'stack', 'cause', 'upstream', 'excerpt'],
])

function fieldWords(record: LogRecord): string {
  const fields = Object.entries(record).filter(([name]) => !toldFields.has(name))
  const said = fields.map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return said.length === 0 ? '' : `  ${shortened(said.join(', '))}`
}

const shortened = (text: string, longest = longestError) =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

const pad = (value: number) => String(value).padStart(2, '0')

/** In local time, as other programs at a terminal say it. */
function clock(time: unknown): string {
  const date = new Date(String(time))
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}
