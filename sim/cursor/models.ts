// The simulator's models, and Cursor's four ways to list them.

import { create, toBinary, toJson } from '@bufbuild/protobuf'
import { GetUsableModelsResponseSchema } from '../../proto/gen/agent/v1/model_pb.ts'
import type { AgentRunRequest } from '../../proto/gen/agent/v1/run_pb.ts'
import { Refusal } from './refusal.ts'

export const DEFAULT_MODELS: readonly string[] = [
  'composer-2',
  'default',
  'composer-2-fast',
  'claude-4.5-sonnet-thinking',
  'gpt-5.2-high',
]

/** Facts of a model beside its name. */
export interface ModelRow {
  readonly id: string
  /** `only`: refused without max mode. */
  readonly maxMode?: 'also' | 'only'
  /** Its context windows, as values of its parameter `context`; the first is the default. */
  readonly contexts?: readonly string[]
}

export const toRow = (model: string | ModelRow): ModelRow =>
  typeof model === 'string' ? { id: model } : model

const MAX_CONTEXT_TOKENS = 1_000_000

export const CONTEXT_TOKENS = 200_000

const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  default: 'Auto',
  'composer-2': 'Composer 2',
  'composer-2-fast': 'Composer 2 Fast',
}

export function isThinkingModel(id: string): boolean {
  return /thinking|-(?:low|medium|high|xhigh)\b/.test(id)
}

export function usableModels(rows: readonly ModelRow[]): { proto: Uint8Array; json: unknown } {
  const message = create(GetUsableModelsResponseSchema, {
    models: rows.map(({ id, maxMode }) => ({
      modelId: id,
      displayModelId: id,
      displayName: displayName(id),
      displayNameShort: displayName(id),
      ...(isThinkingModel(id) && { thinkingDetails: {} }),
      ...(maxMode === 'only' && { maxMode: true }),
    })),
  })
  return {
    proto: toBinary(GetUsableModelsResponseSchema, message),
    json: toJson(GetUsableModelsResponseSchema, message),
  }
}

export function availableModels(rows: readonly ModelRow[]): unknown {
  return {
    models: rows.map(({ id, maxMode, contexts = [] }) => ({
      name: id,
      defaultOn: true,
      supportsAgent: true,
      supportsThinking: isThinkingModel(id),
      supportsImages: true,
      supportsMaxMode: maxMode !== undefined,
      supportsNonMaxMode: maxMode !== 'only',
      contextTokenLimit: CONTEXT_TOKENS,
      ...(maxMode !== undefined && { contextTokenLimitForMaxMode: MAX_CONTEXT_TOKENS }),
      ...(contexts.length > 0 && {
        parameterDefinitions: [{ id: 'context', enum: { values: contexts.map((value) => ({ value })) } }],
        variants: contexts.map((value) => ({
          parameterValues: [{ id: 'context', value }],
          isMaxMode: maxMode !== undefined && value !== contexts[0],
        })),
      }),
      clientDisplayName: displayName(id),
      serverModelName: id,
    })),
    modelNames: rows.map(({ id }) => id),
  }
}

export function restModels(rows: readonly ModelRow[]): unknown {
  return {
    items: rows.map(({ id }) => ({
      id,
      displayName: displayName(id),
      aliases: [],
      parameters: [],
      variants: [],
    })),
  }
}

/** Throws if the account cannot use the model this way. */
export function checkMode({ requestedModel, modelDetails }: AgentRunRequest, row: ModelRow): void {
  const { parameters = [], maxMode = false } = requestedModel ?? {}
  const isMax = maxMode && modelDetails?.maxMode === true
  const { contexts = [] } = row
  for (const { id, value } of parameters) {
    if (contexts.length === 0 || (id === 'context' && contexts.includes(value))) continue
    throw new Refusal('invalid_argument', `Invalid model parameter ${id}=${value} for ${row.id}`)
  }
  const window = parameters.find(({ id }) => id === 'context')?.value ?? contexts[0]
  const needsMax = row.maxMode === 'only' || (row.maxMode === 'also' && window !== contexts[0])
  if (!needsMax || isMax) return
  throw new Refusal('failed_precondition', 'Error', {
    error: 60,
    title: 'Max Mode Required',
    detail: `${row.id} is only available in Max Mode.`,
    isRetryable: false,
  })
}

function displayName(id: string): string {
  return DISPLAY_NAMES[id] ?? id
}
