// The values of `reasoning_effort` that a model accepts, by model and, where the service decides, by host. The first matching row
// counts. A model without a row gets the client's value.

import type { Words } from '../../../base/words.ts'
import { openaiHost } from './gpt.ts'

interface EffortRow {
  host?: RegExp
  model: Words
  efforts: readonly string[]
}

const lowToHigh = ['low', 'medium', 'high']
const lowToXhigh = [...lowToHigh, 'xhigh']
const noneToHigh = ['none', ...lowToHigh]
const noneToXhigh = ['none', ...lowToXhigh]

/** OpenAI's models, on any host. */
const gpt: readonly EffortRow[] = [
  { model: /(^|\/)o(1(?!-mini|-preview)|3|4-mini)(?![a-z\d])/, efforts: lowToHigh },
  { model: /(^|\/)gpt-5(\.1)?-codex(?!-max)/, efforts: lowToHigh },
  { model: /(^|\/)gpt-5\.(1-codex-max|2-codex)/, efforts: lowToXhigh },
  { model: /(^|\/)gpt-5-pro/, efforts: ['high'] },
  { model: /(^|\/)gpt-5\.[245]-pro/, efforts: ['medium', 'high', 'xhigh'] },
  { model: /(^|\/)gpt-5(?!\.|-chat)(?!\d)/, efforts: ['minimal', ...lowToHigh] },
  { model: /(^|\/)gpt-5\.1(?!\d|-chat)/, efforts: noneToHigh },
  { model: /(^|\/)gpt-5\.[2345](?!\d|-chat)/, efforts: noneToXhigh },
  { model: /(^|\/)gpt-(5\.6(?!\d|-chat)|6-(sol|luna)|6\.1-terra)/, efforts: [...noneToXhigh, 'max'] },
  // These models take `max` on the Responses API only.
  { host: openaiHost, model: /(^|\/)gpt-(6-astra|6\.1-sol)/, efforts: lowToXhigh },
  { model: /(^|\/)gpt-(6-astra|6\.1-sol)/, efforts: [...lowToXhigh, 'max'] },
]

const groq = /(^|\.)groq\.com$/
const cerebras = /(^|\.)cerebras\.ai$/
const xai = /(^|\.)x\.ai$/
const mistral = /(^|\.)mistral\.ai$/
const openrouter = /(^|\.)openrouter\.ai$/
const gemini = /^generativelanguage\.googleapis\.com$/
const gptOss = /gpt-oss/i

export const effortRows: readonly EffortRow[] = [
  { host: openrouter, model: /(^|\/)claude/i, efforts: lowToHigh },
  // OpenRouter's own values, which it translates for each model.
  { host: openrouter, model: /./, efforts: ['minimal', ...noneToXhigh] },
  ...gpt,
  { host: groq, model: gptOss, efforts: lowToHigh },
  { host: groq, model: /qwen3-32b/i, efforts: ['none', 'default'] },
  { host: cerebras, model: gptOss, efforts: lowToHigh },
  { host: cerebras, model: /glm-4\.7/i, efforts: ['none'] },
  { host: xai, model: /grok-3-mini/i, efforts: ['low', 'high'] },
  { host: xai, model: /grok-4\.20-multi-agent/i, efforts: lowToXhigh },
  { host: xai, model: /grok-4\.20/i, efforts: [] },
  { host: xai, model: /grok-4\.3/i, efforts: noneToHigh },
  { host: xai, model: /grok-4\.5/i, efforts: lowToHigh },
  { host: xai, model: /grok-4\.[67]/i, efforts: lowToXhigh },
  { host: mistral, model: /mistral-(small-(2603|4)|medium-(2604|3\.5))/i, efforts: ['none', 'high'] },
  { host: mistral, model: /magistral/i, efforts: [] },
  { model: /kimi-k3/i, efforts: ['low', 'high', 'max'] },
  { host: /(^|\.)kimi\.com$/, model: /^k3/i, efforts: ['low', 'high', 'max'] },
  // The server accepts more values than it distinguishes: it reads low and medium as high, and xhigh as max.
  { model: /deepseek-v4/i, efforts: [...lowToXhigh, 'max'] },
  { host: /(^|\.)(z\.ai|bigmodel\.cn)$/, model: /glm-5\.2/i, efforts: ['high', 'max'] },
  { host: gemini, model: /gemini-2\.5-flash/i, efforts: ['minimal', ...noneToHigh] },
  { host: gemini, model: /gemini/i, efforts: ['minimal', ...lowToHigh] },
]

export function effortsOf(host: string, model: string): readonly string[] | undefined {
  return effortRows.find((row) => (row.host?.test(host) ?? true) && row.model.test(model))?.efforts
}
