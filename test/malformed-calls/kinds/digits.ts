// Repairs beside or around numbers that a double does not hold, or would spell differently: not a digit may change.

import { callOf, closed, integer, type Kind, listOf, number, objectOf, toolOf } from '../kind.ts'

const long = '9007199254740993'
const item = objectOf({ id: integer, count: integer }, ['id'], closed)
const order = toolOf(
  'order',
  objectOf(
    { id: integer, prices: listOf(number), item, items: listOf(item), ids: listOf(integer) },
    [],
    closed,
  ),
)

const mended = (id: string, input: string, becomes: string): Kind => ({
  id: `digits-${id}`,
  tools: [order],
  call: callOf('order', input),
  class: 'mended',
  becomes: callOf('order', becomes),
})

const right = `{"id": ${long}, "count": 5}`
const wrong = `{"id": ${long}, "count": "5"}`
const asText = (json: string) => JSON.stringify(json)

export const digitKinds: readonly Kind[] = [
  mended('in-a-text', `{"id": "${long}"}`, `{"id": ${long}}`),
  mended('in-texts-of-a-list', `{"ids": ["${long}", 1]}`, `{"ids": [${long}, 1]}`),
  mended('beside-a-list-of-one', `{"prices": 7.0, "id": ${long}}`, `{"prices": [7.0], "id": ${long}}`),
  mended('of-a-list-of-one', `{"ids": ${long}}`, `{"ids": [${long}]}`),
  mended(
    'beside-a-null',
    `{"id": ${long}, "prices": [1.0, 2.50], "ids": null}`,
    `{"id": ${long}, "prices": [1.0, 2.50]}`,
  ),
  mended(
    'inside-arguments',
    `{"arguments": {"id": ${long}, "prices": [1.0]}}`,
    `{"id": ${long}, "prices": [1.0]}`,
  ),
  mended('inside-arguments-with-more', `{"arguments": {"item": ${wrong}}}`, `{"item": ${right}}`),
  mended(
    'inside-arguments-as-text',
    `{"input": ${asText(`{"item": ${wrong}, "prices": [1.0]}`)}}`,
    `{"item": ${right}, "prices": [1.0]}`,
  ),
  mended('in-an-object-for-a-list', `{"items": ${wrong}}`, `{"items": [${right}]}`),
  mended('in-an-object-as-text', `{"item": ${asText(wrong)}}`, `{"item": ${right}}`),
  mended(
    'in-a-list-as-text',
    `{"items": ${asText(`[${right}, ${wrong}]`)}}`,
    `{"items": [${right}, ${right}]}`,
  ),
  mended('in-text-inside-text', `{"item": ${asText(`{"id": "${long}"}`)}}`, `{"item": {"id": ${long}}}`),
  mended('under-another-name', `{"item": {"ID": ${long}}}`, `{"item": {"id": ${long}}}`),
  mended(
    'under-another-name-in-text',
    `{"item": ${asText(`{"Id": ${long}, "count": 5.0}`)}}`,
    `{"item": {"id": ${long}, "count": 5.0}}`,
  ),
]
