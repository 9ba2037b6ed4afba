// The Anthropic simulator's checks of replayed thinking: its owner, and its prefix.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assistant, type Body, result, text, tools, user } from '../../test/anthropic-requests.ts'
import { startAnthropicSim } from '../anthropic.ts'
import type { Sim } from '../server.ts'
import { DOCUMENTED } from './models.ts'
import { CONTROLS_BETA } from './preserved-thinking.ts'

let sim: Sim
let older: Sim
beforeAll(async () => {
  sim = await startAnthropicSim()
  older = await startAnthropicSim({ isOlderAccount: true })
})
afterAll(() => Promise.all([sim.close(), older.close()]))

interface Asked {
  at?: Sim
  beta?: boolean
  key?: string
  path?: string
}

async function ask(body: Body, { at = sim, beta = false, key = 'k', path = '/v1/messages' }: Asked = {}) {
  const response = await fetch(at.url + path, {
    method: 'POST',
    headers: {
      'anthropic-version': '2023-06-01',
      'x-api-key': key,
      ...(beta && { 'anthropic-beta': CONTROLS_BETA }),
    },
    body: JSON.stringify(body),
  })
  const json = (await response.json()) as Body & { error?: { message: string } }
  return { status: response.status, json, message: json.error?.message }
}

const thinking = { type: 'adaptive', display: 'summarized' }
const dropping = { ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } }
const base = (messages: unknown[], more: Body = {}): Body => ({
  model: 'claude-fable-5-2',
  max_tokens: 4000,
  system: 'be brief',
  tools,
  thinking,
  messages,
  ...more,
})

/** Question, call, result, answer, question; with the thinking of both turns. */
async function conversation(model = 'claude-fable-5-2', asked: Asked = {}): Promise<Body[]> {
  const at = asked.at ?? sim
  const messages: Body[] = [user('go')]
  at.play([{ think: 'first' }, { call: { name: 'read', arguments: { path: 'a', n: 1 }, id: 'toolu_1' } }])
  messages.push(assistant((await ask(base(messages, { model }), asked)).json.content))
  messages.push(user([result('toolu_1')]))
  at.play([{ think: 'second' }, { say: 'done' }])
  messages.push(assistant((await ask(base(messages, { model }), asked)).json.content))
  return [...messages, user('and now?')]
}

const contentOf = (message: Body | undefined) => message?.content as Body[]
const bound = (path: string, beta = false) =>
  `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${
    beta
      ? ''
      : ' That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.'
  }`

describe('replayed thinking', () => {
  it('is accepted unchanged, and after changes that the check ignores', async () => {
    const messages = await conversation()
    expect(await ask(base(messages))).toMatchObject({ status: 200 })
    const [first, call, results, ...rest] = structuredClone(messages)
    const use = contentOf(call)[1] as Body
    use.input = { n: 1, path: 'a' }
    const same = [
      user([text('  go ', { cache_control: { type: 'ephemeral' } })]),
      call,
      user([{ ...contentOf(results)[0], content: [text('ok')] }]),
      ...rest,
    ]
    const answer = await ask(
      base(same, { system: [text('be brief\n')], max_tokens: 3000, tool_choice: { type: 'none' } }),
    )
    expect([answer.message, answer.status]).toEqual([undefined, 200])
    expect(first).toBeDefined()
  })

  it.each<[string, string, (messages: Body[]) => Body]>([
    ['another system prompt', 'messages.1.content.0', (messages) => base(messages, { system: 'be long' })],
    [
      'another tool',
      'messages.1.content.0',
      (messages) => base(messages, { tools: [...tools, { ...tools[0], name: 'other' }] }),
    ],
    [
      'a shortened result',
      'messages.3.content.0',
      ([a, b, , ...rest]) => base([a, b, user([result('toolu_1', { content: 'o' })]), ...rest] as Body[]),
    ],
    ['another question', 'messages.1.content.0', ([, ...rest]) => base([user('go!'), ...rest])],
  ])('is refused after %s', async (_, path, change) => {
    const body = change(await conversation())
    expect(await ask(body)).toMatchObject({ status: 400, message: bound(path) })
    expect(await ask(body, { beta: true })).toMatchObject({ status: 400, message: bound(path, true) })
    const { max_tokens: _limit, ...counted } = body
    expect((await ask(counted, { path: '/v1/messages/count_tokens' })).message).toBe(bound(path))
    const dropped = await ask({ ...body, thinking: dropping }, { beta: true })
    expect(dropped.status).toBe(200)
    const paths = ['messages.1.content.0', 'messages.3.content.0']
    expect(dropped.json.input_transformations).toEqual(
      paths
        .slice(paths.indexOf(path))
        .map((each) => ({ type: 'thinking_dropped', path: each, reason: 'prefix_binding_mismatch' })),
    )
  })

  it('may be missing at the start or at the end, not in between, and may not return later', async () => {
    const messages = await conversation()
    const thoughtless = (...places: number[]) =>
      messages.map((message, at) =>
        places.includes(at)
          ? { ...message, content: contentOf(message).filter(({ type }) => type !== 'thinking') }
          : message,
      )
    expect((await ask(base(thoughtless(1)))).status).toBe(200)
    expect((await ask(base(thoughtless(3)))).status).toBe(200)
    sim.play([{ think: 'third' }, { say: 'yes' }])
    const third = await ask(base(messages))
    const longer = [...messages, assistant(third.json.content), user('more')]
    const gap = longer.map((message, index) => thoughtless(3)[index] ?? message)
    expect((await ask(base(longer))).status).toBe(200)
    expect((await ask(base(gap))).message).toBe(bound('messages.5.content.0'))
    sim.play([{ think: 'fourth' }, { say: 'no' }])
    const without = await ask(base(thoughtless(1)))
    const restored = [...messages, assistant(without.json.content), user('more')]
    expect((await ask(base(restored))).status).toBe(200)
    sim.play([{ think: 'fifth' }, { say: 'no' }])
    const alone = await ask(base(thoughtless(1, 3)))
    const back = [...messages, assistant(alone.json.content), user('more')]
    expect((await ask(base(back))).message).toBe(bound('messages.5.content.0'))
  })

  it('is refused if changed, whatever the request asks for', async () => {
    const messages = await conversation()
    const block = contentOf(messages[1])[0] as Body
    block.thinking = 'other'
    const body = base(messages, { thinking: dropping })
    expect(await ask(body, { beta: true })).toMatchObject({
      status: 400,
      message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    })
  })

  it('is dropped if it belongs to another model or account', async () => {
    const messages = await conversation()
    const reasons = async (body: Body, key?: string) =>
      ((await ask(body, { beta: true, ...(key && { key }) })).json.input_transformations as Body[]).map(
        ({ reason }) => reason,
      )
    expect(await reasons(base(messages))).toEqual([])
    expect(await reasons(base(messages, { model: 'claude-opus-5-5' }))).toEqual(
      Array(2).fill('model_binding_mismatch'),
    )
    expect(await reasons(base(messages), 'another')).toEqual(Array(2).fill('organization_binding_mismatch'))
  })

  it('is reported at the start of a stream', async () => {
    const body = base(await conversation(), { system: 'new', thinking: dropping, stream: true })
    const response = await fetch(`${sim.url}/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01', 'x-api-key': 'k', 'anthropic-beta': CONTROLS_BETA },
      body: JSON.stringify(body),
    })
    const [start] = (await response.text()).split('\n\n')
    expect(start).toContain(
      '"input_transformations":[{"type":"thinking_dropped","path":"messages.1.content.0"',
    )
  })
})

const everybody = ['claude-fable-5-2', 'claude-mythos-5-2', 'claude-mythos-5-1']
const newAccounts = ['claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5']
const takesAdaptive = DOCUMENTED.filter((id) => !id.endsWith('-4-5'))

describe.each(takesAdaptive)('%s', (model) => {
  const changed = async (at: Sim) =>
    ask(base(await conversation(model, { at }), { model, system: 'new' }), { at })

  it('checks the prefix for the accounts that the documentation names', async () => {
    const isChecked = [...everybody, ...newAccounts].includes(model)
    expect((await changed(sim)).status).toBe(isChecked ? 400 : 200)
    expect((await changed(older)).status).toBe(everybody.includes(model) ? 400 : 200)
  })
})
