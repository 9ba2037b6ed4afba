import { describe, expect, it } from 'vitest'
import { toBedrockCount, toInvokeModel } from './bedrock-request.ts'
import { sortBedrockBetas, sortVertexBetas } from './betas.ts'
import type { MessagesRequest } from './cloud-request.ts'
import { bedrockModelId, geographyOf, vertexModelId } from './model-ids.ts'
import { toRawPredict, toVertexCount } from './vertex-request.ts'

const messages = [{ role: 'user', content: 'hi' }]
const place = { project: 'my-project', region: 'global' }

function request(body: object, more: Partial<MessagesRequest> = {}): MessagesRequest & { notes: string[] } {
  const notes: string[] = []
  return {
    model: 'claude-sonnet-5-5',
    stream: false,
    body: { model: 'claude-sonnet-5-5', max_tokens: 9, messages, ...body },
    headers: {},
    note: (text) => notes.push(text),
    ...more,
    notes,
  }
}

const invoke = (body: object, more?: Partial<MessagesRequest>) =>
  toInvokeModel(request(body, more), { profile: 'us' })

describe('model ids', () => {
  it.each([
    ['claude-sonnet-5-5', 'us.anthropic.claude-sonnet-5-5', 'claude-sonnet-5-5'],
    ['claude-haiku-4-5', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5@20251001'],
    [
      'claude-sonnet-4-5-20250929',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'claude-sonnet-4-5@20250929',
    ],
    [
      'claude-sonnet-4-5@20250929',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'claude-sonnet-4-5@20250929',
    ],
  ])('%s', (name, bedrock, vertex) => {
    expect([bedrockModelId(name, 'us'), vertexModelId(name)]).toEqual([bedrock, vertex])
  })

  it.each([
    'global.anthropic.claude-sonnet-5-5',
    'anthropic.claude-haiku-4-5-20251001-v1:0',
    'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc',
  ])("are kept in Bedrock's own form: %s", (id) => {
    expect(bedrockModelId(id, 'us')).toBe(id)
  })

  it.each(['../x', 'x/..', 'x/../y', 'x//y', 'x/', 'a b', '', '.', 'claude-x\n', '-x'])(
    'cannot lead elsewhere: %j',
    (name) => {
      expect(() => bedrockModelId(name, 'us')).toThrow('There is no model')
      expect(() => vertexModelId(name)).toThrow('There is no model')
    },
  )

  it.each([
    ['us-east-1', 'us'],
    ['ca-central-1', 'us'],
    ['us-gov-west-1', 'us-gov'],
    ['eu-west-1', 'eu'],
    ['ap-northeast-1', 'jp'],
    ['ap-southeast-2', 'au'],
    ['ap-south-1', 'apac'],
  ])('of region %s: %s', (region, geography) => {
    expect(geographyOf(region)).toBe(geography)
  })
})

describe('betas', () => {
  const sent = ['oauth-2025-04-20', 'claude-code-20250219', 'context-1m-2025-08-07', 'web-search-2025-03-05']

  it('are those that the cloud takes', () => {
    expect(sortBedrockBetas(sent)).toEqual({
      sent: ['context-1m-2025-08-07'],
      leftOut: ['oauth-2025-04-20', 'claude-code-20250219', 'web-search-2025-03-05'],
    })
    expect(sortVertexBetas(sent).sent).toEqual(['context-1m-2025-08-07', 'web-search-2025-03-05'])
    expect(sortBedrockBetas(['advanced-tool-use-2025-11-20']).sent).toEqual(['tool-search-tool-2025-10-19'])
  })
})

describe('InvokeModel', () => {
  it('has model and stream in its path, version and betas in its body', () => {
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1, b-2', 'x-own': '1' }
    expect(invoke({ stream: true }, { stream: true, headers })).toEqual({
      path: '/model/us.anthropic.claude-sonnet-5-5/invoke-with-response-stream',
      headers: { 'x-own': '1' },
      body: {
        max_tokens: 9,
        messages,
        anthropic_version: 'bedrock-2023-05-31',
        anthropic_beta: ['a-1', 'b-2'],
      },
    })
    expect(invoke({}, { model: 'claude-haiku-4-5' }).path).toBe(
      '/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke',
    )
  })

  it('leaves out what Bedrock does not know, with a note', () => {
    const given = request({
      metadata: { user_id: 'x' },
      service_tier: 'auto',
      context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }] },
      output_config: { effort: 'low', format: { type: 'json_schema' } },
      tools: [{ name: 'a', strict: true, eager_input_streaming: true }, { name: 'b' }],
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop' } },
    })
    const { body } = toInvokeModel(given, { profile: 'us' })
    expect(body).toEqual({
      max_tokens: 9,
      messages,
      context_management: { edits: [{ type: 'compact_20260112' }] },
      output_config: { effort: 'low' },
      tools: [{ name: 'a' }, { name: 'b' }],
      thinking: { type: 'adaptive', block_binding: { mismatch_behavior: 'drop' } },
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['fine-grained-tool-streaming-2025-05-14', 'effort-2025-11-24'],
    })
    expect(given.notes).toEqual([
      'not sent to Bedrock, which does not know it: metadata, service_tier',
      'strict of tools is not sent to Bedrock, which does not have it: a',
      'context_management was reduced to the edits that Bedrock has',
    ])
  })

  it('has one effort, where the client has one for each turn', () => {
    const turns = [
      { role: 'user', content: 'a', output_config: { effort: 'low' } },
      { role: 'system', content: 'b', output_config: { effort: 'high' } },
    ]
    const given = { messages: turns, output_config: { effort: 'medium' } }
    const expected = {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: 'b' },
      ],
      output_config: { effort: 'high' },
    }
    expect(invoke(given).body).toMatchObject({ ...expected, anthropic_beta: ['effort-2025-11-24'] })
    const { body } = toRawPredict(request(given), place)
    for (const each of [invoke(given).body, body]) {
      expect(each.messages).toEqual(expected.messages)
      expect(each.output_config).toEqual(expected.output_config)
    }
    expect(invoke({}).body.messages).toBe(messages)
    for (const write of [
      (one: ReturnType<typeof request>) => toInvokeModel(one, { profile: 'us' }),
      (one: ReturnType<typeof request>) => toRawPredict(one, place),
    ]) {
      const one = request(given)
      write(one)
      expect(one.notes).toEqual([
        'the effort of single turns is sent as one: the last is for the whole request',
      ])
    }
  })

  it('drops the scope of cache marks, and keeps everything else as the same object', () => {
    const mark = { type: 'ephemeral', scope: 'global' }
    const plain = {
      role: 'user',
      content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
    }
    const result = { type: 'tool_result', content: [{ type: 'text', text: 'b', cache_control: mark }] }
    const given = request({
      system: [{ type: 'text', text: 's', cache_control: mark }],
      messages: [plain, { role: 'user', content: [result] }],
    })
    const { body } = toInvokeModel(given, { profile: 'us' })
    expect(given.notes).toEqual(['the scope of cache marks is not sent to Bedrock, which does not have it'])
    const unmarked = request({ messages: [plain] })
    toInvokeModel(unmarked, { profile: 'us' })
    expect(unmarked.notes).toEqual([])
    expect(JSON.stringify(body)).not.toContain('scope')
    expect((body.messages as unknown[])[0]).toBe(plain)
    const tools = [{ name: 'a' }]
    expect(invoke({ tools }).body.tools).toBe(tools)
  })

  it.each([
    [
      'an image by address',
      { messages: [{ role: 'user', content: [{ source: { type: 'url' } }] }] },
      'base64',
    ],
    [
      'a file in a result',
      { messages: [{ content: [{ content: [{ source: { type: 'file' } }] }] }] },
      'base64',
    ],
    ['web search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'web_search_20250305'],
    ['MCP servers', { mcp_servers: [] }, 'mcp_servers'],
  ])('is refused beforehand: %s', (_, body, words) => {
    expect(() => invoke(body)).toThrow(words)
  })

  it('counts without an inference profile', () => {
    const count = (model: string) => toBedrockCount(request({}, { model }))
    expect(count('claude-sonnet-5-5').path).toBe('/model/anthropic.claude-sonnet-5-5/count-tokens')
    const { path, body } = count('us-gov.anthropic.claude-haiku-4-5-20251001-v1:0')
    expect(path).toBe('/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/count-tokens')
    const { input } = body as { input: { invokeModel: { body: string } } }
    expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())).toMatchObject({ messages })
  })
})

describe('rawPredict', () => {
  it("leaves out what only Anthropic's own service has, with a note", () => {
    const asked = request({ service_tier: 'auto', inference_geo: 'us', metadata: { user_id: 'u' } })
    const { body } = toRawPredict(asked, place)
    expect(Object.keys(body).sort()).toEqual(['anthropic_version', 'max_tokens', 'messages', 'metadata'])
    expect(asked.notes).toEqual(['not sent to Vertex, which does not know it: service_tier, inference_geo'])
  })

  it('has the model in its path, the version in its body, and betas in a header', () => {
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1' }
    expect(toRawPredict(request({ stream: true }, { stream: true, headers }), place)).toEqual({
      path: '/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict',
      headers: { 'anthropic-beta': 'a-1' },
      body: { max_tokens: 9, messages, stream: true, anthropic_version: 'vertex-2023-10-16' },
    })
    const dated = toRawPredict(request({}, { model: 'claude-sonnet-4-5' }), place).path
    expect(dated).toMatch(/models\/claude-sonnet-4-5@20250929:rawPredict$/)
  })

  it('has neither strict tools nor a schema for the answer', () => {
    const tools = [
      { name: 'a', strict: true },
      { type: 'tool_search_tool_regex_20251119', name: 't' },
    ]
    const given = request({ tools, output_config: { format: {} } })
    const { body, headers } = toRawPredict(given, place)
    expect(given.notes).toEqual(['strict of tools is not sent to Vertex, which does not have it: a'])
    expect(body).toMatchObject({ tools: [{ name: 'a' }, { name: 't' }] })
    expect(JSON.stringify(body)).not.toMatch(/strict|output_config/)
    expect(headers).toEqual({ 'anthropic-beta': 'tool-search-tool-2025-10-19' })
  })

  it('counts with the model in the body', () => {
    const { path, body } = toVertexCount(request({}, { model: 'claude-haiku-4-5' }), place)
    expect(path).toMatch(/models\/count-tokens:rawPredict$/)
    expect(body.model).toBe('claude-haiku-4-5@20251001')
  })
})
