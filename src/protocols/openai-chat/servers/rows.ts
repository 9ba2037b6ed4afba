// Quirks of OpenAI-compatible services and models: one row per fact. README.md in this folder shows where each kind of quirk goes.
//
// To add one:
// 1. Find the trait in traits.ts. If none fits, add one there with its default in `commonGround`, and apply it in the `*-out.ts`
//    module that writes the affected part (`grep -r traits.` shows the existing ones).
// 2. Add a row here with `host`, `model` or both. `host` is tested with and without the port. Every matching row applies, and
//    later rows override earlier ones; only `refuses` adds up. Values of `reasoning_effort` belong in efforts.ts, OpenAI's own
//    models in gpt.ts.
// 3. Show the refusal in the simulator (sim/openai/profiles.ts, server-rules.ts) and the fix in test/wire-cases/servers.test.ts.
//
// Add only behaviour that was seen or is documented. Requests to a service without rows are sent unchanged.

import { followedBy, oneOf } from '../../../base/words.ts'
import { gptRows } from './gpt.ts'
import type { Row, ServerTraits } from './traits.ts'

const kimiHost = /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/
/** Kimi models that always think. */
const kimiThinks = oneOf(/kimi-k2\.[5-9]|kimi-k[3-9]/i, followedBy(/kimi-k2/i, /think/i))

export const rows: readonly Row[] = [
  ...gptRows,
  // `maximum number of items is 128`. xAI's function page says 200, its Chat page 128.
  {
    host: /(^|\.)(groq\.com|x\.ai|deepseek\.com|z\.ai|bigmodel\.cn|minimax\.(io|chat)|minimaxi\.com)$/,
    traits: { mostTools: 128 },
  },
  { host: /(^|\.)dashscope(-[a-z]+)?\.aliyuncs\.com$/, traits: { mostTools: 128 } },
  { host: kimiHost, traits: { mostTools: 128 } },
  { host: /^generativelanguage\.googleapis\.com$/, traits: { mostTools: 512 } },
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
      refuses: ['store', 'user', 'logit_bias', 'logprobs', 'top_logprobs', 'search_parameters'],
      schemas: 'mistral',
      strictTools: 'ignored',
    },
  },
  // The chat templates of these models insist on it, on every host.
  { model: /(mi|mini|magi|dev|code)stral/i, traits: { assistantAfterTool: true } },
  { model: /(mi|mini|magi|dev|code)stral|qwen|gemma/i, traits: { systemMessages: 'in front' } },
  {
    host: /(^|\.)groq\.com$/,
    traits: {
      strictMessages: true,
      reasoning: 'reasoning',
      nullFields: false,
      refuses: ['logit_bias', 'logprobs', 'top_logprobs', 'search_parameters'],
      strictTools: 'ignored',
      formatBesideTools: false,
    },
  },
  { host: /(^|\.)groq\.com$/, model: /gpt-oss|kimi/i, traits: { strictTools: 'openai' } },
  {
    host: /(^|\.)cerebras\.ai$/,
    traits: {
      strictMessages: true,
      reasoning: 'reasoning',
      limitField: 'max_completion_tokens',
      refuses: ['store', 'search_parameters'],
      nullFields: false,
      silentOverflow: true,
      strictTools: 'cerebras',
      evenStrict: true,
      formatBesideTools: false,
    },
  },
  { host: /(^|\.)x\.ai$/, traits: { reasoning: 'nowhere', names: 'none', schemas: 'xai' } },
  {
    host: /(^|\.)x\.ai$/,
    model: /grok-([4-9]|code-fast)/i,
    traits: { refuses: ['stop', 'frequency_penalty'] },
  },
  // DeepSeek and Kimi have been seen to give two calls the same id, and to refuse that id in the next request.
  { model: /deepseek/i, traits: { forcedWhileThinking: false, uniqueCallIds: true } },
  { host: /(^|\.)deepseek\.com$/, traits: { reasoning: 'reasoning_content', plainText: true } },
  { model: followedBy(/deepseek/i, /reasoner|think|v3\.2/i), traits: { reasoningWanted: 'with calls' } },
  { model: followedBy(/deepseek/i, /v4/i), traits: { reasoningWanted: 'everywhere' } },
  { model: followedBy(/deepseek/i, /reasoner|r1/i), traits: { lastTurnReasoning: true } },
  { model: followedBy(/deepseek/i, /reasoner|think|r1/i), traits: { thinks: true } },
  // Kimi refuses an empty reasoning_content and takes one with a blank.
  { model: kimiThinks, traits: { reasoningWanted: 'with calls', forcedWhileThinking: false, thinks: true } },
  {
    host: kimiHost,
    traits: {
      reasoning: 'reasoning_content',
      reasoningWanted: 'with calls',
      uniqueCallIds: true,
      plainText: true,
      imageUrls: false,
      schemas: 'moonshot',
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
  // Google turns schemas into a form of its own, and refuses keywords that this form does not have.
  { host: /^generativelanguage\.googleapis\.com$/, traits: { schemas: 'gemini' } },
  {
    host: /^generativelanguage\.googleapis\.com$/,
    model: /gemini-([3-9]|\d\d)/i,
    traits: { thoughtSignatures: true },
  },
  {
    host: /(^|\.)fireworks\.ai$/,
    traits: { adds: { context_length_exceeded_behavior: 'error' }, effortBesideThinking: false },
  },
  // Ollama, matched by its port: it turns a list of parts into one message per part.
  { host: /:11434$/, traits: { reasoning: 'reasoning', plainText: true, formatBesideTools: false } },
  // Services on which `strict` has no effect. DeepSeek has it at /beta only, and xAI holds to every schema anyway.
  {
    host: /(^|\.)(x\.ai|deepseek\.com|z\.ai|bigmodel\.cn|minimax\.(io|chat)|minimaxi\.com|aliyuncs\.com|together\.xyz|fireworks\.ai|deepinfra\.com|nvidia\.com|googleapis\.com)$/,
    traits: { strictTools: 'ignored' },
  },
  { host: kimiHost, traits: { strictTools: 'ignored' } },
  // Ollama and LM Studio.
  { host: /:(11434|1234)$/, traits: { strictTools: 'ignored' } },
  { host: /(^|\.)openrouter\.ai$/, traits: { strictTools: 'openai' } },
]

/** Servers without a host name of their own, by `owned_by` in their list of models. */
export const families: ReadonlyMap<string, Partial<ServerTraits>> = new Map<string, Partial<ServerTraits>>([
  // A response_format would cover all output, so that no call can be made.
  ['vllm', { strictTools: 'xgrammar', strictUnasked: true, formatBesideTools: false }],
  ['sglang', { strictTools: 'xgrammar', strictUnasked: true }],
  // Holds to every schema by its grammar.
  ['llamacpp', { strictTools: 'ignored' }],
])
