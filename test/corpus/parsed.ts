// What the parser makes of a text that comes in pieces.

import type { Tool } from '../../src/core/request.ts'
import { ToolTextParser } from '../../src/protocols/tool-text/parse.ts'
import type { Piece } from '../../src/protocols/tool-text/pieces.ts'
import type { CorpusCall } from './bfcl.ts'

export interface Parsed {
  text: string
  reasoning: string
  calls: CorpusCall[]
  /** The arguments' own texts. */
  inputs: string[]
  changes: string[]
  malformed: number
  cut: boolean
}

export interface Manner {
  tools?: readonly Tool[]
  format?: 'json' | 'xml'
  cut?: boolean
}

export function newParser({ tools = [], format = 'json' }: Manner): ToolTextParser {
  const markup = { format, callTag: 'tool_call', resultTag: 'tool_response' }
  return new ToolTextParser({ markup, tools, salvage: true })
}

export function parsed(pieces: readonly string[], manner: Manner = {}): Parsed {
  const parser = newParser(manner)
  const found = pieces.flatMap((piece) => parser.push(piece))
  return summary([...found, ...parser.end(manner.cut ?? false)])
}

function summary(pieces: readonly Piece[]): Parsed {
  const result: Parsed = {
    text: '',
    reasoning: '',
    calls: [],
    inputs: [],
    changes: [],
    malformed: 0,
    cut: false,
  }
  for (const piece of pieces) {
    if (piece.type === 'text') result.text += piece.text
    else if (piece.type === 'reasoning') result.reasoning += piece.text
    else if (piece.type === 'malformed') result.malformed++
    else if (piece.type === 'cut') result.cut = true
    else {
      result.calls.push({ name: piece.name, arguments: JSON.parse(piece.input) })
      result.inputs.push(piece.input)
      result.changes.push(...piece.changes)
    }
  }
  return result
}

export type PieceSize = number | 'random'

/** Pieces of UTF-16 units, so that characters outside the basic plane come apart. The random ones are the same each time. */
export function inPieces(text: string, size: PieceSize): string[] {
  const pieces: string[] = []
  let seed = 20_261_115
  for (let at = 0; at < text.length; ) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    const length = size === 'random' ? 1 + (seed % 40) : size
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}
