import { describe, expect, it } from 'vitest'
import { finish } from '../base/slices.ts'
import { Scrubber } from '../observe/scrub.ts'
import type { Frame, FrameBody } from '../tapes/frame.ts'
import { mostHits } from './merged-hits.ts'
import { finds, searchTurns } from './search.ts'
import { Shelf } from './shelf.ts'
import { Summaries } from './summaries.ts'
import { parseFilter } from './turn-filter.ts'

const framesOf = (...bodies: FrameBody[]): Frame[] =>
  bodies.map((body) => ({ at: 1, turn: 'turn_a', ...body }))

const request = (json: unknown): FrameBody => ({
  ...{ side: 'client', do: 'request', method: 'POST', path: '/v1/chat/completions', headers: {} },
  body: JSON.stringify(json),
})

const event = (json: unknown): FrameBody => ({
  side: 'client',
  do: 'write',
  text: `data: ${JSON.stringify(json)}\n\n`,
})
const delta = (delta: object) => event({ choices: [{ delta }] })

const messages = [
  { role: 'system', content: 'Be brief' },
  { role: 'user', content: 'Where is "Ölfass"?\nIn the cellar' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ function: { name: 'grep', arguments: '{"for":"barrel"}' } }],
  },
  { role: 'tool', content: 'cellar.txt: barrel of oil' },
]
const frames = framesOf(
  request({ model: 'm', messages, tools: [{ function: { name: 'defined_only' } }] }),
  { side: 'gateway', do: 'note', text: 'temperature was left out' },
  delta({ content: 'It is in the cel' }),
  delta({ content: 'lar of the house' }),
  delta({
    tool_calls: [{ index: 0, id: 'c', function: { name: 'bash', arguments: '{"command":"echo \\"hi' } }],
  }),
  delta({ tool_calls: [{ index: 0, function: { arguments: ' there\\""}' } }] }),
  { side: 'upstream', do: 'error', exchange: 1, message: 'the connection broke' },
)

describe('a search in a turn', () => {
  it.each([
    ['ölfass', 'History: messages[1].content'],
    ['"Ölfass"', 'History: messages[1].content'],
    ['barrel of', 'Request: messages[3].content'],
    ['grep', 'History: messages[2].tool_calls[0].function.name'],
    ['temperature', 'Note'],
    ['cellar of the house', 'Answer'],
    ['echo "hi there"', 'Call of bash'],
    ['bash', 'Call of bash'],
    ['connection broke', 'Upstream error'],
  ])('finds %s in %s', (words, where) => {
    const found = finish(finds(frames, [words.toLowerCase()]))
    expect(found?.map((one) => one.where)).toEqual([where])
  })

  it('shows the text around it, on one line', () => {
    expect(finish(finds(frames, ['is "ölfass"']))).toEqual([
      {
        where: 'History: messages[1].content',
        before: 'Where ',
        found: 'is "Ölfass"',
        after: '? In the cellar',
      },
    ])
  })

  it('wants every word, in any text', () => {
    expect(finish(finds(frames, ['bash', 'oil']))?.map(({ where }) => where)).toEqual([
      'Request: messages[3].content',
      'Call of bash',
    ])
    expect(finish(finds(frames, ['bash', 'water']))).toBeUndefined()
  })

  it('leaves out the definitions of tools and encoded files', () => {
    const file = { role: 'user', content: [{ image: `needle${'A'.repeat(5_000)}` }] }
    expect(finish(finds(frames, ['defined_only']))).toBeUndefined()
    expect(finish(finds(framesOf(request({ messages: [file] })), ['needle']))).toBeUndefined()
  })

  it('survives what is no JSON, and deep nesting', () => {
    const deep = `{"messages":${'['.repeat(5_000)}"needle"${']'.repeat(5_000)}}`
    const broken = { ...request({}), body: 'no JSON, but a needle' } as FrameBody
    expect(finish(finds(framesOf(broken), ['needle']))).toMatchObject([{ where: 'Request' }])
    expect(finish(finds(framesOf({ ...broken, body: deep } as FrameBody), ['needle']))).toBeUndefined()
  })
})

describe('a search in many turns', () => {
  const scrubber = new Scrubber()
  scrubber.add('hunter2-the-secret')
  const shelf = new Shelf({ turns: 200, bytes: 10_000_000 })
  const summaries = new Summaries(200, (text) => scrubber.scrub(text))
  for (let nth = 0; nth < 80; nth++) {
    const tape = shelf.begin({ turnId: `turn_${nth}`, asked: false })
    tape?.add({
      side: 'gateway',
      do: 'begin',
      door: 'd',
      model: nth % 2 ? 'odd' : 'even',
      stream: true,
      key: 'k',
      createdAt: 1,
    })
    const messages = [
      { role: 'user', content: 'ask' },
      { role: 'user', content: `number ${nth} hunter2-the-secret` },
    ]
    tape?.add(request({ messages: [...messages, { role: 'user', content: 'last' }] }))
  }
  const search = (words: string, isGone = () => false) =>
    searchTurns({
      turns: shelf
        .all()
        .reverse()
        .map((kept) => ({ kept, summary: summaries.of(kept) })),
      filter: parseFilter(words),
      scrubber,
      isGone,
    })

  it('gives the newest first, bounded', async () => {
    const { hits, more, searched } = await search('number')
    expect(hits.map(({ turn }) => turn).slice(0, 3)).toEqual(['turn_79', 'turn_78', 'turn_77'])
    expect([hits.length, more, searched]).toEqual([mostHits, true, mostHits])
  })

  it('obeys the conditions', async () => {
    const { hits, searched } = await search('number model:odd is:waiting')
    expect([hits.length, searched]).toEqual([40, 80])
    expect((await search('number 7 model:even')).hits).toHaveLength(5)
  })

  it('does not tell whether a guessed secret is right', async () => {
    for (const guess of ['hunter2-the-secret', 'hunter2', 'the-secret'])
      expect((await search(guess)).hits).toEqual([])
    expect(JSON.stringify(await search('number'))).not.toContain('hunter2')
  })

  it('ends when nobody waits', async () => {
    expect(await search('number', () => true)).toEqual({ hits: [], searched: 0, more: false })
  })
})
