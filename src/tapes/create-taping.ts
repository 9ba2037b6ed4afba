// Creates the taping of turns: the recorder, the inspector's shelf and other sources as one. Loaded only if there is a source.

import { mkdir } from 'node:fs/promises'
import type { Config } from '../config/schema.ts'
import { errorFields } from '../observe/log.ts'
import type { Observing } from '../observe/turn-observer.ts'
import { Recorder } from './recorder.ts'
import { combineTapes, type TapeSource } from './tape-source.ts'
import { TurnTaping } from './turn-taping.ts'

export interface Taping {
  /** Follows a configuration. */
  tapingFor(config: Config): TurnTaping
  flush(): Promise<void>
}

/** `folder`: where turns are recorded; undefined if they are not. */
export async function createTaping(
  { config, folder, sources }: { config: Config; folder: string | undefined; sources: readonly TapeSource[] },
  { log, scrubber }: Pick<Observing, 'log' | 'scrubber'>,
): Promise<Taping | undefined> {
  const { record, maxBytes, keepBytes } = config.tapes
  const onError = (error: unknown) => log.error('a tape could not be written', errorFields(error))
  // Made before local tools run: a command could otherwise put a link in its place.
  if (folder !== undefined) await mkdir(folder, { recursive: true, mode: 0o700 }).catch(onError)
  const recorder =
    record === 'off' || folder === undefined
      ? undefined
      : new Recorder({ folder, record, maxBytes, keepBytes, scrubber, onError })
  const all = combineTapes(recorder ? [recorder, ...sources] : sources)
  if (!all) return undefined
  return {
    tapingFor: (current) => new TurnTaping(all, current),
    flush: () => recorder?.flush() ?? Promise.resolve(),
  }
}
