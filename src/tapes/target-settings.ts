// What a tape has of a backend's configuration, and what of it is used when the tape is played.

/** What decides how a turn goes. Nothing that is secret, that names a file, or that says where to call. */
const settingNames: ReadonlySet<string> = new Set([
  'kind', 'tools', 'toolText', 'promptCache', 'history', 'transport', 'thinking', 'clientType', 'clientVersion', 'privacy',
  'toolsInContext', 'nativeTools', 'toolSchemas', 'deleteChats',
]) // biome-ignore format: a list to be read as one

export const targetSettings = (settings: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => settingNames.has(name)))
