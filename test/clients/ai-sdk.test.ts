// AI SDK with its OpenAI-compatible provider: several steps, several calls at once, streamed and not.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { useBench } from '../harness.ts'

const bench = useBench({ openai: { lenient: true }, cursor: { nativeTools: 'redirect' } })

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

const models = [
  'anthropic/claude-demo',
  'openai/gpt-demo',
  'cursor/composer-2',
  'text/text-demo',
  'text/qwen3-coder',
]

describe.each(models)('AI SDK on %s', (model) => {
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

describe('AI SDK on a Cursor agent: its native requests reach the tools of the program', () => {
  const done: string[] = []
  const record = (name: string, input: unknown, result: string) => {
    done.push(`${name} ${JSON.stringify(input)}`)
    return result
  }
  const own = {
    readFile: tool({
      description: 'Reads a file',
      inputSchema: z.object({ filePath: z.string() }),
      execute: async (input) => record('readFile', input, '# Dragoman\nmore'),
    }),
    writeFile: tool({
      description: 'Writes a file',
      inputSchema: z.object({ filePath: z.string(), content: z.string() }),
      execute: async (input) => record('writeFile', input, 'written'),
    }),
    bash: tool({
      description: 'Runs a command in a shell',
      inputSchema: z.object({ command: z.string() }),
      execute: async (input) => record('bash', input, 'ran'),
    }),
    listFiles: tool({
      description: 'Lists the files of a directory',
      inputSchema: z.object({ path: z.string() }),
      execute: async (input) => record('listFiles', input, 'a.txt\nsrc/'),
    }),
    grep: tool({
      description: 'Searches the contents of files for a regular expression',
      inputSchema: z.object({ pattern: z.string(), path: z.string().optional() }),
      execute: async (input) => record('grep', input, 'src/a.ts:1:const TODO = 1'),
    }),
    glob: tool({
      description: 'Finds files whose names match a glob pattern',
      inputSchema: z.object({ pattern: z.string(), path: z.string().optional() }),
      execute: async (input) => record('glob', input, 'src/a.ts'),
    }),
    get_weather: tool({
      description: 'Tells the weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async (input) => record('get_weather', input, 'sunny'),
    }),
  }

  it.each([
    ['Read README.md', /^readFile \{"filePath":"[^"]*README.md"\}$/, '# Dragoman'],
    [
      'Write hello to greeting.txt',
      /^writeFile \{"filePath":"[^"]*greeting.txt","content":"hello"\}$/,
      'greeting.txt',
    ],
    ['Run `ls`', /^bash \{"command":"ls"\}$/, 'ran'],
    ['List the files', /^listFiles /, 'a.txt'],
    ['Search for TODO', /^grep \{"pattern":"TODO"/, 'TODO'],
    ['Find files matching *.ts', /^glob \{"pattern":"(?:\*\*\/)?\*.ts"/, 'src/a.ts'],
  ])('%s', async (prompt, called, told) => {
    done.length = 0
    const result = await generateText({
      model: createOpenAICompatible({ name: 'dragoman', baseURL: `${bench.url}/v1`, apiKey: 'any' })(
        'cursor/composer-2',
      ),
      tools: own,
      stopWhen: stepCountIs(4),
      prompt,
    })
    expect(done).toEqual([expect.stringMatching(called)])
    expect(result.text).toContain(told)
    expect(bench.cursor.runs).toHaveLength(1)
    expect(bench.cursor.violations).toEqual([])
  })
})
