// Arguments other than strings: numbers, booleans, enums, lists, nested objects.

import { call, calledExactly } from '../checks.ts'
import type { Task, Tool } from '../task.ts'
import { object, string, user } from './tools.ts'

const setLight: Tool = {
  name: 'set_light',
  description: 'Sets the light of a room.',
  schema: object({
    room: { type: 'string', enum: ['kitchen', 'hall', 'study', 'bedroom'] },
    mode: { type: 'string', enum: ['off', 'dim', 'normal', 'bright'] },
  }),
}

const placeBid: Tool = {
  name: 'place_bid',
  description: 'Places a bid at an auction.',
  schema: object({
    lot: { type: 'integer', minimum: 1, description: 'Number of the lot' },
    amount: { type: 'number', description: 'In euros' },
    express: { type: 'boolean', description: 'Whether it is to be sent by express' },
  }),
}

const tagPhotos: Tool = {
  name: 'tag_photos',
  description: 'Adds tags to photos.',
  schema: object({
    ids: { type: 'array', items: { type: 'integer' }, minItems: 1 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'In small letters' },
  }),
}

const createOrder: Tool = {
  name: 'create_order',
  description: 'Creates an order.',
  schema: object({
    customer: object({
      name: string('Full name'),
      address: object({
        street: string('With the number'),
        city: string('Without the postcode'),
        postcode: string('As it is written, with zeros in front'),
      }),
    }),
    items: {
      type: 'array',
      minItems: 1,
      items: object({
        sku: string('Number of the article'),
        quantity: { type: 'integer', minimum: 1 },
        gift: { type: 'boolean', description: 'Whether it is to be wrapped as a gift' },
      }),
    },
    payment: { type: 'string', enum: ['invoice', 'card', 'cash'] },
  }),
}

const order = {
  customer: { name: 'Ada Quist', address: { street: 'Pier 9', city: 'Halden', postcode: '00743' } },
  items: [
    { sku: 'LMP-20', quantity: 2, gift: true },
    { sku: 'ROPE-5', quantity: 12, gift: false },
  ],
  payment: 'invoice',
}

export const types: readonly Task[] = [
  {
    id: 'types.enum',
    title: 'Chooses values of two enums',
    weight: 1,
    tools: [setLight],
    messages: [user('Turn the light in the study down low, I want it dim.')],
    reply: () => 'ok',
    ideal: [
      { calls: [['set_light', { room: 'study', mode: 'dim' }]] },
      { text: 'The light in the study is dim.' },
    ],
    judge: [calledExactly(call('set_light', { room: 'study', mode: 'dim' }))],
  },
  {
    id: 'types.numbers',
    title: 'A whole number, a fraction and a boolean',
    weight: 2,
    tools: [placeBid],
    messages: [user('Bid twelve euros and fifty cents on lot 318, and have it sent by express.')],
    reply: () => 'bid placed',
    ideal: [
      { calls: [['place_bid', { lot: 318, amount: 12.5, express: true }]] },
      { text: 'The bid on lot 318 is placed.' },
    ],
    judge: [calledExactly(call('place_bid', { lot: 318, amount: 12.5, express: true }))],
  },
  {
    id: 'types.lists',
    title: 'A list of numbers and a list of words',
    weight: 2,
    tools: [tagPhotos],
    messages: [user('Tag the photos 14, 15 and 92 with the words harbour and winter, in this order.')],
    reply: () => '3 photos tagged',
    ideal: [
      { calls: [['tag_photos', { ids: [14, 15, 92], tags: ['harbour', 'winter'] }]] },
      { text: 'The three photos are tagged.' },
    ],
    judge: [calledExactly(call('tag_photos', { ids: [14, 15, 92], tags: ['harbour', 'winter'] }))],
  },
  {
    id: 'types.nested',
    title: 'An order: objects in a list in an object',
    weight: 3,
    tools: [createOrder],
    messages: [
      user(
        'Order for Ada Quist, Pier 9, 00743 Halden: two of LMP-20, wrapped as a gift, and twelve of ROPE-5, not wrapped. She pays by invoice.',
      ),
    ],
    reply: () => 'order 9001 created',
    ideal: [{ calls: [['create_order', order]] }, { text: 'Order 9001 is created.' }],
    judge: [calledExactly(call('create_order', order))],
  },
]
