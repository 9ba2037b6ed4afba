// Prepares an answer for sending: writes calls as text, intercepts native ones like the service's web stack, and fails in the
// middle if told to.

import { type SayStep, type Script, ScriptError, type Step } from '../script.ts'
import type { Reply } from '../server.ts'
import { type Speech, speak } from '../text-chat/speak.ts'
import { FAILURES, type Failure, isFailure, replyOf } from './failures.ts'

export interface AnswerOptions {
  readonly speech: Speech
  readonly intercepts: boolean
  /** Active failures of the stream; scripts add to them. */
  readonly failures: Set<Failure>
}

interface PreparedAnswer {
  readonly steps: readonly Step[]
  /** The text that the service stores; undefined after a refusal. */
  readonly text: string | undefined
}

export function prepareAnswer(steps: readonly Step[], options: AnswerOptions): PreparedAnswer {
  const { speech, intercepts, failures } = options
  for (const step of steps) {
    if (!('error' in step)) continue
    const name = toFailure(step.error)
    const reply = replyOf(name, step.num)
    if (reply) return { steps: [...steps.filter(isWait), toStatus(reply)], text: undefined }
    failures.add(name)
  }
  const spoken = speak(
    steps.filter((step) => !('error' in step)),
    speech,
  )
  const answer = intercepts ? intercept(spoken) : spoken
  return { steps: interrupt(answer, failures), text: textOf(answer) }
}

/** Throws a ScriptError for an unknown failure in the script. */
export function checkFailures(script: Script | undefined): void {
  for (const step of script?.turns.flatMap(({ steps }) => steps) ?? []) {
    if ('error' in step) toFailure(step.error)
  }
}

function toFailure(name: string): Failure {
  if (isFailure(name)) return name
  throw new ScriptError(`there is no error "${name}"; there are ${Object.keys(FAILURES).join(', ')}`)
}

function toStatus({ status, headers, body }: Reply): Step {
  return { status, body, ...(headers && { headers }) }
}

/** Text that looks like a native call never reaches the client. */
function intercept(steps: readonly Step[]): Step[] {
  const text = textOf(steps)
  const at = text.indexOf('<tool_call>')
  const called = text.slice(at)
  const name = /"name"\s*:\s*"([^"]+)"|<function=([^<>\s]+)>|<tool_call>\s*([\w.-]+)/.exec(called)
  const found = name?.slice(1).find((group) => group !== undefined)
  if (at < 0 || found === undefined) return [...steps]
  const said = `${text.slice(0, at)}Tool ${found} does not exists.`
  const first = steps.findIndex(isSay)
  return steps.flatMap((step, index): Step[] => {
    if (!isSay(step)) return [step]
    return index === first ? [{ say: said }] : []
  })
}

function interrupt(steps: readonly Step[], failures: ReadonlySet<Failure>): Step[] {
  if (failures.has('zero-deltas')) return [{ say: '' }, { fault: 'fin' }]
  const half = () => firstHalf(steps)
  if (failures.has('status-error')) {
    const error = { code: 'internal_error', message: 'the model stopped' }
    const delta = { role: 'assistant', content: '', phase: 'answer', status: 'error', error }
    return [...half(), { frame: { choices: [{ delta }] } }]
  }
  if (failures.has('error-event')) {
    return [...half(), { frame: { error: { code: 'internal_error', details: 'the model stopped' } } }]
  }
  return failures.has('no-finish') ? [...steps, { fault: 'fin' }] : [...steps]
}

/** Half of the text, at least one character, and everything before it. */
function firstHalf(steps: readonly Step[]): Step[] {
  const text = textOf(steps) || '…'
  const before = steps.slice(0, Math.max(0, steps.findIndex(isSay)))
  return [...before, { say: text.slice(0, Math.ceil(text.length / 2)) }]
}

function textOf(steps: readonly Step[]): string {
  return steps
    .filter(isSay)
    .map(({ say }) => say)
    .join('')
}

function isSay(step: Step): step is SayStep {
  return 'say' in step
}

function isWait(step: Step): boolean {
  return 'wait' in step
}
