// AI SDK with its OpenAI-compatible provider: several steps, several calls at once, streamed and not.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { useBench } from '../harness.ts'

const bench = useBench({ openai: { lenient: true } })

const files: Record<string, string> = { 'README.md': '# Dragoman\nmore', 'notes.txt': 'first note' }
const tools = {
  read_file: tool({
    description: 'Read a file',
    inputSchema: z.object({ path: z.string(), limit: z.number().int().optional() }),
    execute: async ({ path }) => files[path] ?? `no such file: ${path}`,
  }),
  run_command: tool({
    description: 'Run a shell command',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => `ran ${command}`,
  }),
}

describe.each(['anthropic/claude-demo', 'openai/gpt-demo'])('AI SDK on %s', (model) => {
  const provider = () =>
    createOpenAICompatible({
      name: 'dragoman',
      baseURL: `${bench.url}/v1`,
      apiKey: 'any',
      includeUsage: true,
    })

  it('streamText: steps, calls at once, usage', async () => {
    const result = streamText({
      model: provider()(model),
      tools,
      stopWhen: stepCountIs(6),
      prompt: 'Read README.md and notes.txt, then run `ls`',
    })
    let text = ''
    for await (const delta of result.textStream) text += delta
    const steps = await result.steps
    expect(steps.map((step) => step.toolCalls.map((call) => call.toolName))).toEqual([
      ['read_file', 'read_file'],
      ['run_command'],
      [],
    ])
    expect(text).toContain('ran ls')
    expect((await result.totalUsage).totalTokens).toBeGreaterThan(0)
    expect(await result.finishReason).toBe('stop')
  })

  it('generateText: the same, whole', async () => {
    const result = await generateText({
      model: provider()(model),
      tools,
      stopWhen: stepCountIs(6),
      prompt: 'Read README.md, then run `ls`',
    })
    expect(result.steps).toHaveLength(3)
    expect(result.text).toContain('ran ls')
  })
})
