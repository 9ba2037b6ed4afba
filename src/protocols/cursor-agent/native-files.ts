// Files: read, write, delete, list.

import { create } from '@bufbuild/protobuf'
import type {
  DeleteArgs,
  LsArgs,
  LsDirectoryTreeNode,
  ReadArgs,
  WriteArgs,
} from '../../../proto/gen/agent/v1/exec_files_pb.ts'
import {
  LsDirectoryTreeNode_FileSchema,
  LsDirectoryTreeNodeSchema,
} from '../../../proto/gen/agent/v1/exec_files_pb.ts'
import { countLines, countOf, type ExecReply, type NativeKind } from './native.ts'

type ReadCase = 'readResult' | 'redactedReadResult'
type ReadResultInit = NonNullable<Extract<ExecReply, { case: 'readResult' }>['value']['result']>

/** A read of the whole file, as before an edit. */
export const isWholeRead = ({ offset = 0, limit = 0 }: ReadArgs) =>
  (offset === 0 || offset === 1) && limit <= 0

const readReply = (as: ReadCase, result: ReadResultInit): ExecReply[] =>
  as === 'readResult' ? [{ case: as, value: { result } }] : [{ case: as, value: { result } }]

const readKind = (as: ReadCase): NativeKind<ReadArgs> => {
  const result = (value: ReadResultInit) => readReply(as, value)
  return {
    job: ({ path, offset, limit }) => ({
      kind: 'read',
      path,
      ...(offset === undefined ? {} : { offset }),
      ...(limit === undefined ? {} : { limit }),
    }),
    done(args, outcome) {
      if (outcome.kind !== 'read') return undefined
      const { path } = args
      if (outcome.notFound) return result({ case: 'fileNotFound', value: { path } })
      const { content, complete, totalLines } = outcome
      return result({
        case: 'success',
        value: {
          path,
          output: { case: 'content', value: content },
          totalLines: totalLines === undefined ? countLines(content) : countOf(totalLines),
          fileSize: BigInt(Buffer.byteLength(content)),
          truncated: !complete && isWholeRead(args),
          rangeApplied: !isWholeRead(args),
        },
      })
    },
    failed: ({ path }, error) => result({ case: 'error', value: { path, error } }),
    refused: ({ path }, reason) => result({ case: 'rejected', value: { path, reason } }),
    notFound: ({ path }) => result({ case: 'fileNotFound', value: { path } }),
  }
}

export const read = readKind('readResult')
export const redactedRead = readKind('redactedReadResult')

/** An image or another binary file that the client returns as bytes. */
export function readBytes(as: ReadCase, { path }: ReadArgs, data: Uint8Array): ExecReply[] {
  const output = { case: 'data' as const, value: data }
  const value = { path, output, fileSize: BigInt(data.length) }
  return readReply(as, { case: 'success', value })
}

type WriteResultInit = NonNullable<Extract<ExecReply, { case: 'writeResult' }>['value']['result']>
const written = (value: WriteResultInit): ExecReply[] => [{ case: 'writeResult', value: { result: value } }]

export const write: NativeKind<WriteArgs> = {
  job(args) {
    const content = textToWrite(args)
    if (content === undefined) return 'only text can be written here, these bytes are no UTF-8'
    return { kind: 'write', path: args.path, content }
  },
  done(args, outcome) {
    if (outcome.kind !== 'write') return undefined
    const content = textToWrite(args) ?? ''
    return written({
      case: 'success',
      value: {
        path: args.path,
        linesCreated: countLines(content),
        fileSize: Buffer.byteLength(content),
        ...(args.returnFileContentAfterWrite ? { fileContentAfterWrite: content } : {}),
      },
    })
  },
  failed: ({ path }, error) => written({ case: 'error', value: { path, error } }),
  refused: ({ path }, reason) => written({ case: 'rejected', value: { path, reason } }),
}

function textToWrite({ fileText, fileBytes }: WriteArgs): string | undefined {
  if (fileText !== '' || fileBytes.length === 0) return fileText
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fileBytes)
  } catch {
    return undefined
  }
}

type DeleteResultInit = NonNullable<Extract<ExecReply, { case: 'deleteResult' }>['value']['result']>
const deleted = (value: DeleteResultInit): ExecReply[] => [{ case: 'deleteResult', value: { result: value } }]

export const remove: NativeKind<DeleteArgs> = {
  job: ({ path }) => ({ kind: 'delete', path }),
  done: ({ path }, outcome) =>
    outcome.kind === 'delete' ? deleted({ case: 'success', value: { path, deletedFile: path } }) : undefined,
  failed: ({ path }, error) => deleted({ case: 'error', value: { path, error } }),
  refused: ({ path }, reason) => deleted({ case: 'rejected', value: { path, reason } }),
  notFound: ({ path }) => deleted({ case: 'fileNotFound', value: { path } }),
}

type LsResultInit = NonNullable<Extract<ExecReply, { case: 'lsResult' }>['value']['result']>
const listed = (value: LsResultInit): ExecReply[] => [{ case: 'lsResult', value: { result: value } }]

export const list: NativeKind<LsArgs> = {
  job: ({ path, ignore }) => ({ kind: 'list', path, ...(ignore.length === 0 ? {} : { ignore }) }),
  done: ({ path }, outcome) =>
    outcome.kind === 'list'
      ? listed({ case: 'success', value: { directoryTreeRoot: toTree(path, outcome.entries) } })
      : undefined,
  failed: ({ path }, error) => listed({ case: 'error', value: { path, error } }),
  refused: ({ path }, reason) => listed({ case: 'rejected', value: { path, reason } }),
}

interface Entry {
  path: string
  directory: boolean
}

/** Limit for all folder paths together: each folder of the tree has its whole path. Beyond it, files are at the top, with their paths. */
const longestPaths = 4_000_000

/** Entries may be nested (`src/a.ts`): their folders are added to the tree. */
function toTree(root: string, entries: readonly Entry[]): LsDirectoryTreeNode {
  const top = directoryNode(root, true)
  const folders = new Map<string, LsDirectoryTreeNode>([['', top]])
  let room = longestPaths
  const folder = (path: string): LsDirectoryTreeNode | undefined => {
    const missing: string[] = []
    let known = folders.get(path)
    for (let at = path; known === undefined; known = folders.get(at)) {
      missing.push(at)
      room -= at.length
      if (room < 0) return undefined
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')))
    }
    for (const name of missing.reverse()) {
      const node = directoryNode(`${root.replace(/\/$/, '')}/${name}`, false)
      folders.set(name, node)
      known.childrenDirs.push(node)
      known = node
    }
    return known
  }
  for (const entry of entries) {
    const path = entry.path.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '')
    if (path === '' || path === '.') continue
    if (entry.directory) {
      folder(path)
      continue
    }
    const at = path.lastIndexOf('/')
    const found = folder(at < 0 ? '' : path.slice(0, at))
    const parent = found ?? top
    parent.childrenFiles.push(
      create(LsDirectoryTreeNode_FileSchema, { name: found ? path.slice(at + 1) : path }),
    )
    parent.childrenWereProcessed = true
  }
  for (const node of folders.values()) {
    node.numFiles = node.childrenFiles.length
    node.childrenWereProcessed ||= node.childrenDirs.length > 0
  }
  return top
}

function directoryNode(absPath: string, childrenWereProcessed: boolean): LsDirectoryTreeNode {
  return create(LsDirectoryTreeNodeSchema, { absPath, childrenWereProcessed })
}
