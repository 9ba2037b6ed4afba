import { describe, expect, it } from 'vitest'
import { searchesTools } from './service-search.ts'

describe('the search for tools of a Messages server', () => {
  it.each([
    ['api.anthropic.com', 'claude-opus-5-5'],
    ['mine.services.ai.azure.com', 'my-deployment'],
    ['bedrock-mantle.us-east-1.api.aws', 'anthropic.claude-opus-5-5'],
    ['127.0.0.1:4000', 'claude-sonnet-5-5'],
    ['gateway.example', 'anthropic/claude-haiku-4-5'],
  ])('%s has one for %s', (host, model) => {
    expect(searchesTools(host, model)).toBe(true)
  })

  it.each([
    ['api.deepseek.com', 'deepseek-v4-pro'],
    ['api.deepseek.com', 'claude-opus-5-5'],
    ['api.z.ai', 'glm-5.2'],
    ['api.moonshot.cn', 'kimi-k3'],
    ['api.minimax.io', 'MiniMax-M3'],
    ['dashscope-intl.aliyuncs.com', 'qwen3-coder'],
    ['127.0.0.1:8000', 'Qwen/Qwen3'],
    ['localhost:11434', 'gpt-oss'],
    ['notanthropic.com', 'kimi-k3'],
  ])('%s has none for %s', (host, model) => {
    expect(searchesTools(host, model)).toBe(false)
  })
})
