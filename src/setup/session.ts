// A client set up for one session: by variables of its process, arguments, and files in a folder that goes with the session. Nothing of
// the user's is written; what the client reads besides stays the user's own.

import { basename, join } from 'node:path'
import type { Facts, Plan } from './plan.ts'

export interface Session {
  /** Variables of the client's process; undefined takes one away. */
  variables?: Readonly<Record<string, string | undefined>>
  /** Arguments before the user's own. */
  args?: readonly string[]
  /** Texts of files by their paths in the session's folder. */
  files?: Readonly<Record<string, string>>
  /** Folders of the session's that show everything in a folder of the user's, except what `files` has. */
  mirrors?: readonly Mirror[]
}

interface Mirror {
  /** The user's folder, which may be missing. */
  of: string
  /** Its path in the session's folder. */
  at: string
}

export type SessionOf = (facts: Facts, folder: string) => Session

/**
 * For clients that read all of their settings from one folder: a folder with the plan's files, and links to all others of the user's
 * folder.
 */
export function mirrored(plan: Plan, { of, at }: Mirror): Pick<Session, 'files' | 'mirrors'> {
  const files = plan.files.map(({ path, after }) => [join(at, basename(path)), after])
  return { files: Object.fromEntries(files), mirrors: [{ of, at }] }
}

/** A plan whose files hold something else than the user's: settings that are read above those. */
export const planAbove = (facts: Facts, text: string | undefined): Facts => ({
  ...facts,
  exists: () => false,
  read: () => text,
})
