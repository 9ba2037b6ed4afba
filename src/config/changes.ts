// The difference between two configurations, by the names of its settings: values may be secrets.

import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../base/json.ts'
import type { Config } from './schema.ts'

/** Settings that a running gateway takes over. A change of any other needs a restart, also of those that are added later. */
const takenOver = new Set([
  'allow',
  'auth',
  'backends',
  'calls',
  'clients',
  'deferTools',
  'lacks',
  'limits',
  'log.level',
  'models',
  'prices',
  'reload',
  'responses',
  'sessions.progressMs',
  'toolArguments',
])

/** Only editors read it. */
const ignored = '$schema'

/** Such as `backends.claude`, `listen.port` and `toolArguments`, in the order of their names. */
export function changedSettings(before: Config, after: Config): string[] {
  const [one, other]: Record<string, unknown>[] = [before, after]
  return namesOf(one, other).flatMap((section) => {
    const [old, next] = [one?.[section], other?.[section]]
    if (section === ignored || isDeepStrictEqual(old, next)) return []
    if (!isObject(old) || !isObject(next)) return [section]
    return namesOf(old, next).flatMap((name) =>
      isDeepStrictEqual(old[name], next[name]) ? [] : [`${section}.${name}`],
    )
  })
}

/** Why these changes need a restart: one line for each. */
export function restartProblems(before: Config, after: Config): string[] {
  const settings = changedSettings(before, after).filter(
    (setting) => !takenOver.has(setting) && !takenOver.has(setting.split('.', 1)[0] ?? ''),
  )
  const isOpening = (before.auth === 'none') !== (after.auth === 'none')
  return [
    ...settings.map((setting) => `${setting}: a change needs a restart`),
    ...(isOpening ? ['auth: a change from or to "none" needs a restart'] : []),
  ]
}

const namesOf = (one: object = {}, other: object = {}) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
