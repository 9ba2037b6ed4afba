// The entries of a folder, sorted by name.

import { type Dirent, opendirSync } from 'node:fs'
import { type Held, throughDescriptor } from './held.ts'

export interface FolderEntry {
  name: string
  /** The kind when the folder was read; it is checked again when the entry is opened. */
  kind: 'file' | 'folder' | 'link' | 'other'
}

/** A folder with millions of entries must not fill the memory. */
const maxEntriesRead = 50_000

export function entriesOf(folder: Held): { entries: FolderEntry[]; truncated: boolean } {
  const entries: FolderEntry[] = []
  const reader = opendirSync(throughDescriptor(folder.descriptor), { bufferSize: 256 })
  try {
    for (let entry = reader.readSync(); entry !== null; entry = reader.readSync()) {
      if (entries.length >= maxEntriesRead) return { entries: sorted(entries), truncated: true }
      entries.push({ name: entry.name, kind: kindOf(entry) })
    }
  } finally {
    reader.closeSync()
  }
  return { entries: sorted(entries), truncated: false }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const sorted = (entries: FolderEntry[]) =>
  entries.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
