// The settings of a request, fitted to the service. A setting that the service is known to refuse is left out, with a note.

import { type Fields, isObject } from '../../base/json.ts'
import type { ServerTraits } from './servers.ts'

interface SettingsOptions {
  traits: ServerTraits
  note(text: string): void
}

/** Runs after `writeEffort`: some settings depend on the effort. */
export function fitSettings(body: Fields, options: SettingsOptions): void {
  writeLimit(body, options)
  fitThinking(body, options)
  dropFixed(body, options)
  dropRefused(body, options)
  for (const [name, value] of Object.entries(options.traits.adds)) body[name] ??= value
}

/** The output limit has two names. Some services know only one. */
function writeLimit(body: Fields, { traits: { limitField }, note }: SettingsOptions): void {
  if (limitField === undefined) return
  const other = limitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  if (body[other] === undefined) return
  body[limitField] ??= body[other]
  delete body[other]
  note(`${other} was sent as ${limitField}, which is what the upstream takes`)
}

/** `thinking`, the switch of Kimi, GLM and others. */
function fitThinking(body: Fields, { traits, note }: SettingsOptions): void {
  const { thinking } = body
  if (!isObject(thinking)) return
  if (thinking.type === 'disabled' && !traits.thinkingOff) {
    delete body.thinking
    note('thinking "disabled" left out: this model always thinks')
    return
  }
  if (thinking.keep !== undefined && !traits.thinkingKeep) {
    const { keep: _, ...rest } = thinking
    body.thinking = rest
    note('thinking.keep left out: this model refuses it')
  }
  if (body.reasoning_effort !== undefined && !traits.effortBesideThinking) {
    delete body.reasoning_effort
    note('reasoning_effort left out: this service takes it or thinking, not both')
  }
}

const defaults: Fields = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
}

/** Reasoning models refuse any value but the default. */
function dropFixed(body: Fields, { traits, note }: SettingsOptions): void {
  const { fixed, fixedWhile, reasonsByDefault } = traits
  const { reasoning_effort: effort } = body
  const reasons = effort === undefined ? reasonsByDefault : effort !== 'none'
  if (fixedWhile === 'reasoning' && !reasons) return
  const set = fixed.filter((name) => body[name] !== undefined && body[name] !== defaults[name])
  if (set.length === 0) return
  for (const name of set) delete body[name]
  note(`${set.join(' and ')} left out: this model takes only the default`)
}

function dropRefused(body: Fields, { traits: { refuses }, note }: SettingsOptions): void {
  const found = refuses.filter((name) => body[name] !== undefined)
  if (found.length === 0) return
  for (const name of found) delete body[name]
  note(`${found.join(', ')} left out: this service refuses it`)
}
