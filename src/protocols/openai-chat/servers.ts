// What OpenAI-compatible services refuse or insist on, beyond the common ground. Data: one row a fact, matched by the
// host or by the model's name; all rows that fit count.

import { followedBy, oneOf, type Words } from '../words.ts'

export interface ServerTraits {
  /** Takes `stream_options`; without it there may be no usage. */
  streamOptions: boolean
  /** Refuses fields in messages that are not OpenAI's own: reasoning_content, cache_control. */
  strictMessages: boolean
  /** Assistant messages with tool calls must carry their reasoning; the text to send when it is not known. */
  reasoningFiller: string | undefined
  /** A forced tool_choice is refused while the model thinks. */
  forcedWhileThinking: boolean
  /** The model always thinks. */
  thinks: boolean
  /** Tool call ids must be exactly nine letters and digits. */
  nineCharacterIds: boolean
  /** Refuses two calls with one id, even where it gave them that id itself. */
  uniqueCallIds: boolean
  /** Knows the role `developer`, OpenAI's new name for `system`. */
  developerRole: boolean
  /** Where system messages may stand; `unknown`: single servers refuse them anywhere but in front. */
  systemMessages: 'anywhere' | 'unknown' | 'in front'
  /** A user message may not follow a tool message. */
  assistantAfterTool: boolean
  /** Takes temperature and top_p. */
  sampling: boolean
  /** Takes `reasoning_effort`. */
  reasoningEffort: boolean
  /** The only name of the output limit that is taken; undefined: whichever the client used. */
  limitField: 'max_tokens' | 'max_completion_tokens' | undefined
}

interface Row {
  host?: RegExp
  model?: Words
  traits: Partial<ServerTraits>
}

const base: ServerTraits = {
  streamOptions: true,
  strictMessages: false,
  reasoningFiller: undefined,
  forcedWhileThinking: true,
  thinks: false,
  nineCharacterIds: false,
  uniqueCallIds: false,
  developerRole: false,
  systemMessages: 'unknown',
  assistantAfterTool: false,
  sampling: true,
  reasoningEffort: true,
  limitField: undefined,
}

/** OpenAI's reasoning models: o1 and later, and gpt-5 without the ones for chat. */
function isReasoningModel(model: string): boolean {
  const chat = model.lastIndexOf('chat')
  return (
    /(?:^|\/)o\d/.test(model) || (chat < 0 ? /(?:^|\/)gpt-5/.test(model) : model.includes('/gpt-5', chat))
  )
}

const rows: readonly Row[] = [
  {
    host: /(^|\.)openai\.(com|azure\.com)$/,
    traits: { strictMessages: true, developerRole: true, systemMessages: 'anywhere' },
  },
  // OpenAI's reasoning models refuse max_tokens, wherever they are served; OpenAI's older ones take both.
  { host: /(^|\.)openai\.com$/, traits: { limitField: 'max_completion_tokens' } },
  { model: /(^|\/)(o\d|gpt-5)/, traits: { limitField: 'max_completion_tokens' } },
  { model: { test: isReasoningModel }, traits: { sampling: false } },
  { host: /(^|\.)openai\.com$/, model: /^(gpt-[34]|chatgpt)/, traits: { reasoningEffort: false } },
  {
    host: /(^|\.)mistral\.ai$/,
    traits: {
      streamOptions: false,
      strictMessages: true,
      nineCharacterIds: true,
      assistantAfterTool: true,
      limitField: 'max_tokens',
    },
  },
  // Their chat templates insist on it wherever they are served.
  { model: /(mi|mini|magi|dev|code)stral/i, traits: { assistantAfterTool: true } },
  { model: /(mi|mini|magi|dev|code)stral|qwen|gemma/i, traits: { systemMessages: 'in front' } },
  // DeepSeek and Kimi have been seen to give two calls one id, and to refuse it when it came back.
  { model: /deepseek/i, traits: { forcedWhileThinking: false, uniqueCallIds: true } },
  { host: /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/, traits: { uniqueCallIds: true } },
  { model: followedBy(/deepseek/i, /reasoner|think|v3\.2|v4/i), traits: { reasoningFiller: ' ' } },
  { model: followedBy(/deepseek/i, /reasoner|think|r1/i), traits: { thinks: true } },
  // Kimi refuses an empty reasoning_content and takes a blank one.
  {
    model: oneOf(/kimi-k2\.[5-9]|kimi-k[3-9]/i, followedBy(/kimi-k2/i, /think/i)),
    traits: { reasoningFiller: ' ', forcedWhileThinking: false, thinks: true },
  },
  { model: /qwen|qwq/i, traits: { forcedWhileThinking: false } },
  { model: oneOf(/qwq/i, followedBy(/qwen/i, /think/i)), traits: { thinks: true } },
]

export function serverTraits(host: string, model: string): ServerTraits {
  const fitting = rows.filter((row) => (row.host?.test(host) ?? true) && (row.model?.test(model) ?? true))
  return Object.assign({}, base, ...fitting.map((row) => row.traits))
}
