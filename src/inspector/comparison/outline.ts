// The units of a whole body: a request of any dialect, or an answer.

import { type Fields, isObject } from '../../base/json.ts'
import { conversationMembers, conversationUnits, messageUnits } from './message-units.ts'
import { partUnits } from './part-units.ts'
import { at } from './row.ts'
import { settingUnits } from './setting-units.ts'
import { toolMembers, toolUnits } from './tool-units.ts'
import type { Unit } from './unit.ts'

/** More units than these are one: a body of a hundred thousand messages must not hold the gateway. */
const mostUnits = 10_000

function bounded(units: readonly Unit[]): Unit[] {
  if (units.length <= mostUnits) return [...units]
  const rest = units.slice(mostUnits)
  const fields = rest.flatMap((unit) => unit.fields)
  const label = `${rest.length.toLocaleString('en')} more`
  const one: Unit = { section: 'settings', kind: 'rest', role: '', key: '', main: '', label, fields }
  return [...units.slice(0, mostUnits), one]
}

export const requestUnits = (body: unknown): Unit[] => bounded(unitsOfRequest(body))
export const answerUnits = (answer: unknown): Unit[] => bounded(unitsOfAnswer(answer))

function unitsOfRequest(body: unknown): Unit[] {
  if (!isObject(body) || Object.keys(body).length === 0) return settingUnits(body, '')
  const conversation: Unit[] = []
  const others: Unit[] = []
  for (const [name, value] of Object.entries(body)) {
    // The system prompt comes first in some dialects, and beside the messages in others.
    if (conversationMembers.includes(name)) {
      const units = conversationUnits(name, value)
      if (name === 'messages' || name === 'input' || name === 'contents') conversation.push(...units)
      else conversation.unshift(...units)
    } else if (toolMembers.includes(name)) others.push(...toolUnits(name, value))
    else others.push(...settingUnits(value, at('', name)))
  }
  return [...conversation, ...others]
}

/** The members of whole answers that hold the model's output. */
function unitsOfAnswer(answer: unknown): Unit[] {
  if (!isObject(answer) || Object.keys(answer).length === 0) return settingUnits(answer, '')
  return Object.entries(answer).flatMap(([name, value]): Unit[] => {
    const isList = Array.isArray(value) && value.length > 0
    if (name === 'output' && isList) return value.flatMap((item, place) => outputUnits(item, at(name, place)))
    if (name === 'content' && isList)
      return value.flatMap((part, place) => partUnits(part, at(name, place), 'assistant'))
    if ((name === 'choices' || name === 'candidates') && isList)
      return value.flatMap((one, place) => choiceUnits(one, at(name, place)))
    if (name === 'message' && isObject(value) && Object.keys(value).length > 0)
      return messageUnits(value, name, 'assistant')
    return settingUnits(value, at('', name))
  })
}

const outputUnits = (item: unknown, path: string): Unit[] =>
  isObject(item) && item.type === 'message'
    ? messageUnits(item, path, 'assistant')
    : partUnits(item, path, 'assistant')

function choiceUnits(choice: unknown, path: string): Unit[] {
  if (!isObject(choice) || Object.keys(choice).length === 0) return settingUnits(choice, path)
  return Object.entries(choice as Fields).flatMap(([name, value]): Unit[] => {
    const isMessage =
      (name === 'message' || name === 'content') && isObject(value) && Object.keys(value).length > 0
    return isMessage ? messageUnits(value, at(path, name), 'assistant') : settingUnits(value, at(path, name))
  })
}
