// Images for a model without sight, described by another model of the gateway: at every door, once per image, noted, or an honest error.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { png } from '../claude-code/requests.ts'
import { spread } from '../depth.ts'
import { type Body, startGateway, upstreamKey, user } from '../harness.ts'
import { useInspected } from '../inspector/inspected.ts'
import { unseenNotes } from '../inspector/unseen-notes.ts'

const models = { eyes: 'anthropic/claude-haiku-4-5' }
const lacks = { images: { describedBy: 'eyes', models: ['openai/blind'] } }
const bench = useInspected({
  settings: { models, lacks },
  openai: { lenient: true, models: ['blind', 'seeing'] },
})

/** Different bytes: what one test described, another must not find. */
let count = 0
const image = () => Buffer.concat([Buffer.from(png, 'base64'), Buffer.from([count++])]).toString('base64')

const doors: Record<string, (model: string, data: string) => { path: string; body: Body }> = {
  chat: (model, data) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      messages: [
        user([
          { type: 'text', text: 'What is wrong?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
        ]),
      ],
    },
  }),
  messages: (model, data) => ({
    path: '/v1/messages',
    body: {
      model,
      max_tokens: 4096,
      messages: [
        user([
          { type: 'text', text: 'What is wrong?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
        ]),
      ],
    },
  }),
  responses: (model, data) => ({
    path: '/v1/responses',
    body: {
      model,
      input: [
        user([
          { type: 'input_text', text: 'What is wrong?' },
          { type: 'input_image', image_url: `data:image/png;base64,${data}` },
        ]),
      ],
    },
  }),
  gemini: (model, data) => ({
    path: `/v1beta/models/${model}:generateContent`,
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'What is wrong?' }, { inlineData: { mimeType: 'image/png', data } }],
        },
      ],
    },
  }),
  ollama: (model, data) => ({
    path: '/api/chat',
    body: { model, stream: false, messages: [{ role: 'user', content: 'What is wrong?', images: [data] }] },
  }),
}

async function ask({ path, body }: { path: string; body: Body }, url = bench.url) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, notes: answer.headers.get('x-dragoman-notes') ?? '' }
}

const posts = (sim: 'openai' | 'anthropic') =>
  bench[sim].requests.filter(({ method }) => method === 'POST').map(({ bodyText }) => bodyText)
const seen: Step[] = [{ say: 'A terminal that says "ENOENT: no such file".' }, { end: 'stop' }]

describe.each(spread(Object.entries(doors), 3))('at the door %s', (_door, requestOf) => {
  it('the model gets words, the client a note, and the image is described once', async () => {
    const data = image()
    bench.anthropic.play(seen)
    const { status, notes } = await ask(requestOf('openai/blind', data))
    expect(status).toBe(200)
    expect(notes).toContain('an image was described by eyes: openai/blind does not see images')
    const [sent = ''] = posts('openai')
    expect(sent).not.toContain(data)
    expect(sent).toContain('Its description by eyes:')
    expect(sent).toContain('ENOENT: no such file')
    expect(posts('anthropic')).toHaveLength(1)
    expect(posts('anthropic')[0]).toContain(data)
    expect(posts('anthropic')[0]).not.toContain('What is wrong?')
    await ask(requestOf('openai/blind', data))
    expect(posts('anthropic')).toHaveLength(1)
    expect(posts('openai')[1]).toBe(sent)
    expect(bench.logs.join('\n')).toContain('an image was described')
  })
})

const tapes = () => bench.gateway.inspector?.shelf.all() ?? []
const chatDoor = doors.chat as NonNullable<typeof doors.chat>

it('a model that sees gets the image', async () => {
  const data = image()
  const { notes } = await ask(chatDoor('openai/seeing', data))
  expect(notes).not.toContain('described')
  expect(posts('openai')[0]).toContain(data)
  expect(posts('anthropic')).toEqual([])
})

it('images of tool results are described too, each in its place', async () => {
  const [one, other] = [image(), image()]
  bench.anthropic.play({
    when: ({ bodyText }) => bodyText.includes(one),
    steps: [{ say: 'first' }, { end: 'stop' }],
  })
  bench.anthropic.play({
    when: ({ bodyText }) => bodyText.includes(other),
    steps: [{ say: 'second' }, { end: 'stop' }],
  })
  const source = (data: string) => ({ type: 'base64', media_type: 'image/png', data })
  const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }
  const content = [
    { type: 'image', source: source(one) },
    { type: 'text', text: 'between' },
    { type: 'image', source: source(other) },
  ]
  const messages = [
    user('go'),
    { role: 'assistant', content: [call] },
    user([{ type: 'tool_result', tool_use_id: 'toolu_1', content }]),
  ]
  const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
  const { status, notes } = await ask({
    path: '/v1/messages',
    body: { model: 'openai/blind', max_tokens: 100, messages, tools },
  })
  expect(status).toBe(200)
  expect(notes).toContain('2 images were described by eyes')
  expect(posts('openai')[0]).toMatch(/eyes:\\nfirst\\n.*between.*eyes:\\nsecond\\n/)
})

it('the failure of the describing model is an error that says what to do, and opens no breaker of the other', async () => {
  bench.anthropic.play([
    { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
  ])
  const { status, text } = await ask(chatDoor('openai/blind', image()))
  expect(status).toBe(503)
  expect(text).toContain('openai/blind does not see images, and eyes, which should describe them, failed')
  expect(text).toContain('lacks.images.describedBy')
  expect(posts('openai')).toEqual([])
})

it('of more new images than the limit, the newest are described, and the older ones by later requests', async () => {
  const images = Array.from({ length: 25 }, image)
  const again = images[0] as string
  const parts = [...images, again].map((data) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${data}` },
  }))
  const body = { model: 'openai/blind', messages: parts.map((part) => user([part])) }
  const isSeen = (data: string) => posts('anthropic').some((sent) => sent.includes(data))
  bench.anthropic.play(...Array.from({ length: 25 }, () => seen))
  const first = await ask({ path: '/v1/chat/completions', body })
  expect(first.status).toBe(200)
  expect(first.notes).toContain('21 images were described by eyes')
  expect(first.notes).toContain(
    '5 images were left out: too many are new, and the newest are described first',
  )
  expect(images.map(isSeen)).toEqual(images.map((_, at) => at === 0 || at >= 6))
  const [sent = ''] = posts('openai')
  expect(sent.split('It has no description')).toHaveLength(1 + 5)
  expect(sent.split('ENOENT: no such file')).toHaveLength(1 + 21)
  await expect.poll(() => tapes().at(-1)?.tape.isOver).toBe(true)
  expect(await unseenNotes(tapes().at(-1)?.tape.frames ?? [])).toEqual([])
  const second = await ask({ path: '/v1/chat/completions', body })
  expect(second.notes).toContain('26 images were described by eyes')
  expect(second.notes).not.toContain('left out')
  expect(posts('anthropic')).toHaveLength(25)
})

it('is off by default', async () => {
  const openai = { kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey }
  const { gateway, url } = await startGateway({ backends: { openai } })
  const data = image()
  await ask(chatDoor('openai/blind', data), url)
  await gateway.close()
  expect(posts('openai')[0]).toContain(data)
})

it('the inspector shows what the note is about', async () => {
  bench.anthropic.play(seen)
  await ask(chatDoor('openai/blind', image()))
  await expect.poll(() => tapes().at(-1)?.tape.isOver).toBe(true)
  expect(await unseenNotes(tapes().at(-1)?.tape.frames ?? [])).toEqual([])
})

it('a model without sight is listed as one that takes images', async () => {
  const answer = await fetch(`${bench.url}/v1/models`)
  const { data } = (await answer.json()) as { data: Body[] }
  const modalities = (model: string) => data.find(({ id }) => id === model)?.input_modalities
  expect(modalities('openai/blind')).toEqual(['text', 'image'])
  expect(modalities('openai/seeing')).toBeUndefined()
})
