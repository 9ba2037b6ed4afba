// The models the simulator knows, and the four ways in which Cursor lists them.

import { create, toBinary, toJson } from '@bufbuild/protobuf'
import { GetUsableModelsResponseSchema } from '../../proto/gen/agent/v1/model_pb.ts'

export const DEFAULT_MODELS: readonly string[] = [
  'composer-2',
  'default',
  'composer-2-fast',
  'claude-4.5-sonnet-thinking',
  'gpt-5.2-high',
]

export const CONTEXT_TOKENS = 200_000

const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  default: 'Auto',
  'composer-2': 'Composer 2',
  'composer-2-fast': 'Composer 2 Fast',
}

export function isThinkingModel(id: string): boolean {
  return /thinking|-(?:low|medium|high|xhigh)\b/.test(id)
}

export function usableModels(ids: readonly string[]): { proto: Uint8Array; json: unknown } {
  const message = create(GetUsableModelsResponseSchema, {
    models: ids.map((id) => ({
      modelId: id,
      displayModelId: id,
      displayName: displayName(id),
      displayNameShort: displayName(id),
      ...(isThinkingModel(id) && { thinkingDetails: {} }),
    })),
  })
  return {
    proto: toBinary(GetUsableModelsResponseSchema, message),
    json: toJson(GetUsableModelsResponseSchema, message),
  }
}

export function availableModels(ids: readonly string[]): unknown {
  return {
    models: ids.map((id) => ({
      name: id,
      defaultOn: true,
      supportsAgent: true,
      supportsThinking: isThinkingModel(id),
      supportsImages: true,
      supportsMaxMode: false,
      contextTokenLimit: CONTEXT_TOKENS,
      clientDisplayName: displayName(id),
      serverModelName: id,
    })),
    modelNames: ids,
  }
}

export function restModels(ids: readonly string[]): unknown {
  return {
    items: ids.map((id) => ({
      id,
      displayName: displayName(id),
      aliases: [],
      parameters: [],
      variants: [],
    })),
  }
}

function displayName(id: string): string {
  return DISPLAY_NAMES[id] ?? id
}
