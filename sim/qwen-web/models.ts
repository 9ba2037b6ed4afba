// The model list of the service, with sizes where its listing had them.

const SIZES: Readonly<Record<string, { context: number; output: number }>> = {
  'qwen3-max': { context: 262_144, output: 32_768 },
  'qwen3-coder-plus': { context: 1_048_576, output: 65_536 },
}

export const DEFAULT_MODELS = ['qwen3.7-plus', 'qwen3-max', 'qwen3-coder-plus']

export function describeModel(id: string) {
  const { context, output } = SIZES[id] ?? { context: 262_144, output: 65_536 }
  return {
    id,
    name: id,
    object: 'model',
    owned_by: 'qwen',
    info: {
      id,
      name: id,
      is_active: true,
      is_visitor_active: true,
      meta: {
        max_context_length: context,
        max_generation_length: output,
        max_thinking_generation_length: 81_920,
        capabilities: { thinking: true, vision: false, document: true, search: true },
        abilities: { thinking: 1 },
        chat_type: ['t2t', 'search', 'artifacts'],
        mcp: [],
        modality: ['text'],
      },
    },
  }
}
