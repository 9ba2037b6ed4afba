// Tools of all kinds, none of them an agent's own: which one is called, with what, and what is said at the end. These are other
// tools and other words than those of the graded tasks of `dragoman probe`.

import { describe, expect, it } from 'vitest'
import type { Tool } from '../model.ts'
import { talk } from './talk.fixture.ts'

type Properties = Record<string, Record<string, unknown>>
const text = (description = '') => ({ type: 'string', description })
const tool = (name: string, description: string, properties: Properties = {}): Tool => ({
  name,
  description,
  schema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})

const forecast = tool('get_forecast', 'The forecast for a town.', { town: text('Name of the town') })
const population = tool('city_population', 'How many people live in a city.', {
  city: text('Name of the city'),
})
const traffic = tool('train_departures', 'Departures of trains from a station.', {
  station: text('Name of the station'),
})
const stock = tool('check_stock', 'How many pieces of an article are in store.', {
  sku: text('Number of the article'),
})
const mail = tool('send_message', 'Sends a message to a person.', {
  person: text('Name of the person'),
  text: text('What the message says'),
})
const alarm = tool('set_alarm', 'Sets an alarm.', { time: text('HH:MM') })
const pay = tool('pay_bill', 'Pays a bill.', {
  bill: { type: 'integer', description: 'Number of the bill' },
  amount: { type: 'number', description: 'In dollars' },
  urgent: { type: 'boolean', description: 'Whether it is urgent' },
})
const heating = tool('set_heating', 'Sets the heating of a floor.', {
  floor: { type: 'string', enum: ['cellar', 'ground', 'attic'] },
  level: { type: 'string', enum: ['low', 'medium', 'high'] },
})
const lock = tool('lock_door', 'Locks a door.', {
  door: { type: 'string', enum: ['front', 'back', 'garage'] },
})
const ticket = tool('close_ticket', 'Closes a ticket of the help desk.', { id: text('Number of the ticket') })
const reopen = tool('reopen_ticket', 'Opens a ticket again that was closed.', {
  id: text('Number of the ticket'),
})
const uptime = tool('server_uptime', 'How long the server has been running. It takes no arguments.')
const users = tool('list_logged_in_users', 'All users that are logged in.')
const label = tool('label_issues', 'Adds labels to issues.', {
  numbers: { type: 'array', items: { type: 'integer' } },
  labels: { type: 'array', items: { type: 'string' } },
})
const translate = tool('translate_phrase', 'Translates a phrase.', {
  phrase: text('What to translate'),
  language: { type: 'string', enum: ['French', 'German', 'Spanish'] },
})
const author = tool('find_author', 'Finds the id of an author.', { name: text('Name of the author') })
const books = tool('list_books', 'The books of an author.', { author_id: text('As find_author gives it') })
const booking = tool('book_room', 'Books a meeting room for a day.', {
  room: text('Letter on the door of the room'),
  date: text('YYYY-MM-DD'),
})
const exchange = tool('exchange_money', 'Exchanges an amount of money.', {
  amount: { type: 'number' },
  from: text('ISO code of the currency'),
  to: text('ISO code of the currency'),
})

const firstCalls = (request: string, ...tools: Tool[]) =>
  talk(request, tools, []).last.calls.map(({ name, arguments: input }) => [name, input])

describe('the right tool, with what the sentence says', () => {
  it.each<[string, Tool[], [string, Record<string, unknown>][]]>([
    ['What is the forecast for Bergen?', [forecast, mail], [['get_forecast', { town: 'Bergen' }]]],
    [
      'How many people live in Quito and Nairobi?',
      [population],
      [
        ['city_population', { city: 'Quito' }],
        ['city_population', { city: 'Nairobi' }],
      ],
    ],
    [
      'When do trains leave from the station Altona?',
      [forecast, traffic],
      [['train_departures', { station: 'Altona' }]],
    ],
    ['How many pieces of BOLT-12 are in store?', [stock, mail], [['check_stock', { sku: 'BOLT-12' }]]],
    ['Set an alarm for 6:45, please.', [alarm, heating], [['set_alarm', { time: '06:45' }]]],
    ['Set the alarm to 7:15 in the evening.', [alarm], [['set_alarm', { time: '19:15' }]]],
    [
      'Pay the bill 907 with thirty-two dollars, it is urgent.',
      [pay],
      [['pay_bill', { bill: 907, amount: 32, urgent: true }]],
    ],
    [
      'Pay bill 12: 5.20 dollars, not urgent.',
      [pay],
      [['pay_bill', { bill: 12, amount: 5.2, urgent: false }]],
    ],
    [
      'Turn the heating in the attic to medium.',
      [heating, alarm],
      [['set_heating', { floor: 'attic', level: 'medium' }]],
    ],
    [
      'Lock the front door and the garage.',
      [lock],
      [
        ['lock_door', { door: 'front' }],
        ['lock_door', { door: 'garage' }],
      ],
    ],
    ['Ticket 5510 is solved: close it.', [reopen, ticket], [['close_ticket', { id: '5510' }]]],
    [
      'The ticket 5510 was closed too early, open it again.',
      [ticket, reopen],
      [['reopen_ticket', { id: '5510' }]],
    ],
    ['How long has the server been running?', [users, uptime], [['server_uptime', {}]]],
    ['Which users are logged in?', [users, uptime], [['list_logged_in_users', {}]]],
    [
      'Give the issues 3, 8 and 21 the labels bug and urgent.',
      [label],
      [['label_issues', { numbers: [3, 8, 21], labels: ['bug', 'urgent'] }]],
    ],
    [
      'Translate the phrase "good night" to Spanish.',
      [translate],
      [['translate_phrase', { phrase: 'good night', language: 'Spanish' }]],
    ],
    ['Book the room C for 2027-01-08.', [booking], [['book_room', { room: 'C', date: '2027-01-08' }]]],
    [
      'Exchange 80 dollars to Swiss francs.',
      [exchange],
      [['exchange_money', { amount: 80, from: 'USD', to: 'CHF' }]],
    ],
    ['Which books did the author Ferrante write?', [books, author], [['find_author', { name: 'Ferrante' }]]],
    [
      'Send the message "Dinner is ready" to the person Noor.',
      [mail, alarm],
      [['send_message', { person: 'Noor', text: 'Dinner is ready' }]],
    ],
  ])('%s', (request, tools, calls) => {
    expect(firstCalls(request, ...tools)).toEqual(calls)
  })
})

describe('no tool', () => {
  it.each([
    ['that does not fit', 'Please water the plants on the balcony.', [forecast, stock]],
    ['for thanks', 'Thanks, that is all.', [forecast, ticket]],
    ['where a value is missing', 'Close the ticket.', [ticket]],
    ['where that is forbidden', 'What is the forecast for Bergen? Do not call a tool.', [forecast]],
    [
      'whose long description has the same words',
      'Tell me about the project and its plan for the release.',
      [
        tool('exit_mode', `Leaves the mode. ${'Use it for the project and its release only. '.repeat(9)}`, {
          reason: { type: 'boolean' },
        }),
        tool('refresh', 'Loads the project and its release again.'),
      ],
    ],
    ['for what was not asked', 'Hello, how are you today?', [uptime, users, alarm]],
  ])('%s', (_, request, tools) => {
    expect(firstCalls(request, ...tools)).toEqual([])
  })
})

describe('results', () => {
  it('of one call are the next one’s arguments', () => {
    const said = talk(
      'Which books did the author Ferrante write?',
      [books, author],
      [['author AU-77'], ['Troubling Love']],
    )
    expect(said.calls[1]).toEqual([{ name: 'list_books', arguments: { author_id: 'AU-77' } }])
    expect(said.last.text).toContain('Troubling Love')
  })

  it('are taken for those of a call that was written in another way', () => {
    const messages = [
      { role: 'user' as const, text: 'Give the issues 3 and 8 the labels bug and urgent.' },
      {
        role: 'assistant' as const,
        text: '',
        toolCalls: [
          { id: '1', name: 'LabelIssues', arguments: { numbers: '[3,8]', labels: '["bug","urgent"]' } },
        ],
      },
      { role: 'user' as const, text: '', toolResults: [{ callId: '1', text: 'done' }] },
    ]
    expect(talk('', [label], [], { messages }).last.calls).toEqual([])
  })

  it('that failed for the moment are asked for again, once', () => {
    const busy = { error: 'Error: overloaded, try again' }
    const again = talk('What is the forecast for Bergen?', [forecast], [[busy], ['Rain']])
    expect(again.calls.map((made) => made.length)).toEqual([1, 1, 0])
    expect(again.last.text).toBe('The tool get_forecast returned: Rain')
    const never = talk('What is the forecast for Bergen?', [forecast], [[busy], [busy]])
    expect(never.last).toMatchObject({ calls: [], text: expect.stringContaining('overloaded') })
  })

  it('that suggest another value are followed', () => {
    const error = { error: 'Error: no such town. Did you mean Bergamo?' }
    const said = talk('What is the forecast for Bergam?', [forecast], [[error], ['Sun']])
    expect(said.calls[1]).toEqual([{ name: 'get_forecast', arguments: { town: 'Bergamo' } }])
  })

  it('that are final stay', () => {
    const said = talk('Close ticket 9.', [ticket], [[{ error: 'Error: permission denied' }]])
    expect(said.last).toMatchObject({ calls: [], text: expect.stringContaining('permission denied') })
  })

  it.each([
    ['How many people live in Quito and Nairobi together?', 'Together that is 6000.'],
    ['By how much do the cities Quito and Nairobi differ in people?', 'The difference is 2000.'],
    ['Which city has the most people, Quito or Nairobi?', 'That is 4000 people.'],
  ])('are compared: %s', (request, conclusion) => {
    const said = talk(request, [population], [['2000 people', '4000 people']])
    expect(said.last.text?.split('\n').at(-1)).toBe(conclusion)
  })

  it('are remembered, with what the user said', () => {
    const messages = [
      { role: 'user' as const, text: 'Lock the front door.' },
      {
        role: 'assistant' as const,
        text: '',
        toolCalls: [{ id: '1', name: 'lock_door', arguments: { door: 'front' } }],
      },
      {
        role: 'user' as const,
        text: '',
        toolResults: [{ callId: '1', text: 'battery: 41 percent\nbolt: closed' }],
      },
      { role: 'assistant' as const, text: 'It is locked.' },
      { role: 'user' as const, text: 'How much battery was there?' },
    ]
    expect(talk('', [lock], [], { messages }).last).toMatchObject({ calls: [], text: 'battery: 41 percent' })
    const told = talk('The cat is called Miso and the dog Bruno. What is the cat called?', [lock], [])
    expect(told.last.text).toBe('The cat is called Miso')
    expect(talk('What is 6 times 7?', [lock], []).last).toMatchObject({ calls: [], text: '6 times 7 is 42.' })
  })
})
