// A tape (docs/tapes.md) as a script: its upstream answers, byte for byte and at their pace. Only what the tape says of the
// upstream side is looked at; a request gets the next answer, whatever it asks.

import { type Script, ScriptError, type Step, type Turn } from './script.ts'

interface Answer {
  status: number
  headers: Record<string, string>
  steps: Step[]
  lastAt: number
}

/** Which backends' tapes a simulator can play. */
const kindsOf: Record<string, string> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
  openai: 'openai',
  text: 'openai',
  'qwen-web': 'qwen-web',
}

/** Shorter pauses are not visible. */
const shortestWaitMs = 5

export const isTape = (source: string): boolean => /^\s*\{"tape":/.test(source)

/** Throws a ScriptError. */
export function parseTapeScript(source: string, kind: string): Script {
  const turns: Turn[] = []
  let title = ''
  let answers = new Map<number, Answer>()
  const finish = () => {
    turns.push(...[...answers.values()].map((answer) => ({ steps: stepsOf(answer) })))
    answers = new Map()
  }
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const frame = parseLine(line, index + 1)
    if ('tape' in frame) {
      finish()
      if (frame.tape !== 1) throw new ScriptError(`line ${index + 1}: a tape of another format`)
      title ||= String(frame.title ?? '')
    } else if (frame.side === 'run') {
      throw new ScriptError(`line ${index + 1}: a run of Cursor's agent; \`dragoman tape replay\` plays it`)
    } else if (frame.side === 'gateway' && frame.do === 'target' && frame.kind !== kindsOf[kind]) {
      throw new ScriptError(`line ${index + 1}: a tape of "${frame.kind}", not for "${kind}"`)
    } else if (frame.side === 'upstream') addFrame(frame, answers)
  }
  finish()
  if (turns.length === 0) throw new ScriptError('a tape on which no service was asked')
  return { kind, scenario: title, source: 'a tape', turns }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (cause) {
    throw new ScriptError(`line ${number}: not JSON`, { cause })
  }
  throw new ScriptError(`line ${number}: each line is a JSON object`)
}

function addFrame(frame: Record<string, unknown>, answers: Map<number, Answer>): void {
  const exchange = Number(frame.exchange)
  const at = Number(frame.at)
  const answer = answers.get(exchange) ?? { status: 200, headers: {}, steps: [], lastAt: at }
  answers.set(exchange, answer)
  const wait = Math.round(at - answer.lastAt)
  if (wait >= shortestWaitMs) answer.steps.push({ wait })
  answer.lastAt = at
  if (frame.do === 'response') {
    answer.status = Number(frame.status)
    answer.headers = (frame.headers ?? {}) as Record<string, string>
  } else if (frame.do === 'error') answer.steps.push({ fault: 'reset' })
  else if (frame.do === 'data')
    answer.steps.push(
      typeof frame.text === 'string' ? { raw: frame.text } : { raw64: String(frame.base64 ?? '') },
    )
}

function stepsOf({ status, headers, steps }: Answer): Step[] {
  if (status === 200) return steps
  const text = steps.map((step) => ('raw' in step ? step.raw : '')).join('')
  const waits = steps.filter((step) => 'wait' in step)
  const retryAfter = headers['retry-after']
  return [
    ...waits,
    {
      status,
      body: bodyOf(text),
      ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
    },
  ]
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
