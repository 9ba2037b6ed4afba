// The backend settings that a tape records, and that a replay uses.

/** Settings that affect a turn. None is a secret, a file name or an address. */
const settingNames: ReadonlySet<string> = new Set([
  'kind', 'tools', 'toolText', 'promptCache', 'history', 'transport', 'thinking', 'clientType', 'clientVersion', 'privacy',
  'toolsInContext', 'nativeTools', 'toolSchemas', 'deleteChats', 'api', 'calls', 'strict', 'toolSearch', 'deferTools', 'progressMs',
  'provider', 'region', 'project', 'inferenceProfile',
]) // biome-ignore format: a list to be read as one

/** Of these, the gateway has one value for all backends. */
export interface SharedSettings {
  deferTools?: unknown
  progressMs?: unknown
}

export const targetSettings = (settings: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => settingNames.has(name)))
