// Single services and models, one row a fact, matched by the host or by the model's name; all rows that fit count, and of two
// that disagree the later one. What is not known is not here: it goes out as it came.

import { followedBy, oneOf } from '../../../base/words.ts'
import { gptRows } from './gpt.ts'
import type { Row } from './traits.ts'

const kimiHost = /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/
/** Models of Kimi that always think. */
const kimiThinks = oneOf(/kimi-k2\.[5-9]|kimi-k[3-9]/i, followedBy(/kimi-k2/i, /think/i))

export const rows: readonly Row[] = [
  ...gptRows,
  {
    host: /(^|\.)mistral\.ai$/,
    traits: {
      streamOptions: false,
      strictMessages: true,
      reasoning: 'parts',
      nineCharacterIds: true,
      assistantAfterTool: true,
      limitField: 'max_tokens',
      forcedChoice: 'any',
      markedPrefix: true,
      nullFields: false,
      names: 'tool',
      refuses: ['store', 'user', 'logit_bias', 'logprobs', 'top_logprobs'],
      schemaKeywords: ['$id', '$schema'],
    },
  },
  // Their chat templates insist on it wherever they are served.
  { model: /(mi|mini|magi|dev|code)stral/i, traits: { assistantAfterTool: true } },
  { model: /(mi|mini|magi|dev|code)stral|qwen|gemma/i, traits: { systemMessages: 'in front' } },
  {
    host: /(^|\.)groq\.com$/,
    traits: {
      strictMessages: true,
      reasoning: 'reasoning',
      nullFields: false,
      refuses: ['logit_bias', 'logprobs', 'top_logprobs'],
    },
  },
  {
    host: /(^|\.)cerebras\.ai$/,
    traits: {
      strictMessages: true,
      reasoning: 'reasoning',
      limitField: 'max_completion_tokens',
      refuses: ['store'],
      nullFields: false,
      silentOverflow: true,
    },
  },
  { host: /(^|\.)x\.ai$/, traits: { reasoning: 'nowhere', names: 'none' } },
  {
    host: /(^|\.)x\.ai$/,
    model: /grok-([4-9]|code-fast)/i,
    traits: { refuses: ['stop', 'frequency_penalty'] },
  },
  // DeepSeek and Kimi have been seen to give two calls one id, and to refuse it when it came back.
  { model: /deepseek/i, traits: { forcedWhileThinking: false, uniqueCallIds: true } },
  { host: /(^|\.)deepseek\.com$/, traits: { reasoning: 'reasoning_content', plainText: true } },
  { model: followedBy(/deepseek/i, /reasoner|think|v3\.2/i), traits: { reasoningWanted: 'with calls' } },
  { model: followedBy(/deepseek/i, /v4/i), traits: { reasoningWanted: 'everywhere' } },
  { model: followedBy(/deepseek/i, /reasoner|r1/i), traits: { lastTurnReasoning: true } },
  { model: followedBy(/deepseek/i, /reasoner|think|r1/i), traits: { thinks: true } },
  // Kimi refuses an empty reasoning_content and takes a blank one.
  { model: kimiThinks, traits: { reasoningWanted: 'with calls', forcedWhileThinking: false, thinks: true } },
  {
    host: kimiHost,
    traits: {
      reasoning: 'reasoning_content',
      reasoningWanted: 'with calls',
      uniqueCallIds: true,
      plainText: true,
      imageUrls: false,
    },
  },
  { host: kimiHost, model: kimiThinks, traits: { fixed: ['temperature'] } },
  { host: kimiHost, model: /k2\.7-code/i, traits: { thinkingOff: false } },
  { host: kimiHost, model: /k2\.5/i, traits: { thinkingKeep: false } },
  {
    host: /(^|\.)kimi\.com$/,
    model: /^(k\d|kimi-for-coding)/i,
    traits: { fixed: ['temperature'], forcedWhileThinking: false, thinks: true },
  },
  { model: /qwen|qwq/i, traits: { forcedWhileThinking: false } },
  { model: oneOf(/qwq/i, followedBy(/qwen/i, /think/i)), traits: { thinks: true } },
  // Annotations, of which Google refuses what it does not know.
  {
    host: /^generativelanguage\.googleapis\.com$/,
    traits: { schemaKeywords: ['$id', '$schema', '$comment'] },
  },
  {
    host: /^generativelanguage\.googleapis\.com$/,
    model: /gemini-([3-9]|\d\d)/i,
    traits: { thoughtSignatures: true },
  },
  {
    host: /(^|\.)fireworks\.ai$/,
    traits: { adds: { context_length_exceeded_behavior: 'error' }, effortBesideThinking: false },
  },
  // Ollama, by its port: of a list it makes one message for each part.
  { host: /:11434$/, traits: { reasoning: 'reasoning', plainText: true } },
]
