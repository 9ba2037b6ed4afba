// Rows for OpenAI's own models, matched by the generation in their names.

import type { Words } from '../../../base/words.ts'
import type { Row } from './traits.ts'

export const openaiHost = /(^|\.)(openai\.(com|azure\.com)|(cognitiveservices|services\.ai)\.azure\.com)$/

export const isOpenAIHost = (host: string): boolean => openaiHost.test(host.split(':', 1)[0] ?? host)

interface Generation {
  major: number
  minor: number
  /** The name after the number, e.g. `-mini-2026-03-05`. */
  rest: string
}

/** Reads `gpt-5.6-sol`, also with a vendor prefix (`openai/gpt-5.6-sol`). */
function generationOf(model: string): Generation | undefined {
  const found = /(?:^|\/)gpt-(\d)(?:\.(\d{1,2}))?(?![\d.])/.exec(model)
  if (!found) return undefined
  const rest = model.slice(found.index + found[0].length)
  return { major: Number(found[1]), minor: Number(found[2] ?? 0), rest }
}

const gpt = (test: (generation: Generation) => boolean): Words => ({
  test: (model) => {
    const generation = generationOf(model)
    return generation !== undefined && test(generation)
  },
})

/** From gpt-5.4 on, Chat takes no function tools beside reasoning. */
export function isResponsesModel(model: string): boolean {
  const found = generationOf(model)
  const isNewer = found !== undefined && (found.major > 5 || (found.major === 5 && found.minor >= 4))
  return isResponsesOnly(model) || (isNewer && !isChat(found))
}

/** The hosted tool search came with gpt-5.4. Models of other names may have it. */
export function hasToolSearch(model: string): boolean {
  const found = generationOf(model)
  return (
    !oSeries.test(model) &&
    (found === undefined || found.major > 5 || (found.major === 5 && found.minor >= 4))
  )
}

/** Models that Chat does not have. */
export const isResponsesOnly = (model: string): boolean =>
  /(?:^|\/)(?:o[13]-pro|codex-mini|computer-use-preview|o[34](?:-mini)?-deep-research)/.test(model) ||
  /^-(?:pro|codex)/.test(generationOf(model)?.rest ?? '')

const isChat = ({ rest }: Generation) => rest.includes('chat')
/** Known up to gpt-6. Later models get the client's values. */
const reasons = gpt((found) => (found.major === 5 || found.major === 6) && !isChat(found))
const oSeries = /(^|\/)o\d/
/** gpt-6-astra and gpt-6.1-sol: no effort `none`, and tools on the Responses API only. */
const alwaysReasons = /(?:^|\/)gpt-6(?:-astra|\.1-sol)(?![a-z])/

const sampling = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs']

/** Well-known fields of other services. OpenAI refuses unknown fields. */
const foreignFields = [
  'chat_template_kwargs', 'enable_thinking', 'include_reasoning', 'min_p', 'plugins', 'provider', 'reasoning', 'reasoning_format',
  'reasoning_split', 'repetition_penalty', 'route', 'search_parameters', 'thinking', 'thinking_budget', 'tool_stream', 'top_k',
  'transforms', 'usage',
] // biome-ignore format: a list to be read as one

/** The order matters: later rows override earlier ones. */
export const gptRows: readonly Row[] = [
  {
    host: openaiHost,
    traits: {
      strictMessages: true,
      reasoning: 'nowhere',
      developerRole: true,
      systemMessages: 'anywhere',
      mostTools: 128,
      refuses: foreignFields,
      strictTools: 'openai',
    },
  },
  { host: /(^|\.)openai\.com$/, traits: { limitField: 'max_completion_tokens' } },
  { host: /(^|\.)openai\.com$/, model: /^(gpt-[34]|chatgpt)/, traits: { efforts: [] } },
  // Reasoning models refuse max_tokens on every host; OpenAI's older models take both names.
  { model: oSeries, traits: { limitField: 'max_completion_tokens', fixed: sampling } },
  { model: gpt(({ major }) => major === 5 || major === 6), traits: { limitField: 'max_completion_tokens' } },
  { model: reasons, traits: { fixed: sampling, refuses: ['stop'] } },
  { model: /(^|\/)o[34]/, traits: { refuses: ['stop'] } },
  {
    model: gpt((found) => found.major === 6 || (found.major === 5 && found.minor > 0 && !isChat(found))),
    traits: { fixedWhile: 'reasoning' },
  },
  { model: alwaysReasons, traits: { fixedWhile: 'always' } },
  {
    model: gpt(
      ({ major, minor, rest }) => major === 5 && minor > 0 && minor < 5 && !/codex|pro|chat/.test(rest),
    ),
    traits: { reasonsByDefault: false },
  },
  // Limits on function tools in Chat Completions, on OpenAI's own hosts.
  {
    host: openaiHost,
    model: gpt((found) => found.major === 5 && (found.minor === 4 || found.minor === 5) && !isChat(found)),
    traits: { chatTools: 'without reasoning' },
  },
  {
    host: openaiHost,
    model: gpt((found) => (found.major === 6 || (found.major === 5 && found.minor > 5)) && !isChat(found)),
    traits: { chatTools: 'stated none' },
  },
  { host: openaiHost, model: alwaysReasons, traits: { chatTools: 'never' } },
]
