// Profiles of OpenAI-compatible servers: their URLs, rules, error layout and reasoning. Facts as of November 2026, from vendors'
// documentation, open sources and reports of live accounts.

import type { Constrains } from './constrain.ts'
import type { Quirk } from './quirks.ts'
import { type ErrorShape, Refusal } from './refusal.ts'
import { evenStrict, forcedSchemas, oneMeaning, schemaRule, strictSchemas } from './schema-rules.ts'
import {
  contentIsText,
  efforts,
  groqWords,
  markedPrefix,
  nineCharacterIds,
  noEarlierReasoning,
  noFields,
  noImageUrls,
  noMessageFields,
  noNames,
  noNullFields,
  noRole,
  notBoth,
  noUserAfterTool,
  onlyTemperatureOne,
  reasoningOnAll,
  reasoningOnCalls,
  type ServerRule,
  signedDetails,
  thinkingSwitch,
  thoughtSignatures,
  toolChoices,
  wrongApiFormat,
} from './server-rules.ts'
import {
  gbnfProblem,
  geminiProblem,
  mistralProblem,
  moonshotProblem,
  xaiProblem,
} from './tool-schemas/problems.ts'

export interface ServerProfile {
  /** The path before `/chat/completions`, `/responses` and `/models`. */
  readonly base: RegExp
  /** Has `/responses`. */
  readonly responses?: true
  /** The header of the key, if it is not `Authorization: Bearer`. */
  readonly keyHeader?: string
  /** Required query parameters. */
  readonly query?: readonly string[]
  /** Only OpenAI's own models and fields. */
  readonly isOpenAI?: true
  /** The refusal of an unknown field. Absent: unknown fields are ignored. */
  readonly unknownField?: (path: string) => Refusal
  readonly errors?: ErrorShape
  readonly quirks?: readonly Quirk[]
  /** Takes reasoning back as parts of the content. */
  readonly thinkingParts?: true
  readonly rules?: readonly ServerRule[]
  /** `owned_by` in its list of models. */
  readonly ownedBy?: string
  /** Which calls it holds to their schemas. */
  readonly constrains?: Constrains
  /** Checks calls after the fact. */
  readonly checksCalls?: true
}

const V1 = /^\/v1$/
const LOW_TO_HIGH = ['low', 'medium', 'high']
const LOW_TO_XHIGH = [...LOW_TO_HIGH, 'xhigh']
const GPT_OSS = /gpt-oss/

const unrecognized = (name: string) => new Refusal(`Argument not supported on this model: ${name}`)

const extraForbidden = (path: string) =>
  new Refusal(path, {
    status: 422,
    body: {
      detail: [{ type: 'extra_forbidden', loc: ['body', path], msg: 'Extra inputs are not permitted' }],
    },
  })

const kimi: readonly ServerRule[] = [
  schemaRule(moonshotProblem),
  reasoningOnCalls,
  contentIsText,
  noImageUrls,
  thinkingSwitch,
  onlyTemperatureOne(/k2|k3|kimi-for-coding/),
  efforts([/(^|-)k3/, ['low', 'high', 'max']]),
]

export const PROFILES = {
  openai: { base: V1, isOpenAI: true, responses: true, rules: [strictSchemas], constrains: 'strict' },
  azure: {
    base: /^\/openai\/v1$/,
    keyHeader: 'api-key',
    isOpenAI: true,
    responses: true,
    rules: [strictSchemas],
    constrains: 'strict',
  },
  'azure-classic': {
    base: /^\/openai\/deployments\/[^/]+$/,
    keyHeader: 'api-key',
    query: ['api-version'],
    isOpenAI: true,
    rules: [strictSchemas],
    constrains: 'strict',
  },
  openrouter: {
    base: /^\/api\/v1$/,
    quirks: ['comments', 'details-fragments'],
    rules: [signedDetails, efforts([/./, ['none', 'minimal', ...LOW_TO_XHIGH]])],
  },
  groq: {
    base: /^\/openai\/v1$/,
    quirks: ['reasoning'],
    rules: [
      noMessageFields(['reasoning_content', 'reasoning_details'], groqWords),
      noNullFields,
      noFields(['logprobs', 'top_logprobs', 'logit_bias'], unrecognized),
      efforts([GPT_OSS, LOW_TO_HIGH], [/qwen3-32b/, ['none', 'default']]),
      strictSchemas,
      notBoth('tools', 'response_format'),
    ],
    constrains: 'strict',
    checksCalls: true,
  },
  cerebras: {
    base: V1,
    errors: 'flat',
    quirks: ['reasoning'],
    rules: [
      noMessageFields(['reasoning_content', 'reasoning_details'], (name, index) =>
        wrongApiFormat(`${index}.assistant.${name}`),
      ),
      noRole('developer'),
      noFields(['store'], wrongApiFormat),
      notBoth('tools', 'response_format'),
      efforts([GPT_OSS, LOW_TO_HIGH], [/glm-4\.7/, ['none']]),
      evenStrict(/gpt-oss|glm/),
      strictSchemas,
    ],
    constrains: 'strict',
  },
  xai: {
    base: V1,
    quirks: ['reasoning_content', 'whole-calls'],
    rules: [
      schemaRule(xaiProblem),
      noNames(/^$/),
      noFields(['stop', 'frequency_penalty'], unrecognized, /grok-([4-9]|code-fast)/),
      efforts(
        [/grok-3-mini/, ['low', 'high']],
        [/grok-4\.20(?!-multi)/, []],
        [/grok-4\.20-multi/, LOW_TO_XHIGH],
        [/grok-4\.3/, ['none', ...LOW_TO_HIGH]],
        [/grok-4\.5/, LOW_TO_HIGH],
        [/grok-4\.[67]/, LOW_TO_XHIGH],
      ),
    ],
  },
  mistral: {
    base: V1,
    errors: 'flat-object',
    unknownField: extraForbidden,
    quirks: ['content-parts'],
    thinkingParts: true,
    rules: [
      noFields(['stream_options', 'max_completion_tokens', 'store', 'user'], extraForbidden),
      nineCharacterIds,
      noUserAfterTool,
      markedPrefix,
      noNames(/^tool$/),
      toolChoices('auto', 'none', 'any'),
      schemaRule(mistralProblem),
      efforts([/mistral-(small-2603|medium-2604)/, ['none', 'high']], [/magistral/, []]),
    ],
  },
  deepseek: {
    base: /^(\/v1|\/beta)?$/,
    quirks: ['reasoning_content'],
    rules: [contentIsText, reasoningOnAll(/v4/), noEarlierReasoning(/reasoner|r1/)],
  },
  moonshot: { base: V1, quirks: ['reasoning_content'], rules: kimi },
  'kimi-code': { base: /^\/coding\/v1$/, quirks: ['reasoning_content'], rules: kimi },
  zai: {
    base: /^\/api(\/coding)?\/paas\/v4$/,
    quirks: ['reasoning_content'],
    rules: [efforts([/glm-5\.2/, ['high', 'max']])],
  },
  dashscope: { base: /^\/compatible-mode\/v1$/, quirks: ['reasoning_content'] },
  gemini: {
    base: /^\/v1beta\/openai$/,
    errors: 'array',
    quirks: ['index-zero', 'thought-signature'],
    rules: [schemaRule(geminiProblem), thoughtSignatures, efforts([/gemini-3/, ['minimal', ...LOW_TO_HIGH]])],
  },
  together: { base: V1, quirks: ['reasoning'] },
  fireworks: {
    base: /^\/inference\/v1$/,
    errors: 'text',
    quirks: ['reasoning_content'],
    rules: [notBoth('reasoning_effort', 'thinking')],
  },
  minimax: { base: V1, quirks: ['think-tags'] },
  deepinfra: { base: /^\/v1\/openai$/, quirks: ['reasoning_content'] },
  nim: { base: V1, quirks: ['reasoning_content'] },
  vllm: {
    base: V1,
    quirks: ['reasoning'],
    ownedBy: 'vllm',
    constrains: 'any strict',
    rules: [forcedSchemas],
  },
  sglang: {
    base: V1,
    errors: 'flat-object',
    quirks: ['reasoning_content'],
    ownedBy: 'sglang',
    constrains: 'any strict',
    rules: [oneMeaning],
  },
  'llama.cpp': {
    base: V1,
    quirks: ['reasoning_content'],
    ownedBy: 'llamacpp',
    rules: [schemaRule(gbnfProblem)],
  },
  ollama: {
    base: V1,
    quirks: ['reasoning'],
    rules: [contentIsText, efforts([/./, ['none', 'minimal', ...LOW_TO_XHIGH, 'ultra', 'max']])],
  },
  'lm-studio': { base: V1, errors: 'text', quirks: ['reasoning_content'], rules: [schemaRule(gbnfProblem)] },
  litellm: { base: V1, quirks: ['reasoning_content'] },
} as const satisfies Record<string, ServerProfile>

export type ServerName = keyof typeof PROFILES
