// What a tool cannot do without, and whether a question states it. Among tools of one kind, those that need a date or a number are wrong
// for a request that has none.

import { isObject } from '../../base/json.ts'
import { dateForm, timeForm } from './value-kinds.ts'

export type Need = 'date' | 'place' | 'number'

/** Words in the name of a parameter. */
const dateNames = /date|(?:^|_)day$|check_?in/i
const placeNames =
  /city|location|place|country|address|destination|origin|region|state$|where|area$|(?:^|_)loc$/i

/** The needs of a tool's required parameters. */
export function needsOf(schema: unknown): Need[] {
  if (!isObject(schema) || !isObject(schema.properties) || !Array.isArray(schema.required)) return []
  const { properties, required } = schema
  const needs = required.flatMap((name) =>
    typeof name === 'string' ? (needOf(name, properties[name]) ?? []) : [],
  )
  return [...new Set(needs)]
}

function needOf(name: string, parameter: unknown): Need | undefined {
  const type = isObject(parameter) ? parameter.type : undefined
  if (dateNames.test(name)) return 'date'
  if (type === 'integer' || type === 'number' || type === 'float') return 'number'
  return placeNames.test(name) ? 'place' : undefined
}

/** Someone asks, or is asked: the text is a request with its values, not a few words to search for. */
const request = /\?|\b(?:i|me|my|we|our|us|you|your|what|when|where|who|which|how|why|please)\b/i

const datesAndTimes = new RegExp(`${dateForm.source}|${timeForm.source}`, 'gi')
const number = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred)\b/i
const place =
  /\b(?:in|at|to|from|near|of|for|around|visiting|between) (?:the )?[A-Z][a-z]|\b[A-Z][a-z]{1,20}, [A-Z]/

/** The needs that a request leaves open. None for words to search for: they have no values. */
export function openNeeds(question: string): ReadonlySet<Need> {
  const open = new Set<Need>()
  if (!request.test(question)) return open
  if (!dateForm.test(question)) open.add('date')
  if (!number.test(question.replace(datesAndTimes, ' '))) open.add('number')
  if (!place.test(question)) open.add('place')
  return open
}
