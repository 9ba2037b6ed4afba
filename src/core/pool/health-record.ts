// The health of an account as text, for other instances and for the next start. What does not look like one is no record.

import { isObject, parseJson } from '../../base/json.ts'
import type { Cooling, CoolingStatus, Health } from './account.ts'

/** No record is longer. */
export const longestRecord = 16_384
const mostModels = 50
const longestReason = 300
const statuses = new Set<unknown>([
  'paused',
  'no-model',
  'no-rights',
  'out-of-quota',
  'needs-login',
] satisfies CoolingStatus[])

export function healthRecord(health: Health): string {
  const text = JSON.stringify({ ...health, models: [...health.models] })
  return text.length <= longestRecord ? text : JSON.stringify({ ...health, models: [] })
}

export function readHealth(text: string): Health | undefined {
  const record = text === '' || text.length > longestRecord ? undefined : parseJson(text)
  if (!isObject(record) || !Array.isArray(record.models)) return undefined
  const { level, levelAt, disabled, clearedAt, switchedAt } = record
  if (![level, clearedAt, switchedAt].every(isTime)) return undefined
  const models = record.models.slice(0, mostModels).flatMap((entry): [string, Cooling][] => {
    const [model, value] = Array.isArray(entry) ? entry : []
    const cooling = readCooling(value)
    return typeof model === 'string' && cooling ? [[model, cooling]] : []
  })
  return {
    account: readCooling(record.account),
    models: new Map(models),
    level: Math.min(Math.max(0, Number(level)), 9),
    // Absent in records of earlier versions.
    levelAt: isTime(levelAt) ? levelAt : -1,
    disabled: isTime(disabled) ? disabled : undefined,
    clearedAt: Number(clearedAt),
    switchedAt: Number(switchedAt),
  }
}

function readCooling(value: unknown): Cooling | undefined {
  if (!isObject(value)) return undefined
  const { status, reason, since, until, isOver } = value
  if (!statuses.has(status) || typeof reason !== 'string' || !isTime(since)) return undefined
  if (until !== undefined && !isTime(until)) return undefined
  return {
    ...{ status: status as CoolingStatus, reason: reason.slice(0, longestReason), since, until },
    ...(isOver === true ? { isOver } : {}),
  }
}

/** Dates beyond that have no name. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < 1e14
