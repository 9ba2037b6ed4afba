// OpenAI's own models, by the generation in their names.

import type { Words } from '../../../base/words.ts'
import type { Row } from './traits.ts'

export const openaiHost = /(^|\.)(openai\.(com|azure\.com)|cognitiveservices\.azure\.com)$/

interface Generation {
  major: number
  minor: number
  /** What follows the number, e.g. `-mini-2026-03-05`. */
  rest: string
}

/** Of `gpt-5.6-sol`, also behind a vendor's name. */
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

const isChat = ({ rest }: Generation) => rest.includes('chat')
/** Known until gpt-6: what comes later gets what the client says. */
const reasons = gpt((found) => (found.major === 5 || found.major === 6) && !isChat(found))
const oSeries = /(^|\/)o\d/
/** gpt-6-astra and gpt-6.1-sol: no effort `none`, and tools on the Responses API alone. */
const alwaysReasons = /(?:^|\/)gpt-6(?:-astra|\.1-sol)(?![a-z])/

const sampling = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs']

/** Well-known fields of other services: OpenAI refuses whatever it does not know. */
const ofOthers = [
  'chat_template_kwargs', 'enable_thinking', 'include_reasoning', 'min_p', 'plugins', 'provider', 'reasoning', 'reasoning_format',
  'reasoning_split', 'repetition_penalty', 'route', 'search_parameters', 'thinking', 'thinking_budget', 'tool_stream', 'top_k',
  'transforms', 'usage',
] // biome-ignore format: a list to be read as one

/** In this order: what is later counts. */
export const gptRows: readonly Row[] = [
  {
    host: openaiHost,
    traits: {
      strictMessages: true,
      reasoning: 'nowhere',
      developerRole: true,
      systemMessages: 'anywhere',
      refuses: ofOthers,
    },
  },
  { host: /(^|\.)openai\.com$/, traits: { limitField: 'max_completion_tokens' } },
  { host: /(^|\.)openai\.com$/, model: /^(gpt-[34]|chatgpt)/, traits: { efforts: [] } },
  // Reasoning models refuse max_tokens wherever they are served; OpenAI's older ones take both.
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
  // Function tools on Chat Completions, on OpenAI's own hosts.
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
