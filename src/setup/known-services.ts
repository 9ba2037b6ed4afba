// The services that `dragoman init` knows: the variables in which people keep their keys, and the usual ports of local servers. What each
// service needs besides is in docs/backends.md.

export interface HostedService {
  /** On the command line, and the backend's name in the file. */
  name: string
  title: string
  kind: 'anthropic' | 'gemini' | 'openai'
  /** Undefined: the default of the kind. */
  baseUrl?: string
  /** The usual names of the variable with the key, the most usual first. */
  keyVariables: readonly string[]
  /** A variable that points clients elsewhere: then the key is for that place. */
  addressVariable?: string
}

const openai = (name: string, title: string, baseUrl: string, ...keyVariables: string[]): HostedService => ({
  ...{ name, title, kind: 'openai', baseUrl, keyVariables },
})

export const hostedServices: readonly HostedService[] = [
  {
    name: 'claude',
    title: 'Anthropic',
    kind: 'anthropic',
    keyVariables: ['ANTHROPIC_API_KEY'],
    addressVariable: 'ANTHROPIC_BASE_URL',
  },
  {
    ...openai('openai', 'OpenAI', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
    addressVariable: 'OPENAI_BASE_URL',
  },
  openai('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  { name: 'gemini', title: 'Gemini', kind: 'gemini', keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  openai('groq', 'Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  openai('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  openai('xai', 'xAI', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  openai('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  openai('deepseek', 'DeepSeek', 'https://api.deepseek.com', 'DEEPSEEK_API_KEY'),
  openai('moonshot', 'Moonshot', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  openai('zai', 'Z.ai', 'https://api.z.ai/api/paas/v4', 'ZAI_API_KEY'),
  openai(
    'dashscope',
    'DashScope (Qwen)',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'DASHSCOPE_API_KEY',
  ),
  openai('together', 'Together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  openai('fireworks', 'Fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  openai('minimax', 'MiniMax', 'https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  openai('deepinfra', 'DeepInfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY'),
  openai('nim', 'NVIDIA NIM', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY'),
]

export interface LocalServer {
  name: string
  title: string
  port: number
  /** The variable in which people keep the key of such a server, if it asks for one. */
  keyVariable?: string
}

/** By default on these ports; another program may be there instead. */
export const localServers: readonly LocalServer[] = [
  { name: 'ollama', title: 'Ollama', port: 11_434 },
  { name: 'lm-studio', title: 'LM Studio', port: 1_234 },
  { name: 'vllm', title: 'vLLM', port: 8_000, keyVariable: 'VLLM_API_KEY' },
  { name: 'llama-cpp', title: 'llama.cpp', port: 8_080, keyVariable: 'LLAMA_API_KEY' },
  { name: 'sglang', title: 'SGLang', port: 30_000 },
  { name: 'litellm', title: 'LiteLLM', port: 4_000, keyVariable: 'LITELLM_MASTER_KEY' },
]
